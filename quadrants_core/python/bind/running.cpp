#include "python/bind/running.h"

#include "base/fork.h"
#include "python/bind/observe.h"
#include "python/bind/state.h"

#include <chrono>
#include <string>
#include <vector>

namespace qd::bind {
namespace {

using Clock = std::chrono::steady_clock;

RunningLaunch *newest = nullptr; // guarded by the GIL, like all here
uint64_t made = 0;
const ForkHooks hooks(nullptr, nullptr, [] { newest = nullptr; });

double seconds_of(uint64_t span) {
    static const uint64_t first = ticks();
    static const Clock::time_point then = Clock::now();
    const double seconds = std::chrono::duration<double>(Clock::now() - then).count();
    const uint64_t passed = ticks() - first;
    if (seconds < 1e-3) return double(span) / (1e6 * ticks_in_microsecond); // too early for a calibration
    return double(span) * seconds / double(passed);
}
[[maybe_unused]] const double begun = seconds_of(0);

} // namespace

RunningLaunch::RunningLaunch(const engine::CompiledKernel &code, KernelObject *kernel)
    : code(code), number(++made), before(newest), kernel_(kernel), began_(ticks()) {
    if (before) before->after = this;
    newest = this;
    if (runtime.active_launches++ == 0) set_output_may_lock(true);
}

RunningLaunch::~RunningLaunch() {
    if (--runtime.active_launches == 0) set_output_may_lock(false);
    (after ? after->before : newest) = before;
    if (before) before->after = after;
    if (!kernel_) return;
    kernel_->newest_launch = number;
    kernel_->newest_ticks = ticks() - began_;
}

PyObject *running_launches() {
    struct Row {
        std::string kernel;
        uint32_t specialisation;
        uint64_t number;
    };
    std::vector<Row> rows; // filled first, because launches may end while Python objects are created
    for (const RunningLaunch *one = newest; one; one = one->before)
        rows.push_back({engine::kernel_info(one->code).name, engine::kernel_specialisation(one->code), one->number});
    PyObject *all = PyList_New(0);
    for (const Row &one : rows) {
        if (!all) break;
        PyObject *row =
            Py_BuildValue("(sIK)", one.kernel.c_str(), one.specialisation, static_cast<unsigned long long>(one.number));
        if (!row || PyList_Append(all, row) != 0) Py_CLEAR(all);
        Py_XDECREF(row);
    }
    return all;
}

uint64_t launches_made() { return made; }

PyObject *newest_launch(PyObject *o, PyObject *) {
    const KernelObject *kernel = reinterpret_cast<KernelObject *>(o);
    return Py_BuildValue("(Kd)", static_cast<unsigned long long>(kernel->newest_launch),
                         seconds_of(kernel->newest_ticks));
}

} // namespace qd::bind
