#pragma once
// Programs that share a cache on disk can agree which of them compiles a kernel. The others wait until its code is on disk.
#include "engine/build_task.h"

#include <memory>
#include <vector>

namespace qd::engine {

/// The claim of a kernel by the program that compiles it. It ends with this object, unless `outlives` is set: then it ends when the code of
/// the last task is on disk.
class Claim {
  public:
    /// Returns at once if compilations are not shared. Otherwise waits while another program compiles the kernel, and removes from `missing`
    /// the tasks whose code it then finds on disk. `kept` becomes the file in which they are.
    Claim(Compiler &compiler, const runtime::KernelKey &key, std::vector<TaskBuild *> &missing,
          std::unique_ptr<runtime::CachedKernel> &kept);
    ~Claim();
    Claim(const Claim &) = delete;

    bool outlives = false;

  private:
    Compiler &compiler_;
    const runtime::KernelKey key_;
    bool owned_ = false;
};

} // namespace qd::engine
