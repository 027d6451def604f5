#pragma once
// Reads the line table of DWARF 4 that code generation writes.
#include <cstdint>
#include <span>

namespace qd::backends {

/// The line of the row that covers `address`; 0 if there is none, or the table is not one. Any input is safe.
uint32_t find_line(std::span<const uint8_t> table, uint64_t address);

} // namespace qd::backends
