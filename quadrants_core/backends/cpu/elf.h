#pragma once
// Loads a relocatable ELF object for x86-64, which code generation writes, into executable memory, in tens of microseconds and
// without LLVM. Any input is safe: truncated or altered bytes give an error, not a crash.
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
    /// Returns the address of a global function, null if there is none of that name.
    void *symbol(std::string_view name) const;
    /// Returns the bytes from a global constant to the end of the mapping; empty if there is none of that name.
    std::span<const uint8_t> constants(std::string_view name) const;
    /// The pages that hold code, as mapped.
    std::span<const uint8_t> code() const { return {static_cast<const uint8_t *>(memory_), code_bytes_}; }

  private:
    friend class ElfLoader;
    void *memory_;
    size_t bytes_, code_bytes_ = 0;
    std::optional<runtime::GuardedCode> guarded_;
    std::vector<std::pair<std::string, void *>> symbols_; ///< a task has few
};

/// Returns null and a message in `error` if the object cannot be loaded.
std::unique_ptr<MappedCode> load_elf(std::span<const uint8_t> object, std::string *error);

/// Returns a function that machine code may call: of libm, or one that code generation uses of libc and libgcc. Null if not allowed.
const void *external_function(std::string_view name);

} // namespace qd::backends
