#pragma once
// The surroundings of a task's code: the record of its launch, whose address is a push constant, its range, and its thread.
#include "codegen/spirv/task_code.h"

#include <map>

namespace qd::codegen::spirv {

class Frame {
  public:
    explicit Frame(TaskCode &code) : code_(code), module_(code.module) {}

    /// Declares the threads of a block.
    void begin();
    /// Returns the address (u64) in the record's word at a byte of abi::Launch.
    Id word(size_t offset);
    /// Returns the address in the word at a byte of memory that another word points to.
    Id word_through(size_t offset, size_t inner);
    /// Returns a slot of an argument, as u64.
    Id slot(uint32_t index);
    uint32_t slot_of(Value param) const;
    /// Returns a scalar argument.
    Id argument(Value param);
    Id extent(Value array, uint32_t axis); ///< i32
    /// chunk_begin, chunk_end or chunk_step.
    Id range(Op op);
    Id index_in_grid(); ///< u32

    // As u32.
    Id thread_in_block() { return first(spv::BuiltIn::LocalInvocationId); }
    Id block_index() { return first(spv::BuiltIn::WorkgroupId); }
    Id block_threads() const { return threads_; }
    Id lane();

  private:
    /// The first component of a builtin vector of u32.
    Id first(spv::BuiltIn builtin);
    Id pushed(uint32_t member);
    Id load_word(Id address);
    Id at_byte(Id address, size_t byte);
    bool is_range() const { return code_.fn.role == ir::Role::range_task; }

    TaskCode &code_;
    Module &module_;
    Id threads_ = 0; ///< of a block
    Id push_constants_ = 0;
    std::map<uint32_t, Id> pushed_, builtins_, slots_;
    std::map<size_t, Id> words_;
    std::map<std::pair<size_t, size_t>, Id> inner_words_;
};

} // namespace qd::codegen::spirv
