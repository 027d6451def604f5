#pragma once
// Reads the DWARF 4 line table that code generation writes.
#include <cstdint>
#include <span>

namespace qd::backends {

/// Returns the line of the row that covers `address`; 0 if there is none, or the bytes are not a line table. Any input is safe.
uint32_t find_line(std::span<const uint8_t> table, uint64_t address);

} // namespace qd::backends
