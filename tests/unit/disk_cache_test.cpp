#include "runtime/disk_cache.h"

#include "base/bytes.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <csignal>
#include <cstdlib>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace qd::runtime {
namespace {

namespace fs = std::filesystem;

class DiskCacheTest : public testing::Test {
  protected:
    fs::path folder = fs::temp_directory_path() / ("qd-cache-" + std::to_string(getpid()) + "-" +
                                                   testing::UnitTest::GetInstance()->current_test_info()->name());
    std::vector<std::string> warnings;

    void SetUp() override { fs::remove_all(folder); }
    void TearDown() override {
        fs::permissions(folder, fs::perms::owner_all, fs::perm_options::add, ignored_);
        fs::remove_all(folder);
    }
    DiskCache open(const CacheLimits &limits = {}) {
        return DiskCache(folder.string(), limits, [this](const std::string &text) { warnings.push_back(text); });
    }
    static CacheKey key(uint64_t n) { return {n * 0x9e3779b97f4a7c15u, n}; }
    static abi::Task task(uint64_t n) {
        abi::Task t;
        t.name = "kernel." + std::to_string(n);
        t.kind = abi::TaskKind::range;
        t.weight = 2.5f;
        t.block_dim = 7;
        t.hash[0] = n;
        t.hash[1] = ~n;
        return t;
    }
    static abi::Binary binary(uint64_t n, size_t bytes = 1000) {
        abi::Binary b{"target " + std::to_string(n), std::vector<uint8_t>(bytes)};
        for (size_t i = 0; i < bytes; i++) b.code[i] = uint8_t(i * (n + 3) + (i >> 8));
        return b;
    }
    static void put(DiskCache &cache, uint64_t n, size_t bytes = 1000) {
        cache.store(key(n), task(n), binary(n, bytes));
    }
    static bool holds(DiskCache &cache, uint64_t n, size_t bytes = 1000) {
        const auto found = cache.load(key(n));
        return found && found->binary.code == binary(n, bytes).code && found->task.name == task(n).name;
    }
    long files() const { return std::distance(fs::directory_iterator(folder), fs::directory_iterator()); }
    fs::path file(uint64_t n) const { return folder / (to_hex(key(n)) + ".qdc"); }

  private:
    std::error_code ignored_;
};

TEST_F(DiskCacheTest, what_is_stored_is_loaded) {
    DiskCache cache = open();
    EXPECT_FALSE(cache.load(key(1)));
    put(cache, 1);
    const auto found = open().load(key(1));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->task.name, "kernel.1");
    EXPECT_EQ(found->task.kind, abi::TaskKind::range);
    EXPECT_EQ(found->task.weight, 2.5f);
    EXPECT_EQ(found->task.block_dim, 7u);
    EXPECT_EQ(found->task.hash[1], ~uint64_t(1));
    EXPECT_EQ(found->binary.target, "target 1");
    EXPECT_EQ(found->binary.code, binary(1).code);
    EXPECT_FALSE(cache.load(key(2)));
    EXPECT_TRUE(warnings.empty());
    EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1);
}

TEST_F(DiskCacheTest, a_file_cut_anywhere_is_ignored_and_replaced) {
    DiskCache cache = open();
    put(cache, 1, 100);
    const auto whole = fs::file_size(file(1));
    for (uint64_t length = 0; length < whole; length++) {
        put(cache, 1, 100);
        fs::resize_file(file(1), length);
        ASSERT_FALSE(cache.load(key(1))) << length;
    }
    put(cache, 1, 100);
    EXPECT_TRUE(holds(cache, 1, 100));
}

TEST_F(DiskCacheTest, any_flipped_bit_is_noticed) {
    DiskCache cache = open();
    put(cache, 1, 64);
    std::string bytes;
    {
        std::ifstream in(file(1), std::ios::binary);
        bytes.assign(std::istreambuf_iterator<char>(in), {});
    }
    for (size_t bit = 0; bit < 8 * bytes.size(); bit += 3) {
        std::string bad = bytes;
        bad[bit / 8] = char(bad[bit / 8] ^ 1 << bit % 8);
        std::ofstream(file(1), std::ios::binary) << bad;
        ASSERT_FALSE(cache.load(key(1))) << "bit " << bit;
    }
}

