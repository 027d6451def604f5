#pragma once
// What the bindings share: the one Program behind qd.init and the options that the frontend reads. `generation` grows
// with every init and reset; objects remember theirs, so that what outlives its Program is inert and says so.
#include <Python.h>

#include "engine/program.h"
#include "frontend/frontend.h"
#include "options/options.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace qd::bind {

struct Runtime {
    std::shared_ptr<engine::Program> program; ///< null before qd.init and after qd.reset
    uint64_t generation = 0;
    Options options;                ///< as they are now: what a kernel that is compiled goes by
    bool coverage = false;          ///< kernels that are compiled from now on are counted
    bool host_visible = true;       ///< what lies in the program's memory
    bool kernels_in_python = false; ///< arch=qd.python: nothing is compiled
    bool checks_python = true;      ///< ...but refused what compiled kernels may not do
    engine::Asked coverage_asked = engine::Asked::counts;
    std::vector<std::string> shown; ///< forms in which kernels are shown when they are compiled: see show_forms
    PyObject *told = nullptr;       ///< what the package made all this of; null: of what has changed since, or may have
    PyObject *compiling = nullptr;  ///< what qd.kernel keeps of the kernel that is being compiled, borrowed
    std::chrono::steady_clock::time_point compiling_since;
    std::atomic<int> active_launches = 0; ///< running now, from any thread
    uint64_t elements_written = 0;        ///< by indexing fields and arrays in Python
};
extern Runtime runtime;

/// The Program, or null with a Python error that says to call qd.init.
engine::Program *need_program();

/// While it lives, code of Python that this thread runs is called by the compiler, once for all launches: it reads and writes
/// no field or array.
class CalledByCompiler {
  public:
    explicit CalledByCompiler(bool is = true) : before_(std::exchange(here_, is)) {}
    ~CalledByCompiler() { here_ = before_; }
    CalledByCompiler(const CalledByCompiler &) = delete;
    static bool here() { return here_; }

  private:
    bool before_;
    static thread_local bool here_;
};

/// False with an error set where code may not touch the memory of fields and arrays; `what` names the method.
bool may_touch_memory(const char *what);

/// New reference to an attribute of a module of the package, or null with the Python error set.
PyObject *package_attr(const char *module, const char *name);

/// With the options as they are now. Both: false with an error set if Ctrl-C came while launches were waited for; the
/// program before is over all the same.
bool create_program();
bool destroy_program();
/// At the end of the process, GIL held: launches of threads that nobody waits for end as by Ctrl-C.
void stop_launches();

} // namespace qd::bind
