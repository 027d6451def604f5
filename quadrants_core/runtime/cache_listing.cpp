#include "runtime/cache_listing.h"

#include "base/bytes.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

namespace qd::runtime {
namespace {

constexpr FileKind listing_file = {{'Q', 'D', 'L', 'I', 'S', 'T', '\r', '\n'}};

/// The two digits of every byte.
constexpr auto digits_of_bytes = [] {
    std::array<std::array<char, 2>, 256> all{};
    for (size_t i = 0; i < all.size(); i++) all[i] = {"0123456789abcdef"[i >> 4], "0123456789abcdef"[i & 15]};
    return all;
}();

template <class Words>
std::string hex_of(const Words &words, std::string_view before = "", std::string_view after = "") {
    const size_t size = 16 * words.size();
    std::string out(before.size() + size + after.size(), '0');
    char *at = std::ranges::copy(before, out.data()).out;
    std::ranges::copy(after, at + size);
    for (const uint64_t word : words)
        for (int shift = 56; shift >= 0; shift -= 8, at += 2)
            std::memcpy(at, digits_of_bytes[word >> shift & 255].data(), 2);
    return out;
}

} // namespace

std::string to_hex(const CacheKey &key, std::string_view suffix) { return hex_of(key, "", suffix); }
std::string to_hex(const KernelKey &key) { return hex_of(key); }

std::string file_of(const KernelKey &key) { return hex_of(key, "T", kernel_suffix); }

std::optional<KernelKey> kernel_key_of(std::string_view name) {
    if (name.size() != 69 || name[0] != 'T' || !name.ends_with(kernel_suffix)) return {};
    KernelKey key{};
    for (size_t i = 0; i < 64; i++) {
        const char c = name[i + 1];
        const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
        if (digit < 0) return {};
        key[i / 16] = key[i / 16] << 4 | uint64_t(digit);
    }
    return key;
}

bool CacheListing::load(const CacheFolder &folder) {
    kernels.clear();
    std::string problem;
    const auto bytes = folder.examine(file_name, listing_file, problem);
    if (!bytes) return problem.empty();
    Reader r(*bytes);
    r.number<uint64_t>(); // for `glance`
    for (size_t count = r.count(); count > 0 && r.ok; count--) {
        ListedKernel kernel;
        kernel.key = r.number<KernelKey>();
        kernel.name = r.text();
        kernel.bytes = r.number<uint64_t>();
        kernel.created = r.number<uint64_t>();
        kernel.used = r.number<uint64_t>();
        kernel.version = r.number<LibraryVersion>();
        kernel.tasks = r.array<CacheKey>();
        kernels.emplace(kernel.key, std::move(kernel));
    }
    if (r.at_end()) return true;
    kernels.clear();
    return false;
}

bool CacheListing::glance(const CacheFolder &folder, uint64_t *bytes, uint64_t *written) {
    return folder.glance(file_name, listing_file, {reinterpret_cast<uint8_t *>(bytes), sizeof *bytes}, written);
}

bool CacheListing::store(const CacheFolder &folder) const {
    if (kernels.empty()) {
        folder.remove(file_name);
        return true;
    }
    Writer w;
    w.number(bytes());
    w.number(uint64_t(kernels.size()));
    for (const auto &[key, kernel] : kernels) {
        w.number(key);
        w.text(kernel.name);
        w.number(kernel.bytes);
        w.number(kernel.created);
        w.number(kernel.used);
        w.number(kernel.version);
        w.array(kernel.tasks);
    }
    return folder.store(file_name, listing_file, w.bytes);
}

void CacheListing::follow(const CacheFolder &folder) {
    std::set<KernelKey> present;
    for (const FolderEntry &entry : folder.list()) {
        const auto key = kernel_key_of(entry.name);
        if (!key) continue;
        present.insert(*key);
        const auto [at, is_new] = kernels.try_emplace(*key);
        ListedKernel &kernel = at->second;
        kernel.bytes = entry.bytes;
        if (!is_new) continue;
        kernel.key = *key;
        kernel.created = kernel.used = entry.changed;
    }
    std::erase_if(kernels, [&](const auto &entry) { return !present.contains(entry.first); });
}

uint64_t CacheListing::bytes() const {
    uint64_t total = 0;
    for (const auto &[key, kernel] : kernels) total += kernel.bytes;
    return total;
}

std::vector<KernelKey> CacheListing::surplus(const CacheLimits &limits, const LibraryVersion &own) const {
    std::vector<const ListedKernel *> order;
    const auto is_foreign = [&](const ListedKernel &kernel) { return kernel.version != own; };
    for (const auto &[key, kernel] : kernels)
        if (limits.cleaning != Cleaning::version || is_foreign(kernel)) order.push_back(&kernel);
    if (limits.cleaning == Cleaning::lru || limits.cleaning == Cleaning::fifo) {
        if (bytes() < limits.max_bytes) return {};
        // After a clock was set back, times in the future count as now.
        const uint64_t now = nanoseconds_now();
        const auto rank = [&](const ListedKernel *kernel) {
            const uint64_t time = limits.cleaning == Cleaning::lru ? kernel->used : kernel->created;
            return std::tuple(!is_foreign(*kernel), std::min(time, now), kernel->created, kernel->key);
        };
        std::ranges::sort(order, {}, rank);
        order.resize(size_t(std::floor(std::clamp(limits.factor, 0.0, 1.0) * double(order.size()))));
    } else if (limits.cleaning == Cleaning::never) {
        order.clear();
    }
    std::vector<KernelKey> keys;
    for (const ListedKernel *kernel : order) keys.push_back(kernel->key);
    return keys;
}

} // namespace qd::runtime
