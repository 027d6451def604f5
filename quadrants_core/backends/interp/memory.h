#pragma once
// The memory that a thread accesses: checks of addresses, and the memory that the function makes itself.
#include "ir/eval.h"
#include "ir/function.h"

#include <cstdint>
#include <vector>

namespace qd::backends::interpreter {

using namespace ir;

inline uint64_t number_of(const void *p) { return uint64_t(reinterpret_cast<uintptr_t>(p)); }
inline char *at_address(uint64_t number) { return reinterpret_cast<char *>(uintptr_t(number)); }

class Memory {
  public:
    /// `around`: the memory that encloses this one, which must outlive it: that of the block of threads, or of the code around a loop.
    explicit Memory(const Function &fn, const Memory *around = nullptr);

    // These throw runtime::Fault if the bytes cannot be accessed.
    uint64_t read(uint64_t address, Scalar type);
    void write(uint64_t address, Constant v);
    /// Throws runtime::Fault if an access leaves its local, table or shared memory, whose size is known. Pointers that passed through
    /// control flow are not checked.
    void check_bounds(Value pointer, uint64_t address, uint64_t bytes, bool writes) const;

    /// Makes the memory of a `local`, or of a thread that is a block of its own, zeroed, in place of what the instruction made before. Returns its address.
    uint64_t make(Value v);
    /// Makes the memory of a `shared`, with this value in each byte, unless that was done before.
    uint64_t make_once(Value v, uint8_t byte);
    /// Returns the address of a table, which is made at its first use.
    uint64_t table(Value v);

  private:
    void check_accessible(uint64_t address, uint64_t bytes, bool writes);
    std::vector<uint64_t> &made(Value v);
    const std::vector<uint64_t> *find(Value v) const;

    const Function &fn_;
    const Memory *around_;
    std::vector<std::vector<uint64_t>> made_; ///< by instruction; empty before the first
    uint64_t known_pages_[2][16] = {};        ///< readable and writable pages; page 0 has no memory
};

} // namespace qd::backends::interpreter
