#pragma once
// Arrays of the host for a kernel whose device does not see the host's memory: they are copied to the device before the
// launch, and what the kernel writes is copied back. Arrays that share memory there share it here.
#include "python/bind/plan.h"

namespace qd::bind {

class Staged {
  public:
    /// `slots` hold addresses of the host for the parameters that `arrays` names, and those of the device from now on.
    Staged(const Arrays &arrays, uint64_t *slots);
    Staged(const Staged &) = delete;
    ~Staged();
    /// There is no memory, say: an error is set.
    bool failed() const { return failed_; }
    /// After a launch: waits for it if arrays are to come back, so that its errors are those of its call. False with an error
    /// set.
    bool settled() const;
    /// After the launch, whether it failed or not; false with an error set.
    bool bring_back() const;

  private:
    /// Memory of the host without gaps, in which arrays lie.
    struct Stretch {
        uint64_t begin, end;
        bool written;
        qd::runtime::Buffer memory; ///< on the device
    };
    std::shared_ptr<engine::Program> program_;
    std::vector<Stretch> stretches_;
    bool failed_ = false;
};

} // namespace qd::bind
