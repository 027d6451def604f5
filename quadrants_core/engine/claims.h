#pragma once
// Programs that share a cache on disk can agree which of them compiles a kernel. The others wait until its code is on disk.
#include "engine/build_task.h"
#include "runtime/lock_file.h"

#include <memory>
#include <vector>

namespace qd::engine {

/// Claims a kernel that this program is about to compile. Returns null at once if compilations are not shared (share_compilations.h).
/// Otherwise waits while another program compiles the kernel, and removes from `missing` the tasks whose code it then finds on disk. `kept`
/// becomes the file in which they are. The claim must exist until the code of all tasks is on disk.
std::shared_ptr<const runtime::KernelClaim> claim_kernel(Compiler &c, const runtime::KernelKey &key,
                                                         std::vector<TaskBuild *> &missing,
                                                         std::unique_ptr<runtime::CachedKernel> &kept);

} // namespace qd::engine
