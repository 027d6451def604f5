#pragma once
// Tasks that run code compiled fast are compiled well in the background.
#include "engine/compiled_kernel.h"
#include "engine/lowering.h"
#include "runtime/disk_cache.h"

namespace qd::engine {

/// Smaller tasks are compiled well at once: there is nothing to gain from doing it twice.
inline constexpr size_t tier_from_size = 300;
/// Code on SIMD lanes takes several times as long to compile, an instruction, as scalar code: from this size of the
/// latter on, it stands in until the former is ready, which a launch under way then goes on with.
inline constexpr size_t stand_in_from_size = 64;

/// A task that runs code compiled fast, to be compiled well, swapped in and kept on disk.
struct OptimiseJob {
    ir::Function legal; ///< what emit() takes
    abi::Task info;
    runtime::CacheKey key;
    Lowering lowering;
    std::shared_ptr<TaskCode> code;
    std::shared_ptr<Lifetime> lifetime;
    std::shared_ptr<runtime::DiskCache> disk;
};

void optimise_later(OptimiseJob job);

} // namespace qd::engine