TEST_F(DiskCacheTest, foreign_files_are_ignored) {
    DiskCache cache = open();
    put(cache, 1);
    put(cache, 2);
    fs::copy_file(file(2), file(1), fs::copy_options::overwrite_existing); // another key's content
    EXPECT_FALSE(cache.load(key(1)));
    std::ofstream(file(3)) << std::string(5000, 'x');
    EXPECT_FALSE(cache.load(key(3)));
    fs::create_directories(file(4));
    EXPECT_FALSE(cache.load(key(4)));
    fs::remove(file(4));
    put(cache, 3);
    EXPECT_TRUE(holds(cache, 3));
}

TEST_F(DiskCacheTest, a_folder_that_is_a_file_costs_one_warning) {
    std::ofstream(folder.string()) << "not a folder";
    DiskCache cache = open();
    for (uint64_t n = 0; n < 5; n++) put(cache, n);
    EXPECT_FALSE(cache.load(key(0)));
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NE(warnings[0].find(folder.string()), std::string::npos);
    EXPECT_FALSE(cache.grew());
}

TEST_F(DiskCacheTest, a_read_only_folder_is_read_and_costs_one_warning) {
    {
        DiskCache cache = open();
        put(cache, 1);
        fs::permissions(folder, fs::perms(0755)); // as somebody does who sets a cache up for everybody
        fs::permissions(file(1), fs::perms(0644));
    }
    const pid_t child = fork();
    if (child == 0) {
        if (getuid() == 0 && setuid(65534) != 0) _exit(3); // permissions do not bind the superuser
        fs::current_path("/");
        DiskCache cache = open();
        put(cache, 2);
        put(cache, 3);
        _exit(holds(cache, 1) && !cache.load(key(2)) && warnings.size() == 1 ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    if (getuid() == 0)
        EXPECT_EQ(status, 0);
    else
        GTEST_SKIP() << "needs the superuser to drop rights";
}

TEST_F(DiskCacheTest, what_is_made_is_closed_to_others) {
    const mode_t before = umask(0);
    folder = folder / "made" / "deep";
    DiskCache cache = open();
    put(cache, 1);
    cache.store_record(key(2), std::vector<uint8_t>(10));
    umask(before);
    for (const fs::path &path : {folder, folder.parent_path()})
        EXPECT_EQ(fs::status(path).permissions(), fs::perms(0700)) << path;
    EXPECT_EQ(files(), 2);
    for (const auto &made : fs::directory_iterator(folder))
        EXPECT_EQ(made.status().permissions(), fs::perms(0600)) << made.path();
    folder = folder.parent_path().parent_path();
}

TEST_F(DiskCacheTest, a_folder_that_others_may_write_is_left_alone_with_one_warning) {
    for (const int mode : {0720, 0702, 0770, 01777}) {
        fs::remove_all(folder);
        warnings.clear();
        DiskCache before = open();
        put(before, 1);
        before.store_record(key(1), std::vector<uint8_t>(10));
        ASSERT_EQ(chmod(folder.c_str(), mode_t(mode)), 0);
        DiskCache cache = open({0, Cleaning::lru, 1});
        EXPECT_FALSE(cache.load(key(1))) << mode;
        EXPECT_FALSE(cache.load_record(key(1))) << mode;
        EXPECT_TRUE(cache.empty());
        put(cache, 2);
        cache.clean_up();
        EXPECT_EQ(files(), 2);
        ASSERT_EQ(warnings.size(), 1u);
        EXPECT_NE(warnings[0].find(folder.string()), std::string::npos) << warnings[0];
        EXPECT_NE(warnings[0].find("chmod go-w"), std::string::npos) << warnings[0];
        ASSERT_EQ(chmod(folder.c_str(), 0755), 0);
        EXPECT_TRUE(holds(cache, 1));
    }
}

TEST_F(DiskCacheTest, files_that_others_may_write_are_not_used_and_replaced) {
    for (const int mode : {0620, 0602, 0666}) {
        warnings.clear();
        DiskCache cache = open();
        put(cache, 1);
        cache.store_record(key(2), std::vector<uint8_t>(10));
        for (const auto &made : fs::directory_iterator(folder)) ASSERT_EQ(chmod(made.path().c_str(), mode_t(mode)), 0);
        EXPECT_FALSE(cache.load(key(1))) << mode;
        EXPECT_FALSE(cache.load_record(key(2))) << mode;
        ASSERT_EQ(warnings.size(), 1u);
        EXPECT_NE(warnings[0].find(file(1).string()), std::string::npos) << warnings[0];
        put(cache, 1);
        cache.store_record(key(2), std::vector<uint8_t>(10));
        EXPECT_TRUE(holds(cache, 1));
        EXPECT_TRUE(cache.load_record(key(2)));
    }
}

TEST_F(DiskCacheTest, links_are_not_followed) {
    DiskCache cache = open();
    put(cache, 1);
    const fs::path elsewhere = folder.string() + "-elsewhere";
    fs::rename(file(1), elsewhere);
    fs::create_symlink(elsewhere, file(1));
    EXPECT_FALSE(cache.load(key(1)));
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NE(warnings[0].find("it is a link"), std::string::npos) << warnings[0];
    put(cache, 1); // in the place of the link, not behind it
    EXPECT_TRUE(holds(cache, 1));
    EXPECT_FALSE(fs::is_symlink(file(1)));
    fs::remove(elsewhere);

    fs::rename(folder, elsewhere);
    fs::create_directory_symlink(elsewhere, folder);
    warnings.clear();
    DiskCache linked = open();
    EXPECT_FALSE(linked.load(key(1)));
    put(linked, 2);
    EXPECT_TRUE(linked.empty());
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NE(warnings[0].find("it is a link"), std::string::npos) << warnings[0];
    EXPECT_EQ(files(), 1);
    fs::remove(folder);
    fs::remove_all(elsewhere);
}

TEST_F(DiskCacheTest, a_pipe_blocks_nobody) {
    DiskCache cache = open();
    put(cache, 1);
    fs::remove(file(1));
    ASSERT_EQ(mkfifo(file(1).c_str(), 0600), 0);
    ASSERT_EQ(mkfifo((folder / (to_hex(key(2)) + ".qdr")).c_str(), 0600), 0);
    const pid_t child = fork();
    if (child == 0) {
        alarm(60); // what waits for a writer waits for ever
        const bool none = !cache.load(key(1)) && !cache.load_record(key(2));
        cache.clean_up();
        put(cache, 1);
        _exit(none && holds(cache, 1) && warnings.size() == 1 ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

TEST_F(DiskCacheTest, what_another_user_owns_is_not_used) {
    if (getuid() != 0) GTEST_SKIP() << "needs the superuser to give files away";
    DiskCache cache = open();
    put(cache, 1);
    ASSERT_EQ(chown(file(1).c_str(), 65534, 65534), 0);
    EXPECT_FALSE(cache.load(key(1)));
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NE(warnings[0].find("uid 65534"), std::string::npos) << warnings[0];
    put(cache, 1);
    EXPECT_TRUE(holds(cache, 1));
    ASSERT_EQ(chown(folder.c_str(), 65534, 65534), 0);
    warnings.clear();
    DiskCache second = open();
    EXPECT_FALSE(second.load(key(1)));
    put(second, 2);
    EXPECT_EQ(warnings.size(), 1u);
    EXPECT_EQ(files(), 1);
}

TEST(DiskCacheTrust, is_in_this_user_and_the_superuser_alone) {
    struct stat status = {};
    status.st_mode = S_IFREG | 0644;
    for (const uid_t owner : {geteuid(), uid_t(0)}) {
        status.st_uid = owner;
        EXPECT_EQ(distrust(status), "");
    }
    for (const mode_t mode : {0664, 0646, 0666}) {
        status.st_mode = S_IFREG | mode;
        EXPECT_NE(distrust(status), "") << mode;
    }
    status.st_mode = S_IFREG | 0600;
    status.st_uid = geteuid() + 1;
    EXPECT_NE(distrust(status), "");
}

TEST(DiskCacheFolder, comes_of_an_absolute_xdg_cache_home_or_of_home) {
    const auto folder_with = [](const char *xdg, const char *home) {
        const std::string before = std::getenv("HOME") ? std::getenv("HOME") : "";
        const char *usual = std::getenv("XDG_CACHE_HOME");
        const std::string xdg_before = usual ? usual : "";
        setenv("XDG_CACHE_HOME", xdg, 1);
        setenv("HOME", home, 1);
        const std::string found = default_cache_folder();
        usual ? setenv("XDG_CACHE_HOME", xdg_before.c_str(), 1) : unsetenv("XDG_CACHE_HOME");
        setenv("HOME", before.c_str(), 1);
        return found;
    };
    EXPECT_EQ(folder_with("/caches", "/home/me"), "/caches/quadrants/qdcache");
    for (const char *ignored : {"", "caches", "./caches", "~/caches"})
        EXPECT_EQ(folder_with(ignored, "/home/me"), "/home/me/.cache/quadrants/qdcache") << ignored;
    EXPECT_EQ(folder_with("", ""), "");
}

TEST_F(DiskCacheTest, a_full_disk_costs_one_warning_and_leaves_nothing_behind) {
    fs::create_directories(folder);
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGXFSZ, SIG_IGN);
        const ::rlimit limit{200, 200}; // a write beyond this fails as on a full disk
        setrlimit(RLIMIT_FSIZE, &limit);
        DiskCache cache = open();
        put(cache, 1);
        put(cache, 2);
        _exit(warnings.size() == 1 && fs::is_empty(folder) && !cache.load(key(1)) ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

TEST_F(DiskCacheTest, processes_write_and_read_at_once) {
    std::vector<pid_t> children;
    for (int c = 0; c < 3; c++) {
        const pid_t child = fork();
        if (child == 0) {
            DiskCache cache = open();
            bool good = true;
            for (int round = 0; round < 60; round++) {
                for (uint64_t n = 0; n < 5; n++) put(cache, n, 20000);
                for (uint64_t n = 0; n < 5; n++) good &= holds(cache, n, 20000);
            }
            _exit(good && warnings.empty() ? 0 : 1);
        }
        children.push_back(child);
    }
    for (pid_t child : children) {
        int status = -1;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0);
    }
    EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 5);
}

TEST_F(DiskCacheTest, the_files_used_longest_ago_go_first) {
    DiskCache cache = open({10'000, Cleaning::lru, 0.25});
    const auto now = fs::file_time_type::clock::now();
    for (uint64_t n = 0; n < 12; n++) {
        put(cache, n, 900);
        fs::last_write_time(file(n), now - std::chrono::hours(100 - int(n)));
    }
    EXPECT_TRUE(holds(cache, 0, 900)); // a use makes it young
    cache.clean_up();
    EXPECT_EQ(files(), 9);
    EXPECT_TRUE(holds(cache, 0, 900));
    EXPECT_FALSE(cache.load(key(3)));
    EXPECT_TRUE(holds(cache, 4, 900));
    cache.clean_up();
    EXPECT_EQ(files(), 9); // less than the limit
}

TEST_F(DiskCacheTest, the_files_written_first_go_first) {
    DiskCache cache = open({10'000, Cleaning::fifo, 0.5});
    const auto now = fs::file_time_type::clock::now();
    for (uint64_t n = 0; n < 12; n++) {
        put(cache, n, 900);
        fs::last_write_time(file(n), now - std::chrono::hours(int(n)));
    }
    cache.clean_up();
    EXPECT_EQ(files(), 6);
    EXPECT_FALSE(cache.load(key(5)));
    EXPECT_TRUE(holds(cache, 6, 900));
}

TEST_F(DiskCacheTest, files_of_other_versions_go) {
    DiskCache cache = open({1000, Cleaning::version, 0.5});
    for (uint64_t n = 0; n < 4; n++) put(cache, n, 900);
    std::fstream(file(2), std::ios::in | std::ios::out | std::ios::binary).seekp(8).write("\xff\xff\xff\xff", 4);
    cache.clean_up();
    EXPECT_EQ(files(), 3);
    EXPECT_FALSE(fs::exists(file(2)));
    std::fstream(file(3), std::ios::in | std::ios::out | std::ios::binary).seekp(8).write("\xff\xff\xff\xff", 4);
    DiskCache bounded = open({1000, Cleaning::lru, 0.3});
    bounded.clean_up();
    EXPECT_EQ(files(), 2);
    EXPECT_FALSE(fs::exists(file(3)));
    open({0, Cleaning::never, 1}).clean_up();
    EXPECT_EQ(files(), 2);
}

TEST_F(DiskCacheTest, abandoned_temporary_files_are_swept) {
    DiskCache cache = open();
    put(cache, 1);
    const fs::path old = folder / ".0123.1.0.tmp", young = folder / ".0123.2.0.tmp";
    std::ofstream(old) << "half";
    std::ofstream(young) << "half";
    fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(2));
    cache.clean_up();
    EXPECT_FALSE(fs::exists(old));
    EXPECT_TRUE(fs::exists(young));
}

TEST(HashBytes, depends_on_every_byte_the_length_and_the_seed) {
    std::vector<uint8_t> bytes(70, 0);
    std::vector<uint64_t> seen = {hash_bytes(bytes, 0), hash_bytes(bytes, 1)};
    for (size_t n = 0; n < bytes.size(); n++) {
        seen.push_back(hash_bytes(std::span(bytes).first(n), 0));
        bytes[n] = 1;
        seen.push_back(hash_bytes(bytes, 0));
        bytes[n] = 0;
    }
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end());
}

} // namespace
} // namespace qd::runtime
