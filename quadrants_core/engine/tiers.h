#pragma once
// Optimising in the background: one thread of low priority for the whole process, there only while it has work.
#include "backends/backend.h"
#include "engine/compiled_kernel.h"
#include "runtime/disk_cache.h"

namespace qd::engine {

/// Smaller tasks are compiled well at once: there is nothing to gain from doing it twice.
inline constexpr size_t tier_from_size = 300;

/// A task that runs code compiled fast, to be compiled well, swapped in and kept on disk.
struct BackgroundJob {
    ir::Function legal; ///< what emit() takes
    abi::Task info;
    runtime::CacheKey key;
    const backends::Backend *backend = nullptr;
    backends::Caps caps;
    std::shared_ptr<TaskCode> code;
    std::shared_ptr<Lifetime> lifetime;
    std::shared_ptr<runtime::DiskCache> disk;
};

void optimise_later(BackgroundJob job);
/// Drops the jobs of a program that ends; one that is being compiled finishes on its own and changes nothing.
void forget_background(const Lifetime *lifetime);
/// Waits for the jobs of a program.
void finish_background(const Lifetime *lifetime);

} // namespace qd::engine
