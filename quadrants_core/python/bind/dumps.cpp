#include "python/bind/dumps.h"

#include "engine/compiler.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "python/bind/errors.h"
#include "python/bind/plan.h"

#include <algorithm>

namespace qd::bind {
namespace {

PyObject *call_package(const char *function, const char *format, auto... args) {
    PyObject *found = package_attr("quadrants._dumps", function);
    PyObject *done = found ? PyObject_CallFunction(found, format, args...) : nullptr;
    Py_XDECREF(found);
    if (!done) throw frontend::PythonError{};
    return done;
}

std::string form_of(engine::Program &program, const ir::Function &kernel, const frontend::Source &source,
                    const std::string &form) {
    if (form == "syntax") return syntax::dump(source.tree, true);
    if (form == "frontend") return ir::print(kernel, {.spans = runtime.options.print_ir_dbg_info});
    return program.compiler().show(kernel, form_named(form));
}

/// True if the edited kernel may replace the original: places, messages and files are tables of the whole kernel, and arguments are
/// passed as the original expects.
bool fits(const ir::Function &edited, const ir::Function &kernel) {
    const auto types = [](const ir::Function &fn) {
        std::vector<ir::Type> all;
        for (const ir::Value p : fn.params) all.push_back(fn.type(p));
        return all;
    };
    const auto is_its_own = [&](const ir::Place &place) {
        return place == ir::Place() || std::ranges::any_of(kernel.places, [&](const ir::Place &own) {
                   return own.tree == place.tree && own.levels == place.levels &&
                          own.byte_offset == place.byte_offset && own.elem == place.elem && own.level == place.level;
               });
    };
    return edited.role == ir::Role::kernel && types(edited) == types(kernel) && edited.returns == kernel.returns &&
           edited.ret_bytes == kernel.ret_bytes && edited.counters.empty() && kernel.counters.empty() &&
           edited.subgraphs == kernel.subgraphs && std::ranges::all_of(edited.places, is_its_own);
}

[[noreturn]] void refuse(const std::string &file, const std::string &why) {
    fail_user(UserErrorKind::runtime, "QD_LOAD_IR cannot use " + file + ": " + why, {},
              "remove the file, or write it again with QD_DUMP_IR=1");
}

} // namespace

void show_forms(const ir::Function &kernel, const frontend::Source &source) {
    const std::shared_ptr<engine::Program> program = runtime.program;
    const std::vector<std::string> shown = runtime.shown; // showing runs Python code, which may change both
    if (!program || (shown.empty() && !runtime.options.load_ir)) return;
    Py_DECREF(call_package("begin", "s", kernel.name.c_str()));
    for (const std::string &form : shown)
        Py_DECREF(call_package("show", "sss", kernel.name.c_str(), form.c_str(),
                               form_of(*program, kernel, source, form).c_str()));
}

void take_edited(ir::Function &kernel) {
    if (!runtime.options.load_ir) return;
    PyObject *found = call_package("edited", "");
    const char *file = nullptr, *text = nullptr;
    std::string path, held;
    if (found != Py_None && PyArg_ParseTuple(found, "ss", &file, &text)) {
        path = file;
        held = text;
    }
    Py_DECREF(found);
    if (PyErr_Occurred()) throw frontend::PythonError{};
    if (path.empty()) return;
    ir::ParseResult read = ir::parse(held);
    if (read.error)
        refuse(path, "line " + std::to_string(read.error->line) + ", column " + std::to_string(read.error->column) +
                         ": " + read.error->message);
    if (read.functions.size() != 1) refuse(path, "it holds " + std::to_string(read.functions.size()) + " functions");
    ir::Function &edited = read.functions.front();
    if (const auto problems = ir::verify(edited); !problems.empty())
        refuse(path, "the IR is malformed\n" + ir::explain(edited, problems));
    if (!fits(edited, kernel)) refuse(path, "it belongs to a kernel with other arguments, results or fields");
    edited.name = kernel.name;
    edited.files = kernel.files;
    edited.scopes = kernel.scopes;
    kernel = std::move(edited);
}

} // namespace qd::bind
