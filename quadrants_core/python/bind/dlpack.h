#pragma once
// DLPack in both directions: exports the memory of arrays and fields, and accepts arrays of other libraries as arguments of kernels.
#include "python/bind/state.h"

#include "frontend/py.h"
#include "ir/types.h"

namespace qd::bind {

/// True if a kernel may write to an array of another library.
enum class Access : uint8_t {
    writeable,
    read_only,
    unknown, ///< the library does not report it
    copy     ///< the library made a copy, so writes would not reach the array
};

/// An array of another library in host memory.
struct HostArray {
    static constexpr int max_tensor_dims = 16;
    char *data = nullptr;
    int ndim = 0;
    int64_t shape[max_tensor_dims];
    ir::Scalar elem = ir::Scalar::none; ///< none: a type that kernels do not support
    bool contiguous = true;
    Access access = Access::writeable;
};

/// True if `o` implements the protocol (torch tensors, jax arrays, ...).
bool has_dlpack(PyObject *o);
/// True for a tensor of a library with automatic differentiation that is to have a gradient.
bool requires_gradient(PyObject *o);
/// Returns a new reference to the gradient of such a tensor, which is set to zeros if it had none; null with an error set.
PyObject *gradient_of(PyObject *tensor);
/// Before a launch: makes sure that a leaf tensor, one not computed from others, has a gradient. Returns false with an error set.
bool provide_gradient(PyObject *tensor);
/// A capsule, which owns the memory that it describes. Releasing it may run Python code, and preserves the error that is set.
class Exported {
  public:
    Exported() = default;
    explicit Exported(frontend::PyRef capsule) : capsule_(std::move(capsule)) {}
    Exported(Exported &&) = default;
    Exported &operator=(Exported &&other) noexcept {
        std::swap(capsule_, other.capsule_);
        return *this;
    }
    ~Exported() {
        if (capsule_) give_back();
    }

  private:
    void give_back();
    frontend::PyRef capsule_;
};
/// Returns false with an error set if the array is not in host memory or its library refuses. The memory is valid as long as `memory`
/// lives.
bool read_dlpack(PyObject *o, HostArray *out, Exported *memory);

/// dlpack_export(owner, address, shape, strides in elements, scalar, versioned) -> capsule that keeps the owner and the running Program
/// alive
PyObject *export_dlpack(PyObject *module, PyObject *args);
/// hold_program() -> an object that keeps the running Program, and therefore its memory, alive
PyObject *hold_program(PyObject *module, PyObject *);

} // namespace qd::bind
