#pragma once
// A SPIR-V module in the making: its sections, ids, and the types and constants that it shares. It knows SPIR-V, and nothing of the IR.
#include "codegen/spirv/capabilities.h"

#include <array>
#include <initializer_list>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include <spirv/unified1/spirv.hpp11>

namespace qd::codegen::spirv {

using Id = uint32_t; ///< 0: none
using Words = std::initializer_list<uint32_t>;

class Module {
  public:
    /// The sections in their order. locals, entry and code are those of the only function: its variables, what is computed once at its
    /// start, and the rest.
    enum class Part : uint8_t {
        capabilities,
        extensions,
        imports,
        memory_model,
        entry_points,
        modes,
        names,
        decorations,
        globals,
        locals,
        entry,
        code,
        count
    };

    Module();

    Id fresh() { return next_++; }
    Id main() const { return main_; } ///< the function
    Id entry_label() const { return entry_label_; }
    void declare(Capability c);
    void declare(spv::Capability c);

    // Instructions. `op` has a result.
    void put(Part part, spv::Op op, std::span<const uint32_t> operands);
    void put(Part part, spv::Op op, Words operands) {
        put(part, op, std::span<const uint32_t>(operands.begin(), operands.size()));
    }
    Id op(Part part, spv::Op op, Id type, std::span<const uint32_t> operands);
    Id op(Part part, spv::Op code, Id type, Words operands) {
        return op(part, code, type, std::span<const uint32_t>(operands.begin(), operands.size()));
    }
    /// An instruction of GLSL.std.450.
    Id extended(Part part, uint32_t number, Id type, Words operands);
    void decorate(Id id, spv::Decoration decoration, Words operands = {});
    void decorate_member(Id id, uint32_t member, spv::Decoration decoration, Words operands = {});

    // Types and constants, each made once.
    Id type_void() { return shared(spv::Op::OpTypeVoid, {}, 0); }
    Id type_bool() { return shared(spv::Op::OpTypeBool, {}, 0); }
    Id type_int(unsigned bits) { return shared(spv::Op::OpTypeInt, std::array{uint32_t(bits), 0u}, 0); }
    Id type_float(unsigned bits) { return shared(spv::Op::OpTypeFloat, std::array{uint32_t(bits)}, 0); }
    Id type_vector(Id element, uint32_t n) { return shared(spv::Op::OpTypeVector, std::array{element, n}, 0); }
    Id type_array(Id element, uint32_t n);
    Id type_struct(std::span<const uint32_t> members) { return shared(spv::Op::OpTypeStruct, members, 0); }
    Id type_pointer(spv::StorageClass where, Id to) {
        return shared(spv::Op::OpTypePointer, std::array{uint32_t(where), to}, 0);
    }
    Id boolean(bool value) {
        return shared(value ? spv::Op::OpConstantTrue : spv::Op::OpConstantFalse, {}, type_bool());
    }
    /// A number of `bits` bits, of an integer or float type.
    Id constant(Id type, unsigned bits, uint64_t value);
    Id u32(uint32_t value) { return constant(type_int(32), 32, value); }
    Id composite(Id type, std::span<const uint32_t> members) {
        return shared(spv::Op::OpConstantComposite, members, type);
    }
    Id null(Id type) { return shared(spv::Op::OpConstantNull, {}, type); }

    /// A variable of the module. `initial`: 0 for none.
    Id global(spv::StorageClass where, Id to, Id initial = 0);
    Id local(Id to);

    /// Completes the module: its only entry point is a compute shader `main`.
    std::vector<uint32_t> finish();

  private:
    Id shared(spv::Op op, std::span<const uint32_t> operands, Id type);
    std::vector<uint32_t> &words(Part part) { return parts_[size_t(part)]; }

    std::array<std::vector<uint32_t>, size_t(Part::count)> parts_;
    std::map<std::vector<uint32_t>, Id> shared_; ///< by opcode, type and operands
    std::vector<bool> declared_;                 ///< by Capability
    std::vector<Id> interface_;                  ///< the variables of the module
    Id next_ = 1;
    Id main_, entry_label_, glsl_ = 0;
    bool memory_model_ = false;
};

/// A string as operands: its bytes with a zero at the end, in whole words.
std::vector<uint32_t> string_words(std::string_view text);

} // namespace qd::codegen::spirv
