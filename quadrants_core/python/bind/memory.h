#pragma once
// Access to device memory for the bindings: in place where the host can, by transfers where it cannot.
#include "engine/device_memory.h"
#include "python/bind/errors.h"
#include "python/bind/interrupt.h"
#include "python/bind/state.h"

#include <string>

namespace qd::bind {

/// Runs `work(program)` without the GIL, and rethrows its exception once the GIL is held again.
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

/// Runs `work(program)` without the GIL; returns None, or null with an error set. Where it may have to wait for kernels, Ctrl-C ends them.
template <class F> PyObject *done_unlocked(F &&work) {
    const std::shared_ptr<engine::Program> program = bind::runtime.program;
    if (!need_program()) return nullptr;
    const auto run = [&] { without_gil(*program, work); };
    bool done = true;
    if (program->memory().host_visible()) {
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

/// Returns false with an error set.
inline bool upload(const qd::runtime::Buffer &to, uint64_t at, const void *from, uint64_t bytes) {
    PyObject *done = done_unlocked([&](engine::Program &program) { program.memory().upload(to, at, from, bytes); });
    Py_XDECREF(done);
    return done != nullptr;
}

/// Read access to `bytes` bytes of a buffer, from byte `at` on.
class HostBytes {
  public:
    HostBytes(const qd::runtime::Buffer &buffer, uint64_t at, uint64_t bytes) {
        if (buffer.host) [[likely]] {
            data_ = buffer.host + at;
            return;
        }
        fetched_.resize(bytes);
        PyObject *done = done_unlocked(
            [&](engine::Program &program) { program.memory().download(fetched_.data(), buffer, at, bytes); });
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
