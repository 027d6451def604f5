#include "interpreter.h"

#include "interrupt.h"
#include "fault_report.h"
#include "python_sources.h"

#include <pybind11/embed.h>
#include <unistd.h>

namespace qd::kernel {

namespace {
Interpreter *the_interpreter = nullptr;

Json error_content(const std::string &name, const std::string &value) {
    return {{"status", "error"}, {"ename", name}, {"evalue", value}, {"traceback", {name + ": " + value}}};
}
/// Returns the class name of an error without running code of the error, which could raise again: pybind11 would then ask the new error for
/// its text, and so on without end.
std::string name_of(const py::error_already_set &error) {
    return reinterpret_cast<PyTypeObject *>(error.type().ptr())->tp_name;
}
constexpr const char *internal = "this is a bug of the Quadrants kernel, not of your program";
} // namespace

Interpreter &interpreter_of_process() { return *the_interpreter; }

Interpreter::Interpreter(std::string connection_file)
    : xpyt::interpreter(false, true), connection_file_(std::move(connection_file)) {
    the_interpreter = this;
}

void Interpreter::attach(Server &server) {
    server_ = &server;
    server.set_handlers(this);
}

/// Replaces the initialisation of xeus-python, because IPython assigns attributes to its stream and display objects that these do not
/// allow.
void Interpreter::configure_impl() {
    register_publisher([this](const std::string &type, Json metadata, Json content, xeus::buffer_sequence buffers) {
        if (type == "execute_input") content["execution_count"] = next_;
        server_->iopub().publish_under({}, type, wire::text(metadata), wire::text(content), buffers);
    });
    m_release_gil = std::make_unique<py::gil_scoped_release>();
    py::gil_scoped_acquire gil;
    py::object modules = py::module_::import("sys").attr("modules");
    py::module_ builtins = py::module_::import("builtins");
    for (const auto &source : python_sources) {
        shell_module_ = py::module_::import("types").attr("ModuleType")(source.name);
        modules[source.name] = shell_module_;
        py::object code = builtins.attr("compile")(source.text, "<" + std::string(source.name) + ">", "exec");
        builtins.attr("exec")(code, shell_module_.attr("__dict__"));
    }
    m_ipython_shell_app = shell_module_.attr("start")();
    m_ipython_shell = m_ipython_shell_app.attr("shell");
    debugs_ = shell_module_.attr("debugs")().cast<bool>();
    interrupt::install();
}

Json Interpreter::call(const char *function, const Json &argument) {
    // Removes the trace function of a debugger that was attached between requests; see qd_debug.begin.
    if (debugged_) PyEval_SetTrace(nullptr, nullptr);
    py::str text = shell_module_.attr(function)(py::str(wire::text(argument)));
    return Json::parse(text.cast<std::string>());
}

Json Interpreter::guarded(const char *function, const Json &argument, const Json &otherwise) {
    interrupt::Request request; // user code such as properties and __repr__ may run
    if (server_->stopping()) return otherwise;
    py::gil_scoped_acquire gil;
    Json reply;
    try {
        reply = call(function, argument);
    } catch (const std::exception &) {
        reply = otherwise;
    }
    interrupt::allow(false);
    if (IoPub::in_forked_child()) _exit(0);
    return reply;
}

Json Interpreter::execute_request_impl(int, const std::string &code, bool silent, bool store_history,
                                       Json user_expressions, bool allow_stdin) {
    Json reply;
    {
        interrupt::Request request;
        if (server_->stopping()) return error_content("KeyboardInterrupt", "the kernel shuts down");
        server_->iopub().set_busy(true);
        fault_report::set_cell(next_, server_->iopub().parent().header);
        py::gil_scoped_acquire gil;
        try {
            const Json parent = server_->iopub().parent().message;
            const auto metadata = parent.find("metadata");
            reply = call("run", {{"code", code},
                                 {"cell_id", metadata == parent.end() ? Json() : metadata->value("cellId", Json())},
                                 {"silent", silent},
                                 {"store_history", store_history},
                                 {"user_expressions", std::move(user_expressions)},
                                 {"allow_stdin", allow_stdin}});
        } catch (const py::error_already_set &e) {
            const std::string name = name_of(e);
            reply = error_content(name, internal);
            publish_execution_error(name, internal, {name + ": " + internal});
        } catch (const std::exception &e) {
            reply = error_content("KernelError", e.what());
            publish_execution_error("KernelError", e.what(), {e.what()});
        }
        interrupt::allow(false);
        // A child made by fork that leaves its cell ends here: it has no sockets to reply on.
        if (IoPub::in_forked_child()) _exit(reply.value("status", "") == "ok" ? 0 : 1);
    }
    server_->iopub().set_busy(false);
    fault_report::set_cell(0);
    last_ = next_;
    next_ = reply.value("next_count", next_);
    reply.erase("next_count");
    return reply;
}

Json Interpreter::complete_request_impl(const std::string &code, int cursor) {
    return guarded("complete", {{"code", code}, {"cursor", cursor}},
                   {{"status", "ok"},
                    {"matches", Json::array()},
                    {"cursor_start", cursor},
                    {"cursor_end", cursor},
                    {"metadata", Json::object()}});
}

Json Interpreter::inspect_request_impl(const std::string &code, int cursor, int detail_level) {
    return guarded("inspect_at", {{"code", code}, {"cursor", cursor}, {"detail_level", detail_level}},
                   {{"status", "ok"}, {"found", false}, {"data", Json::object()}, {"metadata", Json::object()}});
}

Json Interpreter::is_complete_request_impl(const std::string &code) {
    return guarded("is_complete", {{"code", code}}, {{"status", "unknown"}});
}

/// Returns the links for the Help menu of front ends. `version`: of Python.
static Json help_links(const std::string &version) {
    const std::string minor = version.substr(0, version.find('.', version.find('.') + 1));
    Json links = Json::array();
    for (const auto &[name, url] : std::initializer_list<std::pair<const char *, std::string>>{
             {"Python", "https://docs.python.org/" + minor},
             {"IPython", "https://ipython.readthedocs.io/en/stable/"},
             {"NumPy", "https://numpy.org/doc/stable/reference/"},
             {"SciPy", "https://docs.scipy.org/doc/scipy/reference/"},
             {"Matplotlib", "https://matplotlib.org/stable/"},
             {"SymPy", "https://docs.sympy.org/latest/"},
             {"pandas", "https://pandas.pydata.org/docs/"},
         })
        links.push_back({{"text", std::string(name) + " Reference"}, {"url", url}});
    return links;
}

/// Must not use Python objects, because the control thread calls it while a cell is running.
Json Interpreter::kernel_info_request_impl() {
    std::string version = Py_GetVersion();
    version = version.substr(0, version.find(' '));
    return {{"status", "ok"},
            {"protocol_version", "5.3"},
            {"implementation", "xquadrants"},
            {"implementation_version", QD_VERSION},
            {"language_info",
             {{"name", "python"},
              {"version", version},
              {"mimetype", "text/x-python"},
              {"file_extension", ".py"},
              {"pygments_lexer", "ipython3"},
              {"nbconvert_exporter", "python"},
              {"codemirror_mode", {{"name", "ipython"}, {"version", 3}}}}},
            {"banner", "Quadrants " QD_VERSION ", Python " + version},
            {"debugger", debugs_},
            {"help_links", help_links(version)}};
}

// --- comms -----------------------------------------------------------------------------------------------------------

void Interpreter::comm_message(const wire::Message &message) {
    {
        interrupt::Request request;
        if (server_->stopping()) return;
        server_->iopub().set_busy(true);
        py::gil_scoped_acquire gil;
        try {
            py::list buffers;
            for (const wire::Buffer &b : message.buffers) buffers.append(py::bytes(b.data(), b.size()));
            Json text = {{"header", message.header},
                         {"parent_header", message.parent},
                         {"metadata", message.metadata},
                         {"content", message.content}};
            shell_module_.attr("comm_message")(message.type(), wire::text(text), buffers);
        } catch (const py::error_already_set &e) {
            server_->iopub().stream("stderr", name_of(e) + ": " + internal + "\n");
        } catch (const std::exception &e) {
            server_->iopub().stream("stderr", std::string(e.what()) + "\n");
        }
        interrupt::allow(false);
        if (IoPub::in_forked_child()) _exit(0);
    }
    server_->iopub().set_busy(false);
}

Json Interpreter::comm_info(const Json &content) {
    return guarded("comm_info", content, {{"status", "ok"}, {"comms", Json::object()}});
}

bool Interpreter::wait(int shell, int wake) {
    interrupt::Request request;
    if (server_->stopping()) return true;
    py::gil_scoped_acquire gil;
    bool waited = true;
    try {
        shell_module_.attr("wait")(shell, wake);
    } catch (const py::error_already_set &) {
        waited = false;
    }
    interrupt::allow(false);
    if (IoPub::in_forked_child()) _exit(0);
    return waited;
}

/// Always returns a response, even if Python fails.
Json Interpreter::debug(const wire::Message &request) {
    Json refusal = {{"type", "response"}, {"success", false}, {"body", Json::object()}};
    for (auto [name, asked] : {std::pair{"request_seq", "seq"}, std::pair{"command", "command"}})
        if (auto value = request.content.find(asked); value != request.content.end()) refusal[name] = *value;
    if (server_->stopping()) {
        refusal["message"] = "the kernel shuts down";
        return refusal;
    }
    py::gil_scoped_acquire gil;
    debugged_ = debugged_ || refusal.value("command", Json()) == "attach";
    try {
        py::str text = shell_module_.attr("debug")(wire::text(request.header), wire::text(request.content));
        return Json::parse(text.cast<std::string>());
    } catch (const py::error_already_set &e) {
        refusal["message"] = name_of(e) + ": " + internal;
    } catch (const std::exception &e) {
        refusal["message"] = e.what();
    }
    return refusal;
}

void Interpreter::run_exit_handlers() {
    py::gil_scoped_acquire gil;
    // Removes the trace function of a debugger, which would otherwise block the following code at its first line for ever.
    PyEval_SetTrace(nullptr, nullptr);
    try {
        shell_module_.attr("before_exit")();
    } catch (const std::exception &) { // the exit handlers must run anyway
    }
    try {
        py::module_::import("atexit").attr("_run_exitfuncs")();
    } catch (const py::error_already_set &e) {
        fprintf(stderr, "xquadrants: %s\n", name_of(e).c_str());
    } catch (const std::exception &e) {
        fprintf(stderr, "xquadrants: %s\n", e.what());
    }
}

} // namespace qd::kernel
