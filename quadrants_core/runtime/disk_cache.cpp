#include "runtime/disk_cache.h"

#include "base/bytes.h"
#include "runtime/lock_file.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <mutex>
#include <set>
#include <utility>

#include <unistd.h>

namespace qd::runtime {
namespace {

constexpr FileKind kernel_file = {{'Q', 'D', 'K', 'E', 'R', 'N', '\r', '\n'}};
constexpr FileKind record_file = {{'Q', 'D', 'R', 'E', 'C', 'D', '\r', '\n'}};
constexpr const char *lock_name = "qdcache.lock";
/// Two seconds: other processes publish for milliseconds, but may have to wait for a processor.
constexpr int lock_attempts = 40;
constexpr useconds_t lock_pause = 50'000; ///< microseconds
constexpr uint64_t abandoned_after = 3600;
constexpr uint64_t second = 1'000'000'000;
constexpr LibraryVersion library_version = {QD_VERSION_MAJOR, QD_VERSION_MINOR, QD_VERSION_PATCH};

std::vector<uint8_t> serialise(const CachedKernel &kernel) {
    Writer w;
    w.text(kernel.name);
    w.number(kernel.version);
    w.number(uint64_t(kernel.tasks.size()));
    for (const CachedTask &task : kernel.tasks) {
        w.number(task.key);
        w.number(task.weight);
        w.text(task.binary.target);
        w.blob(task.binary.code);
        w.number(task.binary.range);
    }
    return std::move(w.bytes);
}

std::unique_ptr<CachedKernel> parse(std::span<const uint8_t> bytes) {
    Reader r(bytes);
    auto kernel = std::make_unique<CachedKernel>();
    kernel->name = r.text();
    kernel->version = r.number<LibraryVersion>();
    kernel->tasks.resize(r.count());
    for (CachedTask &task : kernel->tasks) {
        task.key = r.number<CacheKey>();
        task.weight = r.number<abi::Weight>();
        task.binary.target = r.text();
        const auto code = r.blob();
        task.binary.code.assign(code.begin(), code.end());
        task.binary.range = r.number<abi::Range>();
    }
    return r.at_end() ? std::move(kernel) : nullptr;
}

/// Remembers for one second that a cache folder was within its limits, since programs that use no kernels may start and end in quick
/// succession.
class LastCheck {
  public:
    bool was_within_limits(const std::string &path, const CacheLimits &limits) {
        const std::lock_guard guard(lock_);
        return path == path_ && limits == limits_ && nanoseconds_now() - at_ < second;
    }
    void keep(const std::string &path, const CacheLimits &limits) {
        const std::lock_guard guard(lock_);
        path_ = path;
        limits_ = limits;
        at_ = nanoseconds_now();
    }

