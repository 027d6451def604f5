#pragma once
// DLPack both ways: memory of arrays and fields for others to look at, and arrays of others as arguments of kernels.
#include "python/bind/state.h"

#include "frontend/py.h"
#include "ir/types.h"

namespace qd::bind {

/// True if a kernel may write to an array of another library.
enum class Access : uint8_t {
    writeable,
    read_only,
    unknown, ///< the library does not say
    copy     ///< the library made a copy, so nothing that is written would reach the array
};

/// An array in host memory that is not ours.
struct HostArray {
    static constexpr int most_dims = 16;
    char *data = nullptr;
    int ndim = 0;
    int64_t shape[most_dims];
    ir::Scalar elem = ir::Scalar::none; ///< none: of a type that kernels do not know
    bool contiguous = true;
    Access access = Access::writeable;
};

/// Whether `o` speaks the protocol (torch tensors, jax arrays, ...).
bool has_dlpack(PyObject *o);
/// Whether it is a tensor of a library that works out derivatives too, and is to have a gradient.
bool requires_gradient(PyObject *o);
/// A new reference to the gradient of such a tensor, which becomes zeros if it had none; null with an error set.
PyObject *gradient_of(PyObject *tensor);
/// Before a launch: of a tensor that was not computed from others. False with an error set.
bool provide_gradient(PyObject *tensor);
/// A capsule, which holds the memory that it describes. Giving it back may run code of Python, and keeps the error that is set.
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
/// False with an error set if it is not in host memory or refuses. The memory may be used as long as `memory` lives.
bool read_dlpack(PyObject *o, HostArray *out, Exported *memory);

/// dlpack_export(owner, address, shape, strides in elements, scalar, versioned) -> capsule that keeps the owner and the
/// running Program alive.
PyObject *export_dlpack(PyObject *module, PyObject *args);
/// hold_program() -> an object that keeps the running Program, and so its memory, alive
PyObject *hold_program(PyObject *module, PyObject *);

} // namespace qd::bind
