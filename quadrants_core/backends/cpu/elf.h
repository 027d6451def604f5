#pragma once
// Loads a relocatable ELF object of x86-64 (what code generation writes) into executable memory, in tens of
// microseconds and without LLVM. Any input is safe: truncated or altered bytes give an error, not a crash.
#include "runtime/faults.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace qd::backends {

/// Machine code in memory; unmapped when destroyed.
class MappedCode {
  public:
    MappedCode(void *memory, size_t bytes) : memory_(memory), bytes_(bytes) {}
    ~MappedCode();
    MappedCode(const MappedCode &) = delete;
    /// Address of a global function, null if there is none of that name.
    void *symbol(std::string_view name) const;
    /// What stands from a global constant to the end of all; empty if there is none of that name.
    std::span<const uint8_t> constants(std::string_view name) const;
    /// The pages that hold code, as they lie in memory.
    std::span<const uint8_t> code() const { return {static_cast<const uint8_t *>(memory_), code_bytes_}; }
    /// The line that the object's line table gives for the byte of the code at `offset`; 0: none.
    uint32_t line_at(uint64_t offset) const;

  private:
    friend class ElfLoader;
    void *memory_;
    size_t bytes_, code_bytes_ = 0;
    uint64_t text_at_ = 0; ///< where the section that the line table is about begins
    std::vector<uint8_t> line_table_;
    std::optional<runtime::GuardedCode> guarded_;
    std::vector<std::pair<std::string, void *>> symbols_; ///< a task has few
};

/// Null and a message in `error` if the object is not one that can be loaded.
std::unique_ptr<MappedCode> load_elf(std::span<const uint8_t> object, std::string *error);

/// The functions that machine code may call: libm and what code generation uses of libc and libgcc. Null if not
/// allowed.
const void *external_function(std::string_view name);

} // namespace qd::backends
