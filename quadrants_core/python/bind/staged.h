#pragma once
// Host arrays for a kernel whose device cannot access host memory: they are copied to the device before the launch, and what the kernel
// writes is copied back. Arrays that share memory on the host share it on the device.
#include "python/bind/plan.h"

namespace qd::bind {

class Staged {
  public:
    /// Replaces the host addresses in `slots`, for the parameters in `arrays`, by device addresses.
    Staged(const Arrays &arrays, uint64_t *slots);
    Staged(const Staged &) = delete;
    ~Staged();
    /// True if this failed, for lack of memory for instance; an error is set.
    bool failed() const { return failed_; }
    /// After a launch: waits for it if arrays are to be copied back, so that its errors are raised by its call. Returns false with an error
    /// set.
    bool settled() const;
    /// Copies back after the launch, even if it failed; returns false with an error set.
    bool bring_back() const;

  private:
    /// A contiguous range of host memory that contains arrays.
    struct Stretch {
        uint64_t begin, end;
        bool written;
        qd::runtime::Buffer memory; ///< its copy on the device
    };
    std::shared_ptr<engine::Program> program_;
    std::vector<Stretch> stretches_;
    bool failed_ = false;
};

} // namespace qd::bind
