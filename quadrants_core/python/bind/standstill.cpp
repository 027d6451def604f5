#include "python/bind/standstill.h"

#include "python/bind/interrupt.h"
#include "python/bind/state.h"

#include "base/fork.h"

namespace qd::bind {
namespace {

PyObject *teller = nullptr; // guarded by the GIL
const ForkHooks hooks(nullptr, nullptr, [] {
    teller = nullptr;
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

bool at_standstill(PyObject *work) {
    Py_INCREF(work);
    if (Py_AddPendingCall(run, work) == 0) return true;
    Py_DECREF(work);
    return false;
}

void tell_launches(PyObject *tell) {
    PyObject *before = teller;
    teller = tell == Py_None ? nullptr : Py_NewRef(tell);
    watch_launches(teller != nullptr);
    Py_XDECREF(before);
}

bool told_launch() {
    if (!teller) return true;
    PyObject *told = Py_NewRef(teller);
    PyObject *done = PyObject_CallNoArgs(told);
    Py_DECREF(told);
    Py_XDECREF(done);
    return done != nullptr;
}

} // namespace qd::bind
