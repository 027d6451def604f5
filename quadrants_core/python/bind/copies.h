#pragma once
// numpy arrays in Fortran order are passed to kernels as copies in C order; what the kernel writes is copied back. A copy that is only
// read has the values of the array at the time of the call. An array that is written must not share memory with any other argument or
// field of the kernel, unless it is the same array passed again, which uses the same copy.
#include "python/bind/plan.h"

namespace qd::bind {

class Copies {
  public:
    Copies(const KernelObject *kernel, PyObject *const *args);
    Copies(const Copies &) = delete;
    ~Copies();
    /// True if a copy could not be made, for lack of memory for instance; an error is set.
    bool failed() const { return failed_; }
    /// The arguments of the call, with arrays replaced by their copies.
    PyObject *const *args() const { return changed_.data(); }
    /// Checks the arguments before the launch; returns false with an error set.
    bool may_run(const Plan &plan, const uint64_t *slots) const;
    /// Copies back after the launch, even if it failed; returns false with an error set.
    bool write_back(const Plan &plan) const;

  private:
    struct Copy {
        size_t argument;
        NumpyArray *original; ///< borrowed from the caller
        PyObject *made;       ///< owned
    };
    std::vector<PyObject *> changed_;
    std::vector<Copy> copies_;
    bool failed_ = false;
};

} // namespace qd::bind
