#pragma once
// State shared by the bindings: the one Program behind qd.init and the options that the frontend reads. `generation` grows with every
// init and reset; objects store theirs, so that an object that outlives its Program is inert and raises an error.
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
    Options options;                ///< current options, used by the next compilation
    bool coverage = false;          ///< kernels compiled from now on get coverage counters
    bool host_visible = true;       ///< the host can access the program's memory
    bool kernels_in_python = false; ///< arch=qd.python: nothing is compiled
    bool checks_python = true;      ///< ...but kernels are rejected if they could not be compiled
    engine::CoverageKind coverage_kind = engine::CoverageKind::counts;
    std::vector<std::string> shown; ///< forms in which kernels are shown when they are compiled: see show_forms
    PyObject *options_source =
        nullptr;                   ///< value from which the options were computed; null if they may have changed since
    PyObject *compiling = nullptr; ///< the KernelInfo of the kernel that is being compiled, borrowed
    std::chrono::steady_clock::time_point compiling_since;
    std::atomic<int> active_launches = 0; ///< launches that are running, from any thread
    uint64_t elements_written = 0;        ///< by indexing fields and arrays in Python
};
extern Runtime runtime;

/// Returns the Program, or null with a Python error that says to call qd.init.
engine::Program *need_program();

/// While it exists, Python code that this thread runs is called by the compiler, once for all launches, and may not read or write fields
/// or arrays.
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

/// Returns false with an error set where code may not access the memory of fields and arrays; `what` names the method.
bool may_touch_memory(const char *what);

/// Returns a new reference to an attribute of a module of the package, or null with the Python error set.
PyObject *package_attr(const char *module, const char *name);

/// Creates a Program with the current options. Both functions return false with an error set if Ctrl-C came while they waited for
/// launches; the previous program has ended all the same.
bool create_program();
bool destroy_program();
/// At the end of the process, GIL held: ends launches that no thread waits for, as Ctrl-C would.
void stop_launches();

} // namespace qd::bind
