#pragma once
// A compiled kernel as bytes: the results of compile(), so that a later process needs neither its IR nor the passes.
#include "engine/build_task.h"

#include <span>

namespace qd::engine {

/// `builds` are the kernel's tasks, once they have code. The image only names the code, which is stored under the kernel's key.
std::vector<uint8_t> image_of(const CompiledKernel &kernel, const CompileReport &report,
                              const std::vector<TaskBuild> &builds);

/// The kernel of an image; null if the image is incomplete or the code of a task is not available.
std::shared_ptr<CompiledKernel> load_image(Compiler &c, std::span<const uint8_t> image, double before_us);

} // namespace qd::engine