  private:
    ForkLockedMutex lock_;
    std::string path_;
    CacheLimits limits_;
    uint64_t at_ = 0;
} last_check;

std::string entry_name(const KernelKey &name, EntryPlace place) {
    if (place == EntryPlace::fast) return to_hex(name) + ".cache.txt";
    return to_hex(CacheKey{name[0], name[1]}, ".qdr");
}

} // namespace

std::string default_cache_folder() {
    const char *base = std::getenv("XDG_CACHE_HOME");
    if (base && *base == '/') return std::string(base) + "/quadrants/qdcache";
    const char *home = std::getenv("HOME");
    return home && *home ? std::string(home) + "/.cache/quadrants/qdcache" : std::string();
}

const CachedTask *CachedKernel::find(const CacheKey &task) const {
    const auto at = std::ranges::find(tasks, task, &CachedTask::key);
    return at == tasks.end() ? nullptr : &*at;
}

DiskCache::DiskCache(CacheSettings settings, std::function<void(const std::string &)> warn)
    : caches_kernels_(settings.caches_kernels), limits_(settings.limits),
      kernels_("kernel_compilation_manager", trust_), unpublished_("unpublished_kernels", trust_),
      entries_("records", trust_), fast_("python_side_cache", trust_) {
    trust_.root = std::move(settings.path);
    trust_.key = std::move(settings.key);
    trust_.warn = std::move(warn);
}

bool DiskCache::is_empty() const { return !kernels_.has(CacheListing::file_name) && !unpublished_.is_there(); }

std::unique_ptr<CachedKernel> DiskCache::load_kernel(const KernelKey &key) {
    if (!caches_kernels_) return nullptr;
    const std::string name = file_of(key);
    auto bytes = kernels_.load(name, kernel_file);
    const bool published = bytes.has_value();
    if (!bytes) bytes = unpublished_.load(name, kernel_file);
    std::unique_ptr<CachedKernel> kernel = bytes ? parse(*bytes) : nullptr;
    if (kernel) kernel->published = published;
    return kernel;
}

void DiskCache::find_tasks() {
    CacheListing listing;
    listing.load(kernels_);
    std::vector<std::pair<CacheKey, KernelKey>> found;
    for (const auto &[key, kernel] : listing.kernels)
        for (const CacheKey &task : kernel.tasks) found.emplace_back(task, key);
    for (const FolderEntry &entry : unpublished_.list()) {
        const auto key = kernel_key_of(entry.name);
        const auto bytes = key ? unpublished_.load(entry.name, kernel_file) : std::nullopt;
        const auto kernel = bytes ? parse(*bytes) : nullptr;
        if (!kernel) continue;
        for (const CachedTask &task : kernel->tasks) found.emplace_back(task.key, *key);
    }
    const std::lock_guard guard(lock_);
    for (const auto &[task, kernel] : found) where_.emplace(task, kernel);
    looked_ = true;
}

std::optional<CachedTask> DiskCache::load_task(const CacheKey &key) {
    if (!caches_kernels_) return {};
    std::optional<KernelKey> kernel;
    std::shared_ptr<const CachedKernel> file;
    for (int attempt = 0; attempt < 2 && !kernel; attempt++) {
        bool looked;
        {
            const std::lock_guard guard(lock_);
            if (const auto made = made_.find(key); made != made_.end()) return made->second;
            if (const auto at = where_.find(key); at != where_.end()) kernel = at->second;
            if (kernel && last_.second && last_.first == *kernel) file = last_.second;
            looked = looked_;
        }
        if (kernel || looked) break;
        find_tasks();
    }
    if (kernel && !file) {
        file = load_kernel(*kernel);
        const std::lock_guard guard(lock_);
        last_ = {*kernel, file};
    }
    const CachedTask *task = file ? file->find(key) : nullptr;
    if (!task && kernel) { // published incomplete, by a program that ended early; another program may have completed it
        const auto bytes = unpublished_.load(file_of(*kernel), kernel_file);
        file = bytes ? parse(*bytes) : nullptr;
        task = file ? file->find(key) : nullptr;
    }
    return task ? std::optional(*task) : std::nullopt;
}

void DiskCache::keep_task(const CacheKey &key, abi::Weight weight, const abi::Binary &binary) {
    if (!caches_kernels_ || !trust_.writable) return;
    std::vector<KernelKey> waiting;
    {
        const std::lock_guard guard(lock_);
        made_[key] = {key, weight, binary};
        for (const auto &[kernel, used] : used_)
            if (used.waits && std::ranges::count(used.tasks, key)) waiting.push_back(kernel);
    }
    for (const KernelKey &kernel : waiting) collect(kernel, false);
}

void DiskCache::use_kernel(const KernelKey &key, const std::string &name, const std::vector<CacheKey> &tasks,
                           const CachedKernel *found) {
    if (!caches_kernels_) return;
    const bool whole =
        found && std::ranges::all_of(tasks, [&](const CacheKey &task) { return found->find(task) != nullptr; });
    {
        const std::lock_guard guard(lock_);
        const auto [at, is_new] = used_.try_emplace(key);
        if (!is_new) return;
        at->second = {name, tasks, !whole, whole && !found->published};
        settled_ = false;
    }
    if (!whole) collect(key, false);
}

void DiskCache::use_helper(const KernelKey &key, const std::string &name) {
    if (!caches_kernels_) return;
    const std::lock_guard guard(lock_);
    if (used_.try_emplace(key, Used{name, {}, false, false, true}).second) settled_ = false;
}

/// Writes the file of a kernel if the code of all its tasks is available. `partly`: also if some is missing.
bool DiskCache::collect(const KernelKey &key, bool partly) {
    CachedKernel kernel;
    std::vector<CacheKey> elsewhere;
    size_t tasks = 0;
    {
        const std::lock_guard guard(lock_);
        const Used &used = used_[key];
        kernel.name = used.name;
        kernel.version = library_version;
        tasks = std::set(used.tasks.begin(), used.tasks.end()).size();
        for (const CacheKey &task : used.tasks) {
            if (kernel.find(task) || std::ranges::count(elsewhere, task)) continue;
            if (const auto made = made_.find(task); made != made_.end())
                kernel.tasks.push_back(made->second);
            else if (where_.contains(task) || partly)
                elsewhere.push_back(task);
            else
                return false;
        }
    }
    for (const CacheKey &task : elsewhere) {
        if (auto found = load_task(task))
            kernel.tasks.push_back(std::move(*found));
        else if (!partly)
            return false;
    }
    const bool stored = unpublished_.store(file_of(key), kernel_file, serialise(kernel));
    const std::lock_guard guard(lock_);
    if (!stored) {
        made_.clear();
        return false;
    }
    Used &used = used_[key];
    used.waits = kernel.tasks.size() < tasks;
    used.unpublished = true;
    settled_ = false;
    if (last_.first == key) last_ = {};
    for (const CachedTask &task : kernel.tasks) {
        where_[task.key] = key;
        made_.erase(task.key);
    }
    return true;
}

bool DiskCache::take_lock() {
    for (int attempt = 0; attempt < lock_attempts; attempt++) {
        if (attempt) usleep(lock_pause);
        const int error = kernels_.create(lock_name, lock_text());
        if (error == 0) return true;
        if (error != EEXIST) return false; // a read-only folder
        remove_abandoned_lock(kernels_, lock_name);
    }
    trust_.warn_once("Lock " + kernels_.path() + "/" + lock_name +
                     " failed. Please run 'python -m quadrants.cache unlock -p " + trust_.root +
                     "' and try again. What was compiled stays in " + unpublished_.path());
    return false;
}

/// Completes entries of the listing that only have a key, from the files of their kernels.
void DiskCache::describe_unlisted(CacheListing &listing) const {
    for (auto &[key, listed] : listing.kernels) {
        if (!listed.name.empty()) continue;
        std::string problem;
        const auto bytes = kernels_.examine(file_of(key), kernel_file, problem);
        const auto kernel = bytes ? parse(*bytes) : nullptr;
        if (!kernel) continue;
        listed.name = kernel->name;
        listed.version = kernel->version;
        for (const CachedTask &task : kernel->tasks) listed.tasks.push_back(task.key);
    }
}

/// Removes the kernels that exceed the limits. If the listing was unreadable, removes all kernels that this program does not use, unless
/// cleaning is off.
void DiskCache::clean_up(CacheListing &listing, bool readable, const std::map<KernelKey, Used> &used) const {
    std::vector<KernelKey> surplus;
    if (readable)
        surplus = listing.surplus(limits_, library_version);
    else if (limits_.cleaning != Cleaning::never)
        for (const auto &[key, kernel] : listing.kernels)
            if (!used.contains(key)) surplus.push_back(key);
    for (const KernelKey &key : surplus) {
        kernels_.remove(file_of(key));
        listing.kernels.erase(key);
    }
}

bool DiskCache::needs_publishing(const CacheListing &listing, std::map<KernelKey, Used> &used) const {
    bool needed = false;
    const uint64_t now = nanoseconds_now();
    for (auto &[key, one] : used) {
        const auto listed = listing.kernels.find(key);
        if (one.helper && listed == listing.kernels.end()) one.unpublished = true;
        needed |= one.unpublished || (listed != listing.kernels.end() && listed->second.used + second < now);
    }
    return needed;
}

/// Settles what is known now; a kernel that another thread uses during the glance unsettles it again.
bool DiskCache::has_nothing_to_do() {
    bool unused;
    {
        const std::lock_guard guard(lock_);
        if (std::exchange(settled_, true)) return true;
        const auto is_still = [](const auto &entry) {
            return !entry.second.waits && !entry.second.unpublished && !entry.second.helper;
        };
        if (!std::ranges::all_of(used_, is_still)) return false;
        unused = used_.empty();
    }
    return limits_.cleaning != Cleaning::version && glance_is_enough(unused);
}

/// True if there is nothing to publish or remove, as far as the header of the listing shows: the folder is within its limits, and either no
/// kernel was used or the listing was written within the last second.
bool DiskCache::glance_is_enough(bool unused) const {
    if (unused && last_check.was_within_limits(trust_.root, limits_)) return true;
    uint64_t bytes, written;
    if (!CacheListing::glance(kernels_, &bytes, &written)) return unused && !kernels_.is_there();
    const bool has_room = limits_.cleaning == Cleaning::never || bytes < limits_.max_bytes;
    if (has_room) last_check.keep(trust_.root, limits_);
    return has_room && (unused || !is_long_ago(written, 1));
}

std::map<KernelKey, DiskCache::Used> DiskCache::settle() {
    std::vector<KernelKey> waiting;
    {
        const std::lock_guard guard(lock_);
        for (const auto &[key, one] : used_)
            if (one.waits) waiting.push_back(key);
    }
    for (const KernelKey &key : waiting) collect(key, true);
    const std::lock_guard guard(lock_);
    settled_ = true;
    return used_;
}

void DiskCache::publish() {
    clean_up_records();
    if (has_nothing_to_do()) return;
    std::map<KernelKey, Used> used = settle();
    CacheListing listing;
    const bool readable = listing.load(kernels_);
    const bool needed = needs_publishing(listing, used);
    if (!needed && readable && listing.surplus(limits_, library_version).empty()) return;
    if (!needed && !readable && limits_.cleaning == Cleaning::never) return;
    if (!trust_.writable || !take_lock()) return;
    change_listing(used);
    kernels_.remove(lock_name);
    unpublished_.sweep();
    unpublished_.remove_folder();
    const std::lock_guard guard(lock_);
    for (auto &[key, one] : used_)
        if (used.contains(key)) one.unpublished = false;
}

/// Moves the kernels of this program and abandoned ones into the shared folder, and updates the listing. Called with the file lock held.
void DiskCache::change_listing(const std::map<KernelKey, Used> &used) const {
    CacheListing listing;
    const bool readable = listing.load(kernels_);
    listing.follow(kernels_);
    describe_unlisted(listing);
    clean_up(listing, readable, used);
    for (const auto &[key, one] : used) {
        if (!one.unpublished) continue;
        if (one.helper) unpublished_.store(file_of(key), kernel_file, serialise({one.name, library_version, {}}));
        unpublished_.move_to(kernels_, file_of(key));
    }
    for (const FolderEntry &entry : unpublished_.list())
        if (kernel_key_of(entry.name) && is_long_ago(entry.changed, abandoned_after))
            unpublished_.move_to(kernels_, entry.name);
    listing.follow(kernels_);
    const uint64_t now = nanoseconds_now();
    for (const auto &[key, one] : used) {
        const auto at = listing.kernels.find(key);
        if (at == listing.kernels.end()) continue;
        ListedKernel &kernel = at->second;
        kernel.used = now;
        if (!one.unpublished) continue;
        kernel.created = now;
        kernel.name = one.name;
        kernel.tasks = one.tasks;
        kernel.version = library_version;
    }
    describe_unlisted(listing);
    listing.store(kernels_);
}

std::optional<std::vector<uint8_t>> DiskCache::load_entry(const KernelKey &name, EntryPlace place) {
    const bool fast = place == EntryPlace::fast;
    const std::string file = entry_name(name, place);
    auto bytes = (fast ? fast_ : entries_).load(file, record_file, !fast);
    if (bytes) note_entry(name, place);
    return bytes;
}

void DiskCache::store_entry(const KernelKey &name, std::span<const uint8_t> bytes, EntryPlace place) {
    const bool fast = place == EntryPlace::fast;
    const std::string file = entry_name(name, place);
    (fast ? fast_ : entries_).store(file, record_file, bytes);
    note_entry(name, place);
    if (!fast) recorded_.store(true, std::memory_order_relaxed);
}

void DiskCache::note_entry(const KernelKey &name, EntryPlace place) {
    const std::lock_guard guard(lock_);
    used_entries_.emplace_back(name, place);
}

std::vector<CacheFile> DiskCache::files(bool content) {
    std::vector<CacheFile> all;
    std::set<std::string> records;
    {
        const std::lock_guard guard(lock_);
        for (const auto &[name, place] : used_entries_) records.insert(entry_name(name, place));
    }
    for (const CacheFolder *folder : {&kernels_, &unpublished_, &entries_, &fast_}) {
        const bool code = folder == &kernels_ || folder == &unpublished_;
        for (FolderEntry &entry : folder->list()) {
            const auto key = kernel_key_of(entry.name);
            if (code ? !key : !entry.name.ends_with(".qdr") && !entry.name.ends_with(".cache.txt")) continue;
            CacheFile file{folder->name(), std::move(entry)};
            auto bytes = folder->examine(file.entry.name, code ? kernel_file : record_file, file.problem);
            const auto kernel = bytes && code ? parse(*bytes) : nullptr;
            if (kernel) file.kernel = kernel->name;
            if (bytes && content && !code) file.content = std::move(*bytes);
            const std::lock_guard guard(lock_);
            file.used = code ? used_.contains(*key) : records.contains(file.entry.name);
            all.push_back(std::move(file));
        }
    }
    return all;
}

bool DiskCache::has_entry(const KernelKey &name, EntryPlace place) const {
    return bool(
        (place == EntryPlace::fast ? fast_ : entries_).load(entry_name(name, place), record_file)); // a complete one
}

/// Removes a fraction of the cache entries, the least recently used, once they exceed the size limit that applies to kernels.
void DiskCache::clean_up_records() {
    if (!recorded_.exchange(false) || limits_.cleaning == Cleaning::never || limits_.cleaning == Cleaning::version)
        return;
    std::vector<FolderEntry> entries = entries_.list();
    uint64_t total = 0;
    for (const FolderEntry &entry : entries) total += entry.bytes;
    if (total < limits_.max_bytes) return;
    std::ranges::sort(entries, {}, [](const FolderEntry &entry) { return std::pair(entry.changed, entry.name); });
    entries.resize(size_t(std::floor(std::clamp(limits_.factor, 0.0, 1.0) * double(entries.size()))));
    for (const FolderEntry &entry : entries) entries_.remove(entry.name);
    entries_.sweep();
}

} // namespace qd::runtime
