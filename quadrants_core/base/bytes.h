#pragma once
// Serialises plain data for files that the same machine reads back: numbers in native byte order, text with its length.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace qd {

/// A fast hash of bytes; not secure against adversaries.
uint64_t hash_bytes(std::span<const uint8_t> bytes, uint64_t seed);
/// Four such hashes, used as a name for the bytes.
std::array<uint64_t, 4> spread(std::span<const uint8_t> bytes);
inline std::span<const uint8_t> as_bytes(std::string_view s) {
    return {reinterpret_cast<const uint8_t *>(s.data()), s.size()};
}

class Writer {
  public:
    std::vector<uint8_t> bytes;
    void raw(const void *p, size_t n) {
        const auto *b = static_cast<const uint8_t *>(p);
        if (bytes.capacity() - bytes.size() < n) bytes.reserve(std::max(2 * bytes.capacity(), bytes.size() + n + 256));
        bytes.insert(bytes.end(), b, b + n);
    }
    template <class T> void number(T value) {
        static_assert(std::is_trivially_copyable_v<T>);
        raw(&value, sizeof value);
    }
    void text(std::string_view s) {
        number(uint64_t(s.size()));
        raw(s.data(), s.size());
    }
    void blob(std::span<const uint8_t> b) {
        number(uint64_t(b.size()));
        raw(b.data(), b.size());
    }
    /// Writes a vector of plain elements.
    template <class T> void array(const std::vector<T> &list) {
        static_assert(std::is_trivially_copyable_v<T>);
        number(uint64_t(list.size()));
        raw(list.data(), list.size() * sizeof(T));
    }
};

/// Reads the output of Writer. Once the bytes run out, all values are zero and `ok` is false.
class Reader {
  public:
    explicit Reader(std::span<const uint8_t> bytes) : rest_(bytes) {}
    bool ok = true;
    template <class T> T number() {
        T value{};
        if (const auto from = take(sizeof value); ok) std::memcpy(&value, from.data(), sizeof value);
        return value;
    }
    std::span<const uint8_t> blob() { return take(number<uint64_t>()); }
    std::string_view view() {
        const auto b = blob();
        return {reinterpret_cast<const char *>(b.data()), b.size()};
    }
    std::string text() { return std::string(view()); }
    template <class T> std::vector<T> array() {
        const uint64_t count = number<uint64_t>();
        if (count > rest_.size() / sizeof(T)) ok = false;
        const auto from = take(ok ? count * sizeof(T) : 0);
        std::vector<T> list(from.size() / sizeof(T));
        if (!list.empty()) std::memcpy(list.data(), from.data(), from.size());
        return list;
    }
    /// Reads the length of a list whose entries take at least one byte each.
    size_t count() {
        const uint64_t n = number<uint64_t>();
        if (n > rest_.size()) ok = false;
        return ok ? size_t(n) : 0;
    }
    bool at_end() const { return ok && rest_.empty(); }

  private:
    std::span<const uint8_t> rest_;
    std::span<const uint8_t> take(uint64_t n) {
        if (n > rest_.size()) ok = false;
        if (!ok) return {};
        const auto taken = rest_.first(n);
        rest_ = rest_.subspan(n);
        return taken;
    }
};

} // namespace qd
