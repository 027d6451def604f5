#include "runtime/disk_cache.h"

#include "base/bytes.h"
#include "runtime/lock_file.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace qd::runtime {
namespace {

namespace fs = std::filesystem;

class DiskCacheTest : public testing::Test {
  protected:
    fs::path root = fs::temp_directory_path() / ("qd-cache-" + std::to_string(getpid()) + "-" +
                                                 testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::path folder = root / "kernel_compilation_manager";
    fs::path waiting = root / "unpublished_kernels";
    std::vector<std::string> warnings;

    void SetUp() override { fs::remove_all(root); }
    void TearDown() override {
        fs::permissions(root, fs::perms::owner_all, fs::perm_options::add, ignored_);
        fs::remove_all(root);
    }
    DiskCache open(const CacheLimits &limits = {}, const std::string &secret = "") {
        return DiskCache({root.string(), true, limits, secret},
                         [this](const std::string &text) { warnings.push_back(text); });
    }
    static CacheKey key(uint64_t n) { return {n * 0x9e3779b97f4a7c15u, n}; }
    static KernelKey kernel(uint64_t n) { return {n, n + 1, n + 2, n + 3}; }
    static abi::Binary binary(uint64_t n, size_t bytes = 1000) {
        abi::Binary b{"target " + std::to_string(n), std::vector<uint8_t>(bytes)};
        for (size_t i = 0; i < bytes; i++) b.code[i] = uint8_t(i * (n + 3) + (i >> 8));
        return b;
    }
    static void compile(DiskCache &cache, uint64_t n, size_t bytes = 1000) {
        cache.keep_task(key(n), 2.5f, binary(n, bytes));
        cache.use_kernel(kernel(n), "kernel " + std::to_string(n), {key(n)}, nullptr);
    }
    /// A program that compiles a kernel and ends.
    void put(uint64_t n, size_t bytes = 1000, const CacheLimits &limits = {}) {
        DiskCache cache = open(limits);
        compile(cache, n, bytes);
        cache.publish();
    }
    /// A program that runs a kernel and ends.
    bool use(uint64_t n, const CacheLimits &limits = {}) {
        DiskCache cache = open(limits);
        const auto found = cache.load_kernel(kernel(n));
        if (found) cache.use_kernel(kernel(n), found->name, {key(n)}, found.get());
        cache.publish();
        return found != nullptr;
    }
    bool holds(uint64_t n, size_t bytes = 1000) {
        DiskCache cache = open();
        const auto found = cache.load_kernel(kernel(n));
        return found && found->tasks.size() == 1 && found->tasks[0].binary.code == binary(n, bytes).code &&
               found->tasks[0].key == key(n);
    }
    static long files_in(const fs::path &path) {
        if (!fs::exists(path)) return 0;
        return std::distance(fs::directory_iterator(path), fs::directory_iterator());
    }
    long files() const { return files_in(folder); }
    fs::path file(uint64_t n) const { return folder / file_of(kernel(n)); }
    fs::path listing() const { return folder / CacheListing::file_name; }
    /// Returns the exit status of a process that runs this.
    template <class Work> static int in_process(Work &&work) {
        const pid_t child = fork();
        if (child == 0) {
            alarm(60); // ends a deadlock
            _exit(work() ? 0 : 1);
        }
        int status = -1;
        EXPECT_EQ(waitpid(child, &status, 0), child);
        return status;
    }

  private:
    std::error_code ignored_;
};

TEST_F(DiskCacheTest, published_entries_are_loaded) {
    EXPECT_FALSE(open().load_kernel(kernel(1)));
    put(1);
    DiskCache cache = open();
    const auto found = cache.load_kernel(kernel(1));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->name, "kernel 1");
    ASSERT_EQ(found->tasks.size(), 1u);
    EXPECT_EQ(found->tasks[0].weight, 2.5f);
    EXPECT_EQ(found->tasks[0].binary.target, "target 1");
    EXPECT_EQ(found->tasks[0].binary.code, binary(1).code);
    EXPECT_FALSE(cache.load_kernel(kernel(2)));
    EXPECT_TRUE(warnings.empty());
    EXPECT_EQ(files(), 2); // the kernel and the listing
    EXPECT_FALSE(fs::exists(waiting));
}

TEST_F(DiskCacheTest, nothing_is_published_early_but_everything_is_found) {
    DiskCache first = open();
    compile(first, 1);
    EXPECT_EQ(files(), 0);
    EXPECT_TRUE(holds(1)); // seen by another program, even if the first one is killed now
    EXPECT_TRUE(use(1));   // it publishes the entries it used
    EXPECT_EQ(files(), 2);
    first.publish();
    EXPECT_EQ(files(), 2);
    EXPECT_TRUE(warnings.empty());
}

TEST_F(DiskCacheTest, a_task_is_found_in_the_kernel_that_has_it) {
    DiskCache first = open();
    for (uint64_t n = 1; n <= 3; n++) first.keep_task(key(n), 1, binary(n));
    first.use_kernel(kernel(10), "three", {key(1), key(2), key(3)}, nullptr);
    EXPECT_TRUE(open().load_task(key(2)));
    first.publish();
    DiskCache second = open();
    const auto task = second.load_task(key(3));
    ASSERT_TRUE(task);
    EXPECT_EQ(task->binary.code, binary(3).code);
    EXPECT_FALSE(second.load_task(key(4)));
    // A kernel with a known task and a new one.
    second.keep_task(key(4), 1, binary(4));
    second.use_kernel(kernel(11), "two", {key(3), key(4)}, nullptr);
    second.publish();
    EXPECT_EQ(files(), 3);
    EXPECT_EQ(open().load_kernel(kernel(11))->tasks.size(), 2u);
}

TEST_F(DiskCacheTest, a_kernel_waits_for_the_code_of_its_last_task) {
    DiskCache cache = open();
    cache.keep_task(key(1), 1, binary(1));
    cache.use_kernel(kernel(10), "two", {key(1), key(2)}, nullptr);
    EXPECT_FALSE(open().load_kernel(kernel(10)));
    cache.keep_task(key(2), 1, binary(2));
    EXPECT_EQ(open().load_kernel(kernel(10))->tasks.size(), 2u);
    cache.keep_task(key(3), 1, binary(3));
    cache.use_kernel(kernel(11), "never whole", {key(3), key(4)}, nullptr);
    cache.publish(); // with the tasks that exist
    EXPECT_EQ(files(), 3);
    EXPECT_EQ(open().load_kernel(kernel(11))->tasks.size(), 1u);
    DiskCache later = open();
    const auto found = later.load_kernel(kernel(11));
    later.keep_task(key(4), 1, binary(4));
    later.use_kernel(kernel(11), "never whole", {key(3), key(4)}, found.get());
    later.publish();
    EXPECT_EQ(open().load_kernel(kernel(11))->tasks.size(), 2u);
}

TEST_F(DiskCacheTest, code_that_was_made_as_its_program_ended_is_found_by_the_next) {
    {
        DiskCache cache = open();
        cache.keep_task(key(1), 2.5f, binary(1));
        cache.use_kernel(kernel(1), "late", {key(1), key(2)}, nullptr);
        cache.publish();
        cache.keep_task(key(2), 2.5f, binary(2)); // as a background thread does
    }
    DiskCache next = open();
    const auto found = next.load_kernel(kernel(1));
    ASSERT_TRUE(found && found->find(key(1)));
    EXPECT_FALSE(found->find(key(2)));
    const auto late = next.load_task(key(2));
    ASSERT_TRUE(late);
    EXPECT_EQ(late->binary.code, binary(2).code);
    next.use_kernel(kernel(1), "late", {key(1), key(2)}, found.get());
    next.publish();
    DiskCache after = open();
    const auto whole = after.load_kernel(kernel(1));
    ASSERT_TRUE(whole && whole->published);
    EXPECT_TRUE(whole->find(key(1)) && whole->find(key(2)));
    EXPECT_EQ(files_in(waiting), 0);
}

TEST_F(DiskCacheTest, helpers_count) {
    for (int round = 0; round < 2; round++) {
        DiskCache cache = open();
        cache.use_helper(kernel(1), "snode_reader");
        cache.use_helper(kernel(2), "snode_writer");
        cache.use_helper(kernel(1), "snode_reader");
        cache.publish();
        EXPECT_EQ(files(), 3);
    }
}

TEST_F(DiskCacheTest, a_file_cut_anywhere_is_ignored_and_replaced) {
    put(1, 100);
    const auto whole = fs::file_size(file(1));
    for (uint64_t length = 0; length < whole; length += 3) {
        fs::resize_file(file(1), length);
        ASSERT_FALSE(holds(1, 100)) << length;
        put(1, 100);
        ASSERT_TRUE(holds(1, 100)) << length;
    }
}

TEST_F(DiskCacheTest, any_flipped_bit_is_noticed) {
    put(1, 64);
    std::string bytes;
    {
        std::ifstream in(file(1), std::ios::binary);
        bytes.assign(std::istreambuf_iterator<char>(in), {});
    }
    DiskCache cache = open();
    for (size_t bit = 0; bit < 8 * bytes.size(); bit += 3) {
        std::string bad = bytes;
        bad[bit / 8] = char(bad[bit / 8] ^ 1 << bit % 8);
        std::ofstream(file(1), std::ios::binary) << bad;
        const bool in_signature = bit / 8 >= 48 && bit / 8 < 80; // signatures are not required here
        ASSERT_EQ(cache.load_kernel(kernel(1)) != nullptr, in_signature) << "bit " << bit;
    }
}

TEST_F(DiskCacheTest, foreign_files_are_ignored) {
    put(1);
    put(2);
    fs::copy_file(file(2), file(1), fs::copy_options::overwrite_existing); // the content of another key
    EXPECT_FALSE(holds(1));
    std::ofstream(file(3)) << std::string(5000, 'x');
    EXPECT_FALSE(holds(3));
    fs::create_directories(file(4));
    EXPECT_FALSE(holds(4));
    fs::remove(file(4));
    put(3);
    EXPECT_TRUE(holds(3));
}

TEST_F(DiskCacheTest, a_folder_that_is_a_file_costs_one_warning) {
    std::ofstream(root.string()) << "not a folder";
    DiskCache cache = open();
    for (uint64_t n = 0; n < 5; n++) compile(cache, n);
    EXPECT_FALSE(cache.load_kernel(kernel(0)));
    cache.publish();
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NE(warnings[0].find(root.string()), std::string::npos);
}

TEST_F(DiskCacheTest, a_read_only_folder_is_read_and_costs_one_warning) {
    put(1);
    for (const fs::path &path : {root, folder}) fs::permissions(path, fs::perms(0755)); // readable by every user
    for (const fs::path &path : {file(1), listing()}) fs::permissions(path, fs::perms(0644));
    if (getuid() != 0) GTEST_SKIP() << "needs the superuser to drop rights";
    EXPECT_EQ(in_process([&] {
                  if (setuid(65534) != 0) return false; // permissions do not bind the superuser
                  fs::current_path("/");
                  if (!use(1) || !warnings.empty()) return false; // nothing has to be written
                  DiskCache cache = open();
                  compile(cache, 2);
                  compile(cache, 3);
                  cache.publish();
                  return holds(1) && !cache.load_kernel(kernel(2)) && warnings.size() == 1;
              }),
              0);
}

TEST_F(DiskCacheTest, new_files_are_private) {
    const mode_t before = umask(0);
    put(1);
    DiskCache cache = open();
    cache.store_entry(kernel(2), std::vector<uint8_t>(10), EntryPlace::own);
    cache.store_entry(kernel(2), std::vector<uint8_t>(10), EntryPlace::fast);
    umask(before);
    int count = 0;
    EXPECT_EQ(fs::status(root).permissions(), fs::perms(0700));
    for (const auto &made : fs::recursive_directory_iterator(root)) {
        EXPECT_EQ(made.status().permissions(), fs::perms(made.is_directory() ? 0700 : 0600)) << made.path();
        count++;
    }
    EXPECT_EQ(count, 7);
}

TEST_F(DiskCacheTest, a_folder_that_others_may_write_is_not_used_with_one_warning) {
    for (const bool inner : {false, true}) {
        for (const int mode : {0720, 0702, 0770, 01777}) {
            fs::remove_all(root);
            warnings.clear();
            put(1);
            const fs::path open_to_all = inner ? folder : root;
            ASSERT_EQ(chmod(open_to_all.c_str(), mode_t(mode)), 0);
            DiskCache cache = open({0, Cleaning::lru, 1});
            EXPECT_FALSE(cache.load_kernel(kernel(1))) << mode;
            cache.publish();
            EXPECT_EQ(files(), 2);
            ASSERT_EQ(warnings.size(), 1u);
            EXPECT_NE(warnings[0].find(open_to_all.string()), std::string::npos) << warnings[0];
            EXPECT_NE(warnings[0].find("chmod go-w"), std::string::npos) << warnings[0];
            ASSERT_EQ(chmod(open_to_all.c_str(), 0755), 0);
            EXPECT_TRUE(holds(1));
        }
    }
}

TEST_F(DiskCacheTest, files_that_others_may_write_are_not_used_and_replaced) {
    for (const int mode : {0620, 0602, 0666}) {
        put(1);
        warnings.clear();
        ASSERT_EQ(chmod(file(1).c_str(), mode_t(mode)), 0);
        EXPECT_FALSE(holds(1)) << mode;
        ASSERT_EQ(warnings.size(), 1u);
        EXPECT_NE(warnings[0].find(file(1).string()), std::string::npos) << warnings[0];
        put(1);
        EXPECT_TRUE(holds(1));
    }
}

TEST_F(DiskCacheTest, links_are_not_followed) {
    put(1);
    const fs::path elsewhere = root.string() + "-elsewhere";
    fs::rename(file(1), elsewhere);
    fs::create_symlink(elsewhere, file(1));
    EXPECT_FALSE(holds(1));
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NE(warnings[0].find("it is a link"), std::string::npos) << warnings[0];
    put(1); // replaces the link, not its target
    EXPECT_TRUE(holds(1));
    EXPECT_FALSE(fs::is_symlink(file(1)));
    fs::remove(elsewhere);

    fs::rename(root, elsewhere);
    fs::create_directory_symlink(elsewhere, root);
    warnings.clear();
    DiskCache linked = open();
    EXPECT_FALSE(linked.load_kernel(kernel(1)));
    compile(linked, 2);
    linked.publish();
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NE(warnings[0].find("it is a link"), std::string::npos) << warnings[0];
    EXPECT_EQ(files_in(elsewhere / "kernel_compilation_manager"), 2);
    fs::remove(root);
    fs::remove_all(elsewhere);
}

TEST_F(DiskCacheTest, a_pipe_does_not_block) {
    put(1);
    fs::remove(file(1));
    ASSERT_EQ(mkfifo(file(1).c_str(), 0600), 0);
    fs::remove(listing());
    ASSERT_EQ(mkfifo(listing().c_str(), 0600), 0);
    EXPECT_EQ(in_process([&] {
                  const bool none = !open().load_kernel(kernel(1));
                  put(1);
                  return none && holds(1);
              }),
              0);
}

TEST_F(DiskCacheTest, files_of_another_user_are_not_used) {
    if (getuid() != 0) GTEST_SKIP() << "needs the superuser to give files away";
    put(1);
    ASSERT_EQ(chown(file(1).c_str(), 65534, 65534), 0);
    EXPECT_FALSE(holds(1));
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NE(warnings[0].find("uid 65534"), std::string::npos) << warnings[0];
    put(1);
    EXPECT_TRUE(holds(1));
    ASSERT_EQ(chown(root.c_str(), 65534, 65534), 0);
    warnings.clear();
    DiskCache second = open();
    EXPECT_FALSE(second.load_kernel(kernel(1)));
    compile(second, 2);
    second.publish();
    EXPECT_EQ(warnings.size(), 1u);
    EXPECT_EQ(files(), 2);
}

TEST_F(DiskCacheTest, with_a_key_unsigned_files_are_ignored) {
    const auto load = [&](const std::string &secret) { return open({}, secret).load_kernel(kernel(1)) != nullptr; };
    put(1);
    EXPECT_TRUE(load(""));
    EXPECT_FALSE(load("one key"));
    {
        DiskCache cache = open({}, "one key");
        compile(cache, 1);
        cache.publish();
    }
    EXPECT_TRUE(load("one key"));
    EXPECT_TRUE(load(""));
    EXPECT_FALSE(load("another key"));
    std::fstream(file(1), std::ios::in | std::ios::out | std::ios::binary).seekp(60).write("\xff\xff\xff", 3);
    EXPECT_FALSE(load("one key")); // the signature itself was altered
}

TEST_F(DiskCacheTest, a_full_disk_costs_one_warning_and_leaves_nothing_behind) {
    fs::create_directories(root);
    EXPECT_EQ(in_process([&] {
                  signal(SIGXFSZ, SIG_IGN);
                  const ::rlimit limit{200, 200}; // a write beyond this fails as on a full disk
                  setrlimit(RLIMIT_FSIZE, &limit);
                  DiskCache cache = open();
                  compile(cache, 1);
                  compile(cache, 2);
                  cache.publish();
                  return warnings.size() == 1 && files_in(waiting) == 0 && files() == 0;
              }),
              0);
}

TEST_F(DiskCacheTest, processes_write_and_read_at_once) {
    std::vector<pid_t> children;
    for (int c = 0; c < 3; c++) {
        const pid_t child = fork();
        if (child == 0) {
            bool good = true;
            for (int round = 0; round < 20; round++) {
                for (uint64_t n = 0; n < 5; n++) {
                    DiskCache cache = open();
                    compile(cache, n, 20000);
                    good &= holds(n, 20000);
                    if (n == 4) cache.publish();
                }
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
    for (uint64_t n = 0; n < 5; n++) EXPECT_TRUE(holds(n, 20000));
}

TEST_F(DiskCacheTest, some_kernels_are_removed_above_the_size_limit) {
    const auto files_after = [&](Cleaning cleaning, double factor, uint64_t max_bytes = 1) {
        fs::remove_all(root);
        for (uint64_t n = 0; n < 4; n++) put(n, 900);
        open({max_bytes, cleaning, factor}).publish();
        return files();
    };
    for (const Cleaning cleaning : {Cleaning::lru, Cleaning::fifo}) {
        EXPECT_EQ(files_after(cleaning, 0.0), 5);
        EXPECT_EQ(files_after(cleaning, 0.25), 4);
        EXPECT_EQ(files_after(cleaning, 0.85), 2);
        EXPECT_EQ(files_after(cleaning, 1.0), 0);
        EXPECT_EQ(files_after(cleaning, 1.0, 100'000), 5);
    }
    EXPECT_EQ(files_after(Cleaning::never, 1.0), 5);
    EXPECT_EQ(files_after(Cleaning::version, 1.0), 5);
}

TEST_F(DiskCacheTest, the_least_recently_used_is_removed_first) {
    for (uint64_t n = 0; n < 4; n++) put(n, 900);
    usleep(1'100'000); // shorter differences are not recorded
    EXPECT_TRUE(use(0));
    open({1, Cleaning::lru, 0.25}).publish();
    EXPECT_TRUE(holds(0, 900));
    EXPECT_FALSE(holds(1, 900));
    open({1, Cleaning::fifo, 0.4}).publish();
    EXPECT_FALSE(holds(0, 900));
    EXPECT_TRUE(holds(2, 900));
}

TEST(CacheListing, entries_of_other_versions_are_removed_first_and_alone_under_version) {
    constexpr LibraryVersion own = {1, 2, 3}, other = {1, 2, 4};
    CacheListing listing;
    for (uint64_t n = 0; n < 4; n++) {
        const KernelKey key = {n, 0, 0, 0};
        listing.kernels[key] = {key, "k", 100, 1000 + n, 1000 + n, n == 2 ? other : own, {}};
    }
    using Keys = std::vector<KernelKey>;
    for (const Cleaning cleaning : {Cleaning::lru, Cleaning::fifo}) {
        EXPECT_EQ(listing.surplus({400, cleaning, 0.5}, own), (Keys{{2, 0, 0, 0}, {0, 0, 0, 0}}));
        EXPECT_EQ(listing.surplus({401, cleaning, 0.5}, own), Keys{});
    }
    EXPECT_EQ(listing.surplus({1000, Cleaning::version, 0}, own), (Keys{{2, 0, 0, 0}}));
    EXPECT_EQ(listing.surplus({0, Cleaning::never, 1}, own), Keys{});
}

TEST_F(DiskCacheTest, without_a_readable_listing_only_used_entries_stay) {
    for (const Cleaning cleaning : {Cleaning::never, Cleaning::version, Cleaning::lru, Cleaning::fifo}) {
        fs::remove_all(root);
        put(1);
        put(2);
        std::ofstream(listing()) << "not a listing";
        put(3, 1000, {100u << 20, cleaning, 0.25});
        EXPECT_EQ(files(), cleaning == Cleaning::never ? 4 : 2);
        EXPECT_TRUE(holds(3));
    }
}

TEST_F(DiskCacheTest, a_lost_listing_is_rebuilt) {
    put(1);
    put(2);
    fs::remove(listing());
    put(3);
    EXPECT_EQ(files(), 4);
    EXPECT_TRUE(open().load_task(key(1)));
    fs::remove(file(2)); // listed, but missing
    EXPECT_FALSE(open().load_task(key(2)));
    put(2);
    EXPECT_TRUE(holds(2));
}

TEST_F(DiskCacheTest, a_lock_that_lost_its_owner_is_broken_another_is_waited_for) {
    const auto lock = [&](const std::string &text) { std::ofstream(folder / "qdcache.lock") << text; };
    char host[256];
    gethostname(host, sizeof host);
    put(1);
    const int gone = 0x3fffff; // larger than any process id
    lock(std::string(host) + " " + std::to_string(gone));
    put(2);
    EXPECT_EQ(files(), 3);
    lock("another-machine 1");
    fs::last_write_time(folder / "qdcache.lock", fs::file_time_type::clock::now() - std::chrono::hours(1));
    put(3);
    EXPECT_EQ(files(), 4);
    lock("another-machine 1");
    fs::last_write_time(folder / "qdcache.lock", fs::file_time_type::clock::now() + std::chrono::hours(1));
    put(4); // the clock was set back
    EXPECT_EQ(files(), 5);
    EXPECT_TRUE(warnings.empty());
    lock("another-machine 1");
    put(5);
    EXPECT_EQ(files(), 6); // including the lock
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NE(warnings[0].find("qdcache.lock failed"), std::string::npos) << warnings[0];
    EXPECT_TRUE(holds(5)); // so that the next program finds it
    fs::remove(folder / "qdcache.lock");
    EXPECT_TRUE(use(5));
    EXPECT_EQ(files(), 6);
}

TEST_F(DiskCacheTest, a_claim_ends_with_its_owner_or_after_a_minute) {
    const fs::path file = waiting / ("." + file_of(kernel(1)) + ".claim.tmp");
    KernelClaim other(root.string(), kernel(1)), different(root.string(), kernel(2));
    {
        KernelClaim claim(root.string(), kernel(1));
        EXPECT_TRUE(claim.take());
        EXPECT_FALSE(other.take());
        EXPECT_TRUE(different.take());
        // A forked child does not end the claim of its parent.
        EXPECT_EQ(in_process([&] { return claim.~KernelClaim(), !other.take(); }), 0);
        EXPECT_FALSE(other.take());
    }
    EXPECT_FALSE(fs::exists(file));
    EXPECT_EQ(in_process([&] { return other.take() && fs::exists(file); }), 0); // it ends like a killed process
    EXPECT_FALSE(other.take());                                                 // removes the file
    EXPECT_TRUE(other.take());
    KernelClaim third(root.string(), kernel(1));
    std::ofstream(file) << "another-machine 1";
    EXPECT_FALSE(third.take());
    EXPECT_FALSE(third.take());
    fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::minutes(2));
    EXPECT_FALSE(third.take());
    EXPECT_TRUE(third.take());
    fs::permissions(root, fs::perms::others_write, fs::perm_options::add);
    EXPECT_TRUE(KernelClaim(root.string(), kernel(3)).take()); // no file there is trusted
    EXPECT_FALSE(fs::exists(waiting / ("." + file_of(kernel(3)) + ".claim.tmp")));
    fs::permissions(root, fs::perms::others_write, fs::perm_options::remove);
}

TEST_F(DiskCacheTest, leftovers_of_killed_programs_are_adopted) {
    for (uint64_t n = 1; n <= 2; n++) {
        DiskCache cache = open();
        compile(cache, n);
    }
    const fs::path half = waiting / ".0123.1.0.tmp";
    std::ofstream(half) << "half";
    for (const auto &left : fs::directory_iterator(waiting))
        fs::last_write_time(left.path(), fs::file_time_type::clock::now() - std::chrono::hours(2));
    put(3);
    EXPECT_EQ(files(), 4);
    EXPECT_FALSE(fs::exists(waiting));
}

TEST_F(DiskCacheTest, folders_may_be_removed_and_made_at_any_moment) {
    DiskCache cache = open();
    fs::create_directories(folder);
    compile(cache, 1);
    fs::remove_all(root);
    compile(cache, 2);
    cache.publish();
    EXPECT_FALSE(holds(1));
    EXPECT_TRUE(holds(2));
    fs::remove_all(root);
    cache.publish();
    fs::remove_all(root);
    fs::create_directories(folder);
    open().publish();
    EXPECT_TRUE(fs::exists(folder));
    EXPECT_TRUE(warnings.empty());
}

TEST_F(DiskCacheTest, an_opened_root_is_checked_again) {
    put(1);
    put(2);
    DiskCache cache = open();
    ASSERT_TRUE(cache.load_kernel(kernel(1)));
    for (const fs::path &path : {root, folder}) {
        fs::permissions(path, fs::perms::others_write, fs::perm_options::add);
        EXPECT_FALSE(cache.load_kernel(kernel(2))) << path;
        fs::permissions(path, fs::perms::others_write, fs::perm_options::remove);
        EXPECT_TRUE(cache.load_kernel(kernel(2))) << path;
    }
    EXPECT_EQ(warnings.size(), 1u);

    const fs::path moved = root.string() + "-moved";
    fs::rename(root, moved);
    put(3);
    EXPECT_TRUE(cache.load_kernel(kernel(3)));
    EXPECT_FALSE(cache.load_kernel(kernel(1)));
    fs::remove_all(moved);
}

TEST_F(DiskCacheTest, descriptors_that_the_program_closed_are_not_touched) {
    put(1);
    put(2);
    struct stat wanted, status;
    std::vector<int> taken;
    {
        DiskCache cache = open();
        ASSERT_TRUE(cache.load_kernel(kernel(1)));
        ASSERT_EQ(stat(root.c_str(), &wanted), 0);
        for (int fd = 3; fd < 1024; fd++)
            if (fstat(fd, &status) == 0 && status.st_dev == wanted.st_dev && status.st_ino == wanted.st_ino) {
                const int other = ::open("/", O_RDONLY | O_CLOEXEC);
                ASSERT_EQ(dup2(other, fd), fd);
                close(other);
                taken.push_back(fd);
            }
        EXPECT_EQ(taken.size(), 1u);
        EXPECT_TRUE(cache.load_kernel(kernel(2)));
    }
    for (const int fd : taken) {
        ASSERT_EQ(fstat(fd, &status), 0);
        EXPECT_NE(status.st_ino, wanted.st_ino);
        close(fd);
    }
    EXPECT_TRUE(warnings.empty());
}

TEST_F(DiskCacheTest, a_root_that_the_program_closed_is_reopened) {
    for (uint64_t n = 1; n <= 4; n++) put(n);
    struct stat wanted, status;
    DiskCache cache = open();
    ASSERT_TRUE(cache.load_kernel(kernel(1)));
    ASSERT_EQ(stat(root.c_str(), &wanted), 0);
    const auto kept = [&] {
        std::vector<int> found;
        for (int fd = 3; fd < 1024; fd++)
            if (fstat(fd, &status) == 0 && status.st_dev == wanted.st_dev && status.st_ino == wanted.st_ino)
                found.push_back(fd);
        return found;
    };
    const std::vector<int> first = kept();
    ASSERT_EQ(first.size(), 1u);
    close(first[0]);
    for (uint64_t n = 2; n <= 4; n++) {
        EXPECT_TRUE(cache.load_kernel(kernel(n)));
        EXPECT_EQ(kept().size(), 1u) << n;
    }
}

TEST(DiskCacheTrust, is_in_this_user_and_the_superuser_alone) {
    struct stat status = {};
    status.st_mode = S_IFREG | 0644;
    for (const uid_t owner : {geteuid(), uid_t(0)}) {
        status.st_uid = owner;
        EXPECT_EQ(why_untrusted(status), "");
    }
    for (const mode_t mode : {0664, 0646, 0666}) {
        status.st_mode = S_IFREG | mode;
        EXPECT_NE(why_untrusted(status), "") << mode;
    }
    status.st_mode = S_IFREG | 0600;
    status.st_uid = geteuid() + 1;
    EXPECT_NE(why_untrusted(status), "");
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
