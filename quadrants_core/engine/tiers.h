#pragma once
// Tasks that run quickly compiled code are optimised in the background.
#include "engine/compiled_kernel.h"
#include "engine/lowering.h"
#include "runtime/disk_cache.h"
#include "runtime/lock_file.h"

namespace qd::engine {

/// Smaller tasks are optimised at once: compiling twice gains nothing.
inline constexpr size_t tier_from_size = 300;
/// Vector code takes several times as long to compile per instruction as scalar code. From this size of the scalar code on, scalar code
/// stands in until the vector code is ready; a launch in progress then switches to it.
inline constexpr size_t stand_in_from_size = 64;

/// A task that runs quickly compiled code and is to be optimised; the result is swapped in and stored on disk.
struct OptimiseJob {
    ir::Function legal; ///< the input of emit()
    abi::Task info;
    runtime::CacheKey key;
    Lowering lowering;
    std::shared_ptr<TaskCode> code;
    std::shared_ptr<Lifetime> lifetime;
    std::shared_ptr<runtime::DiskCache> disk;
};

/// Keeps the claim of the kernel, which may be null, until the code is on disk.
void optimise_later(OptimiseJob job, std::shared_ptr<const runtime::KernelClaim> claim);

} // namespace qd::engine
