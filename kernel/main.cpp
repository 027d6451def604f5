// xquadrants: the Quadrants kernel for Jupyter. Chooses the Python environment, makes the kernel, runs it and shuts it down in order.
#include "compat.h"
#include "history.h"
#include "interpreter.h"
#include "interrupt.h"
#include "fault_report.h"
#include "server.h"

#include <pybind11/embed.h>
#include <xeus/xkernel.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <unistd.h>

namespace {
using namespace qd::kernel;

struct Arguments {
    std::string connection_file, python;
};

[[noreturn]] void usage(const char *problem) {
    if (problem) fprintf(stderr, "xquadrants: %s\n", problem);
    fprintf(problem ? stderr : stdout,
            "usage: xquadrants -f CONNECTION_FILE [--python PYTHON]\n"
            "       xquadrants --version\n"
            "PYTHON is the interpreter of the environment to use, such as .venv/bin/python.\n");
    exit(problem ? 2 : 0);
}

Arguments parse(int argc, char **argv) {
    Arguments a;
    for (int i = 1; i < argc; i++) {
        std::string_view option = argv[i];
        if (option == "--version") {
            printf("xquadrants %s (xeus %d.%d.%d, Python %s)\n", QD_VERSION, XEUS_VERSION_MAJOR, XEUS_VERSION_MINOR,
                   XEUS_VERSION_PATCH, PY_VERSION);
            exit(0);
        }
        if (option == "--help" || option == "-h") usage(nullptr);
        if (i + 1 == argc) usage("an option is missing its value");
        if (option == "-f")
            a.connection_file = argv[++i];
        else if (option == "--python")
            a.python = argv[++i];
        else
            usage(("unknown option " + std::string(option)).c_str());
    }
    if (a.connection_file.empty()) usage("no connection file");
    return a;
}

/// Returns the interpreter that determines sys.prefix: --python, otherwise $VIRTUAL_ENV, otherwise that of the system.
std::string choose_python(std::string wanted) {
    if (wanted.empty())
        if (const char *env = getenv("VIRTUAL_ENV"); env && *env) wanted = std::string(env) + "/bin/python";
    if (wanted.empty()) return "/usr/bin/python3";
    // Symbolic links are not resolved, since they distinguish environments.
    return std::filesystem::absolute(wanted).lexically_normal();
}

/// Refuses an environment of another Python version, which would silently be used only in part. Its pyvenv.cfg contains the version.
void check_version(const std::string &python) {
    std::ifstream config(python.substr(0, python.rfind("/bin/")) + "/pyvenv.cfg");
    std::string line, mine = std::to_string(PY_MAJOR_VERSION) + "." + std::to_string(PY_MINOR_VERSION);
    while (std::getline(config, line)) {
        if (line.rfind("version", 0) != 0) continue;
        size_t at = line.find_first_of("0123456789");
        if (at == std::string::npos) return;
        if (line.compare(at, mine.size(), mine) == 0 && !isdigit(line[at + mine.size()])) return;
        fprintf(
            stderr,
            "xquadrants: %s is Python %s, but this kernel needs Python %s; create the environment with that version\n",
            python.c_str(), line.c_str() + at, mine.c_str());
        exit(1);
    }
}

void check(PyStatus status) {
    if (!PyStatus_Exception(status)) return;
    fprintf(stderr, "xquadrants: cannot start Python: %s\n", status.err_msg ? status.err_msg : "unknown reason");
    exit(1);
}

void start_python(const std::string &python, const char *argv0) {
    unsetenv("PYTHONHOME");
    PyPreConfig before;
    PyPreConfig_InitPythonConfig(&before);
    check(Py_PreInitialize(&before));
    PyConfig config;
    PyConfig_InitPythonConfig(&config);
    check(PyConfig_SetBytesString(&config, &config.program_name, python.c_str()));
    char *argv[] = {const_cast<char *>(argv0)};
    check(PyConfig_SetBytesArgv(&config, 1, argv));
    config.parse_argv = 0;
    config.install_signal_handlers = 1;
    check(Py_InitializeFromConfig(&config));
    PyConfig_Clear(&config);
}

/// xeus takes a plain function pointer, so the other arguments of the server are passed in these variables.
std::string connection_key;
Interpreter *interpreter_of_server;

std::unique_ptr<xeus::xserver> build_server(xeus::xcontext &context, const Configuration &config,
                                            nlohmann::json::error_handler_t) {
    auto server = std::make_unique<Server>(context.get_wrapped_context<zmq::context_t>(), config, connection_key);
    interpreter_of_server->attach(*server);
    return server;
}

int run(const Arguments &arguments) {
    Configuration config = xeus::load_configuration(arguments.connection_file);
    connection_key = config.m_key;
    auto interpreter = std::make_unique<Interpreter>(std::filesystem::absolute(arguments.connection_file));
    interpreter_of_server = interpreter.get();
    auto kernel = std::make_unique<xeus::xkernel>(
        config, "kernel", std::unique_ptr<xeus::xcontext>(new xeus::xcontext_impl<zmq::context_t>()),
        std::move(interpreter), build_server, make_history_manager(), nullptr, xeus::make_null_debugger, Json::object(),
        Json::error_handler_t::replace);
    Server &server = interpreter_of_server->server();
    server.iopub().start();
    fault_report::set_log(server.iopub().log());
    std::clog.setstate(std::ios::failbit); // hides the greeting of xeus; the server enables it again
    kernel->start();
    interpreter_of_server->run_exit_handlers();
    fault_report::set_log(-1);
    server.iopub().stop();
    server.close();
    kernel.release(); // never destroyed: its objects hold Python objects, and Python is not finalised
    return 0;
}
} // namespace

int main(int argc, char **argv) {
    interrupt::block_everywhere();
    Arguments arguments = parse(argc, argv);
    fault_report::watch(std::filesystem::absolute(arguments.connection_file));
    std::string python = choose_python(arguments.python);
    check_version(python);
    start_python(python, argv[0]);
    int code = 1;
    try {
        code = run(arguments);
    } catch (const std::exception &e) {
        fprintf(stderr, "xquadrants: %s\n", e.what());
    }
    fflush(nullptr);
    _exit(code);
}
