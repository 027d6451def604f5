#include "python/bind/state.h"

#include "engine/device_memory.h"
#include "engine/kept_code.h"
#include "engine/observers.h"
#include "base/stop.h"
#include "python/bind/errors.h"
#include "python/bind/field.h"
#include "python/bind/interrupt.h"
#include "python/bind/observe.h"

#include <chrono>
#include <thread>

namespace qd::bind {

Runtime runtime;

engine::Program *need_program() {
    if (runtime.program) return runtime.program.get();
    raise(ErrorClass::runtime, "Quadrants is not initialised: call qd.init() first");
    return nullptr;
}

thread_local bool CalledByCompiler::here_ = false;

bool may_touch_memory(const char *what) {
    if (!CalledByCompiler::here()) [[likely]]
        return true;
    raise(ErrorClass::compilation,
          std::string(what) +
              " cannot be called in Quadrants-scope: Python code that a kernel calls runs once, when the kernel is "
              "compiled.\nHint: pass the value as an argument, or decorate the function with @qd.func");
    return false;
}

PyObject *package_attr(const char *module, const char *name) {
    PyObject *m = PyImport_ImportModule(module);
    if (!m) return nullptr;
    PyObject *found = PyObject_GetAttrString(m, name);
    Py_DECREF(m);
    return found;
}

bool create_program() {
    if (!destroy_program()) return false;
    auto program = std::make_shared<engine::Program>(runtime.options);
    program->observers().subscribe(observer());
    runtime.host_visible = program->memory().host_visible();
    runtime.program = std::move(program);
    runtime.generation++;
    watch_interrupts();
    return true;
}

bool destroy_program() {
    if (!runtime.program) return true;
    std::shared_ptr<engine::Program> last = std::move(runtime.program);
    runtime.program = nullptr;
    runtime.generation++;
    forget_places();
    {
        const InterruptScope scope; // earlier launches may never end
        Py_BEGIN_ALLOW_THREADS;
        while (runtime.active_launches.load() > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        last->kept_code().publish(); // while its warnings still have an observer
        last->observers().unsubscribe(observer());
        last.reset();
        Py_END_ALLOW_THREADS;
    }
    flush_output();
    return settle_interrupt(true);
}

void stop_launches() {
    if (runtime.active_launches.load() == 0) return;
    Py_BEGIN_ALLOW_THREADS;
    end_threads_silently();
    while (runtime.active_launches.load() > 0) {
        request_stop(); // again, because a thread that leaves clears it
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    clear_stop();
    Py_END_ALLOW_THREADS;
}

} // namespace qd::bind
