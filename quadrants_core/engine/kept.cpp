// Data that a program stores on disk besides its kernels: records, and usage counts of helpers.
#include "base/bytes.h"
#include "engine/program_impl.h"

namespace qd::engine {
namespace {

runtime::KernelKey key_of(const Program::Impl &p, std::span<const uint8_t> name) {
    const uint64_t words[] = {hash_bytes(name, 9), hash_bytes(name, 10), p.build_key[0], p.build_key[1]};
    return spread({reinterpret_cast<const uint8_t *>(words), sizeof words});
}

runtime::EntryPlace place_of(bool fast) { return fast ? runtime::EntryPlace::fast : runtime::EntryPlace::own; }

} // namespace

uint64_t Program::code_options() const { return impl_->code_options; }

bool Program::caches_entries(bool fast) const {
    return impl_->disk && (fast || impl_->disk->caches_kernels()) && !impl_->dumps() && !impl_->options.verify;
}

std::vector<uint8_t> Program::load_entry(std::span<const uint8_t> name, bool fast) const {
    if (!caches_entries(fast)) return {};
    return impl_->disk->load_entry(key_of(*impl_, name), place_of(fast)).value_or(std::vector<uint8_t>());
}

void Program::store_entry(std::span<const uint8_t> name, std::span<const uint8_t> bytes, bool fast) {
    if (caches_entries(fast)) impl_->disk->store_entry(key_of(*impl_, name), bytes, place_of(fast));
}

bool Program::has_entry(std::span<const uint8_t> name, bool fast) const {
    return caches_entries(fast) && impl_->disk->has_entry(key_of(*impl_, name), place_of(fast));
}

void Program::use_helper(const std::string &name, std::string_view description, const std::string &shown_as) {
    const runtime::KernelKey key = key_of(*impl_, as_bytes(description));
    if (impl_->options.show_compiling && !(impl_->disk && impl_->disk->load_kernel(key)))
        print_compiling(*impl_, shown_as);
    if (impl_->disk) impl_->disk->use_helper(key, name);
}

void Program::publish() {
    if (impl_->disk) impl_->disk->publish();
}

std::vector<CachedFile> Program::kept_files(bool content) const {
    std::vector<CachedFile> files;
    if (!impl_->disk) return files;
    for (runtime::CacheFile &file : impl_->disk->files(content))
        files.push_back({std::move(file.folder), std::move(file.entry.name), std::move(file.kernel),
                         std::move(file.problem), file.entry.bytes, file.entry.changed, file.used,
                         std::move(file.content)});
    return files;
}

} // namespace qd::engine
