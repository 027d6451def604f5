#pragma once
// Memory of the device for the bindings: looked at where the host can, fetched and sent where it cannot.
#include "python/bind/errors.h"
#include "python/bind/interrupt.h"
#include "python/bind/state.h"

#include <string>

namespace qd::bind {

/// Does `work(program)` without the GIL, and throws what it throws when the GIL is held again.
template <class Work> void without_gil(engine::Program &program, const Work &work) {
    std::exception_ptr failure;
    Py_BEGIN_ALLOW_THREADS;
    try {
        work(program);
    } catch (...) {
        failure = std::current_exception();
    }
    Py_END_ALLOW_THREADS;
    if (failure) std::rethrow_exception(failure);
}

/// Does `work(program)` without the GIL; None, or null with an error set. Where kernels may have to be waited for, Ctrl-C ends
/// them.
template <class F> PyObject *done_unlocked(F &&work) {
    const std::shared_ptr<engine::Program> program = bind::runtime.program;
    if (!need_program()) return nullptr;
    const auto run = [&] { without_gil(*program, work); };
    bool done = true;
    if (program->host_visible()) {
        try {
            run();
        } catch (...) {
            raise_current_exception();
            done = false;
        }
    } else {
        done = interruptible(run);
    }
    if (!done) return nullptr;
    Py_RETURN_NONE;
}

/// False with an error set.
inline bool upload(const qd::runtime::Buffer &to, uint64_t at, const void *from, uint64_t bytes) {
    PyObject *done = done_unlocked([&](engine::Program &program) { program.upload(to, at, from, bytes); });
    Py_XDECREF(done);
    return done != nullptr;
}

/// `bytes` of a buffer from byte `at` on, to be read.
class HostBytes {
  public:
    HostBytes(const qd::runtime::Buffer &buffer, uint64_t at, uint64_t bytes) {
        if (buffer.host) [[likely]] {
            data_ = buffer.host + at;
            return;
        }
        fetched_.resize(bytes);
        PyObject *done =
            done_unlocked([&](engine::Program &program) { program.download(fetched_.data(), buffer, at, bytes); });
        if (done) data_ = fetched_.data();
        Py_XDECREF(done);
    }
    /// Null with an error set.
    const char *data() const { return data_; }

  private:
    const char *data_ = nullptr;
    std::string fetched_;
};

} // namespace qd::bind
