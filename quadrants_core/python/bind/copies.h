#pragma once
// numpy arrays in Fortran order go to kernels as copies in C order; what the kernel writes is copied back. A copy that
// is only read has the values that the array had at the call. One that is written must not share memory with anything
// else that the kernel is given, but for the same array again, which is the same copy then.
#include "python/bind/plan.h"

namespace qd::bind {

class Copies {
  public:
    Copies(const KernelObject *kernel, PyObject *const *args);
    Copies(const Copies &) = delete;
    ~Copies();
    /// An error is set: there is no memory, say.
    bool failed() const { return failed_; }
    /// The arguments of the call, with copies in their places.
    PyObject *const *args() const { return changed_.data(); }
    /// Before the launch; false with an error set.
    bool may_run(const Plan &plan, const uint64_t *slots) const;
    /// After the launch, whether it failed or not; false with an error set.
    bool write_back(const Plan &plan) const;

  private:
    struct Copy {
        size_t argument;
        NumpyArray *original; ///< the caller holds it
        PyObject *made;       ///< owned
    };
    std::vector<PyObject *> changed_;
    std::vector<Copy> copies_;
    bool failed_ = false;
};

} // namespace qd::bind
