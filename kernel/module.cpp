// The embedded module `_qd`: the C++ functions that qd_shell.py calls. JSON is passed as text, and serialised and parsed once.
#include "interpreter.h"
#include "interrupt.h"
#include "fault_report.h"

#include <pybind11/embed.h>
#include <pybind11/stl.h>

namespace qd::kernel {

namespace {
std::vector<wire::Buffer> copy_buffers(const py::object &buffers) {
    std::vector<wire::Buffer> out;
    if (buffers.is_none()) return out;
    for (py::handle b : buffers) {
        py::object view = py::reinterpret_steal<py::object>(PyMemoryView_FromObject(b.ptr()));
        if (!view) throw py::error_already_set();
        std::string bytes = py::bytes(view.attr("tobytes")());
        out.emplace_back(bytes.begin(), bytes.end());
    }
    return out;
}

/// `older`: the header of an earlier request that the message belongs to.
void publish(const std::string &type, const std::string &metadata, const std::string &content, py::object buffers,
             const std::optional<std::string> &older) {
    std::vector<wire::Buffer> copied = copy_buffers(buffers);
    py::gil_scoped_release no_gil;
    interpreter_of_process().server().iopub().publish_under(older.value_or(""), type, metadata, content, copied);
}

/// stream(is_error, text, older): `older` is a header or None. Called for each piece that Python prints, so it avoids the cost of pybind11.
PyObject *stream(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (count != 3 || !PyUnicode_Check(args[1]) || (args[2] != Py_None && !PyUnicode_Check(args[2]))) {
        PyErr_SetString(PyExc_TypeError, "stream(is_error, text, older)");
        return nullptr;
    }
    Py_ssize_t size = 0, older_size = 0;
    const char *utf8 = PyUnicode_AsUTF8AndSize(args[1], &size), *older = "";
    py::object replaced;
    if (!utf8) { // lone surrogates
        PyErr_Clear();
        replaced = py::reinterpret_steal<py::object>(PyUnicode_AsEncodedString(args[1], "utf-8", "replace"));
        if (!replaced) return nullptr;
        utf8 = PyBytes_AS_STRING(replaced.ptr());
        size = PyBytes_GET_SIZE(replaced.ptr());
    }
    if (args[2] != Py_None && !(older = PyUnicode_AsUTF8AndSize(args[2], &older_size))) return nullptr;
    interpreter_of_process().server().iopub().stream(args[0] == Py_True ? "stderr" : "stdout", {utf8, size_t(size)},
                                                     {older, size_t(older_size)});
    Py_RETURN_NONE;
}

PyMethodDef stream_method = {"stream", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(stream)),
                             METH_FASTCALL, "Adds text to a stream."};

py::object ask(const std::string &prompt, bool password) {
    Server &server = interpreter_of_process().server();
    Server::Question question(server, prompt, password);
    std::string answer;
    for (;;) {
        Server::Asked asked;
        {
            py::gil_scoped_release no_gil;
            asked = question.wait(answer);
        }
        if (asked == Server::Asked::answered) return py::str(answer);
        if (asked == Server::Asked::refused) throw std::runtime_error("input() can be used only while a cell runs");
        if (PyErr_CheckSignals() != 0) throw py::error_already_set();
        if (asked == Server::Asked::waiting) continue;
        if (server.stopping()) {
            PyErr_SetNone(PyExc_KeyboardInterrupt);
            throw py::error_already_set();
        }
        PyErr_SetString(PyExc_EOFError, "the cell that called input() has ended");
        throw py::error_already_set();
    }
}
} // namespace

PYBIND11_EMBEDDED_MODULE(_qd, m) {
    m.doc() = "The C++ side of the Quadrants kernel.";
    m.attr("version") = QD_VERSION;
    m.def("publish", publish, py::arg("type"), py::arg("metadata"), py::arg("content"), py::arg("buffers") = py::none(),
          py::arg("older") = py::none());
    m.add_object("stream", py::reinterpret_steal<py::object>(PyCFunction_New(&stream_method, nullptr)));
    m.def("flush", [] {
        py::gil_scoped_release no_gil;
        interpreter_of_process().server().iopub().flush();
    });
    m.def("allow_interrupts", interrupt::allow, py::arg("open"));
    m.def("ask", ask, py::arg("prompt"), py::arg("password"));
    m.def("parent", [] {
        IoPub::Parent parent = interpreter_of_process().server().iopub().parent();
        return std::make_pair(parent.header, wire::text(parent.message));
    });
    m.def(
        "run_tasks", [] { interpreter_of_process().run_tasks(); },
        "From now on `wait` of qd_shell is called between requests.");
    m.def("message_waits", [] { return interpreter_of_process().server().message_waits(); });
    m.def("take_fault_report", fault_report::take, "What the process before this one said as it died, once.");
    m.def("report_exit", fault_report::report_exit);
    m.attr("hear_fault_report") =
        py::capsule(reinterpret_cast<void *>(fault_report::hear), "void(const char *, size_t)");
    m.def("set_explain", [](const py::capsule &explain) {
        void *function = PyCapsule_GetPointer(explain.ptr(), "void()");
        if (!function) throw py::error_already_set();
        fault_report::set_explain(reinterpret_cast<void (*)()>(function));
    });
    m.attr("connection_file") = interpreter_of_process().connection_file();
    m.def("in_forked_child", IoPub::in_forked_child);
    m.def("murmur2", [](const std::string &text, uint32_t seed) { return murmur2(text, seed); });
}

} // namespace qd::kernel
