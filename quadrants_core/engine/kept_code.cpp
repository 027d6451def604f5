#include "engine/kept_code.h"

#include "base/bytes.h"
#include "engine/program.h"

#include <mutex>

namespace qd::engine {
namespace {

runtime::EntryPlace place_of(bool fast) { return fast ? runtime::EntryPlace::fast : runtime::EntryPlace::own; }

runtime::CacheLimits cache_limits(const Options &options) {
    runtime::CacheLimits limits;
    limits.max_bytes = options.offline_cache_max_size_of_files;
    limits.factor = options.offline_cache_cleaning_factor;
    limits.cleaning = runtime::cleaning_of(options.offline_cache_cleaning_policy);
    return limits;
}

/// The background thread may warn after the program has ended.
std::shared_ptr<runtime::DiskCache> open_cache(const Options &options, const std::shared_ptr<Lifetime> &lifetime) {
    const std::string &folder = options.offline_cache_file_path;
    if (folder.empty()) return nullptr;
    return std::make_shared<runtime::DiskCache>(
        runtime::CacheSettings{folder, options.offline_cache, cache_limits(options), options.cache_key},
        [life = std::weak_ptr(lifetime)](const std::string &text) {
            const auto alive = life.lock();
            if (!alive) return;
            const std::lock_guard guard(alive->lock);
            if (alive->program) alive->program->observers().warn(text);
        });
}

} // namespace

KeptCode::KeptCode(const Options &options, const runtime::CacheKey &build_key, Observers &observers,
                   const std::shared_ptr<Lifetime> &lifetime)
    : observers_(observers), build_key_(build_key), verifies_(options.verify), prints_passes_(!options.dump.empty()),
      dumps_(options.print_ir || prints_passes_), disk_(open_cache(options, lifetime)) {}

KeptCode::~KeptCode() { publish(); }

void KeptCode::follow(const Options &now) { dumps_ = now.print_ir || prints_passes_; }

std::shared_ptr<TaskCode> KeptCode::known_task(const runtime::CacheKey &key) const {
    const std::lock_guard guard(lock_);
    const auto known = tasks_.find(key);
    return known == tasks_.end() ? nullptr : known->second;
}

std::shared_ptr<TaskCode> KeptCode::keep_task(const runtime::CacheKey &key, std::shared_ptr<TaskCode> code) {
    const std::lock_guard guard(lock_);
    return tasks_.emplace(key, std::move(code)).first->second;
}

void KeptCode::unload() {
    for (auto &[key, code] : tasks_) code->unload();
}

runtime::KernelKey KeptCode::key_of(std::span<const uint8_t> name) const {
    const uint64_t words[] = {hash_bytes(name, 9), hash_bytes(name, 10), build_key_[0], build_key_[1]};
    return spread({reinterpret_cast<const uint8_t *>(words), sizeof words});
}

bool KeptCode::caches_entries(bool fast) const {
    return reads_disk() && (fast || disk_->caches_kernels()) && !verifies_;
}

std::vector<uint8_t> KeptCode::load_entry(std::span<const uint8_t> name, bool fast) const {
    if (!caches_entries(fast)) return {};
    return disk_->load_entry(key_of(name), place_of(fast)).value_or(std::vector<uint8_t>());
}

void KeptCode::store_entry(std::span<const uint8_t> name, std::span<const uint8_t> bytes, bool fast) {
    if (caches_entries(fast)) disk_->store_entry(key_of(name), bytes, place_of(fast));
}

bool KeptCode::has_entry(std::span<const uint8_t> name, bool fast) const {
    return caches_entries(fast) && disk_->has_entry(key_of(name), place_of(fast));
}

void KeptCode::use_helper(const std::string &name, std::string_view description, const std::string &shown_as) {
    const runtime::KernelKey key = key_of(as_bytes(description));
    if (observers_.see_compiling() && !(disk_ && disk_->load_kernel(key))) observers_.show_compiling(shown_as);
    if (disk_) disk_->use_helper(key, name);
}

void KeptCode::publish() {
    if (disk_) disk_->publish();
}

std::vector<CachedFile> KeptCode::files(bool content) const {
    std::vector<CachedFile> files;
    if (!disk_) return files;
    for (runtime::CacheFile &file : disk_->files(content))
        files.push_back({std::move(file.folder), std::move(file.entry.name), std::move(file.kernel),
                         std::move(file.problem), file.entry.bytes, file.entry.changed, file.used,
                         std::move(file.content)});
    return files;
}

} // namespace qd::engine
