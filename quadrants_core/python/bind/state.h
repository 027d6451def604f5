#pragma once
// What the bindings share: the one Program behind qd.init and the options that the frontend reads. `generation` grows
// with every init and reset; objects remember theirs, so that what outlives its Program is inert and says so.
#include <Python.h>

#include "engine/program.h"
#include "frontend/frontend.h"
#include "options/options.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
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
    std::vector<std::string> shown;       ///< forms in which kernels are shown when they are compiled: see show_forms
    PyObject *compiling = nullptr;        ///< what qd.kernel keeps of the kernel that is being compiled, borrowed
    std::atomic<int> active_launches = 0; ///< running now, from any thread
};
extern Runtime runtime;

/// The Program, or null with a Python error that says to call qd.init.
engine::Program *need_program();

/// New reference to an attribute of a module of the package, or null with the Python error set.
PyObject *package_attr(const char *module, const char *name);

/// With the options as they are now.
void create_program();
void destroy_program();

} // namespace qd::bind
