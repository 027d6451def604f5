#pragma once
// Emits addresses, loads and stores.
//
// Global memory has addresses of 64 bits. Memory of a thread, of a block, and constants are variables without addresses: a pointer into
// one is known by its object and the number of an element.
#include "codegen/spirv/frame.h"
#include "codegen/spirv/task_code.h"

namespace qd::codegen::spirv {

class MemoryCode {
  public:
    MemoryCode(TaskCode &code, Frame &frame);

    void address(Value v);
    void load(Value v);
    void store(Value v);
    void volatile_load(Value v);
    void fence(ir::FenceScope scope);
    void barrier(spv::Scope which); ///< of the lanes of a group, or the threads of a block

    /// A pointer as SPIR-V has it, and the type behind it.
    struct Place {
        Id pointer;
        Id type;         ///< in memory
        bool as_integer; ///< a float is stored as its bits
        spv::StorageClass where;
    };
    /// Returns the place of a number of type `elem`. `as_integer`: if it can be chosen.
    Place place(Value pointer, Scalar elem, bool as_integer);
    Id load_from(const Place &place, Scalar elem);
    void store_to(const Place &place, Scalar elem, Id value);
    /// True if no other thread stores to the memory.
    bool is_private(Value pointer) const {
        return fn_.type(pointer).space == ir::Space::private_ || fn_.type(pointer).space == ir::Space::constant;
    }

    /// The operands of an atomic: scope and semantics (spv::MemorySemanticsMask).
    Id scope_of(Value pointer);
    Id semantics(spv::MemorySemanticsMask order);
    /// The same for an atomic, which may be in a branch.
    Id atomic_semantics(spv::MemorySemanticsMask order);

  private:
    struct Object {
        Id variable = 0;
        Scalar elem = Scalar::none;
        bool as_integer = false;
        spv::StorageClass where{};
    };
    /// A pointer into an object: elements from its start, or bytes if the element is not known.
    struct Inside {
        Value object;
        Id index = 0; ///< u32; 0: the first element
        bool in_bytes = false;
    };

    Id in_buffer(size_t word, uint64_t bytes);
    void offset(Value v);
    void make_object(Value v, spv::StorageClass where, Scalar elem, uint64_t size);
    void make_table(Value v);
    Id element_type(const Object &object);
    Id index_of(const Inside &inside, Scalar elem);
    Place global_place(Value pointer, Scalar elem, bool as_integer);
    /// Memory operands of an access to a place.
    std::vector<uint32_t> operands(const Place &place, Scalar elem, bool reads, bool is_volatile);
    Id load_plain(const Place &place, Scalar elem, bool is_volatile);
    Id scope(spv::Scope scope);
    void find_float_updates();
    Id to_u32(Id wide) { return code_.op(spv::Op::OpUConvert, code_.integer(32), {wide}); }

    TaskCode &code_;
    const ir::Function &fn_;
    Frame &frame_;
    std::map<uint32_t, Object> objects_; ///< by Value id
    std::map<uint32_t, Inside> inside_;  ///< by Value id of a pointer
    std::map<uint64_t, Id> tables_;      ///< by number
    std::vector<bool> float_updates_;    ///< by Value id: an object that atomics of floats update as floats
};

} // namespace qd::codegen::spirv
