#pragma once
// A compiled kernel as bytes: what compile() found out, so that a later process needs neither its IR nor the passes.
#include "engine/build_task.h"

#include <span>

namespace qd::engine {

/// `builds` are the kernel's tasks, once they have code; their code is where the kernel's key says, and is named here.
std::vector<uint8_t> image_of(const CompiledKernel &kernel, const CompileReport &report,
                              const std::vector<TaskBuild> &builds);

/// The kernel of an image; null if the image is not whole or the code of a task cannot be had.
std::shared_ptr<CompiledKernel> load_image(Program::Impl &p, std::span<const uint8_t> image, double before_us);

} // namespace qd::engine
