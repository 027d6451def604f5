#pragma once
// Translates a task in legal IR into a SPIR-V module: the words of a compute shader `main` for Vulkan 1.2, version 1.5 of SPIR-V.
//
// Legal means: the role is serial_task or range_task, and the IR holds nothing that a pass of the backend removes
// (`legalize` in backends/spirv/target.cpp). docs/design/spirv.md describes the module.
#include "codegen/spirv/capabilities.h"
#include "ir/function.h"

#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace qd::codegen::spirv {

/// Thrown if a task cannot be compiled: it is not legal, or needs something that the device lacks.
struct Refused : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The words that a launch gives a task, as push constants.
struct Pushed {
    uint64_t record;    ///< address of abi::Launch, with the arguments behind it
    int64_t begin, end; ///< the range
};

/// The specialisation constant that sets the threads of a block in x, of a range task. A serial task has one thread.
inline constexpr uint32_t block_constant = 0;
inline constexpr uint32_t usual_block = 128;

/// `lanes`: of a subgroup; 0 if the task uses none.
std::vector<uint32_t> emit(const ir::Function &task, const Capabilities &has, uint32_t lanes);

/// Returns the instructions as text, one a line.
std::string text(std::span<const uint32_t> words);

} // namespace qd::codegen::spirv
