#include "python/bind/pending_call.h"

#include "python/bind/interrupt.h"
#include "python/bind/state.h"

#include "base/fork.h"

namespace qd::bind {
namespace {

PyObject *launch_observer = nullptr; // guarded by the GIL
const ForkHooks hooks(nullptr, nullptr, [] {
    launch_observer = nullptr;
    watch_launches(false);
}); // the reference leaks in the child, which has no observer

int run(void *given) {
    PyObject *work = static_cast<PyObject *>(given);
    const bool still = runtime.compiling == nullptr && !main_thread_launches();
    PyObject *done = PyObject_CallOneArg(work, still ? Py_True : Py_False);
    Py_DECREF(work);
    Py_XDECREF(done);
    return done ? 0 : -1;
}

} // namespace

bool add_pending_call(PyObject *work) {
    Py_INCREF(work);
    if (Py_AddPendingCall(run, work) == 0) return true;
    Py_DECREF(work);
    return false;
}

void observe_launches(PyObject *tell) {
    PyObject *before = launch_observer;
    launch_observer = tell == Py_None ? nullptr : Py_NewRef(tell);
    watch_launches(launch_observer != nullptr);
    Py_XDECREF(before);
}

bool report_launch() {
    if (!launch_observer) return true;
    PyObject *called = Py_NewRef(launch_observer);
    PyObject *done = PyObject_CallNoArgs(called);
    Py_DECREF(called);
    Py_XDECREF(done);
    return done != nullptr;
}

} // namespace qd::bind
