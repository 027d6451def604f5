// Memory that the script shares: a memfd that is sealed against shrinking, so that reads never fault.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace qd::inspector {

class Memory {
  public:
    // Takes ownership of the descriptor, and closes it in any case. Throws Garbled.
    Memory(int descriptor, std::uint64_t bytes);
    Memory(const Memory &) = delete;
    Memory &operator=(const Memory &) = delete;
    ~Memory();

    std::span<std::byte> bytes() const { return bytes_; }

  private:
    std::span<std::byte> bytes_;
};

} // namespace qd::inspector
