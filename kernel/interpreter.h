#pragma once
// Passes requests to Python. The IPython shell itself is python/qd_shell.py; this class makes sure that every request gets a reply,
// whatever happens there.
#include "server.h"

#include <xeus-python/xinterpreter.hpp>

#include <atomic>

namespace qd::kernel {

class Interpreter final : public xpyt::interpreter, public Handlers {
  public:
    explicit Interpreter(std::string connection_file);
    /// xeus makes the server after the interpreter.
    void attach(Server &server);
    Server &server() { return *server_; }

    void comm_message(const wire::Message &message) override;
    Json comm_info(const Json &content) override;
    int execution_count() const override { return last_; }
    bool runs_tasks() const override { return runs_tasks_; }
    bool wait(int shell, int wake) override;
    Json debug(const wire::Message &request) override;
    void run_tasks() { runs_tasks_ = true; }
    const std::string &connection_file() const { return connection_file_; }

    /// Calls a function of qd_shell with arguments and result as JSON text. GIL held. Throws py::error_already_set.
    Json call(const char *function, const Json &argument);
    /// Runs Python's exit handlers. The interpreter itself is never finalised, because libraries hold static objects.
    void run_exit_handlers();

  private:
    void configure_impl() override;
    Json execute_request_impl(int counter, const std::string &code, bool silent, bool store_history,
                              Json user_expressions, bool allow_stdin) override;
    Json complete_request_impl(const std::string &code, int cursor) override;
    Json inspect_request_impl(const std::string &code, int cursor, int detail_level) override;
    Json is_complete_request_impl(const std::string &code) override;
    Json kernel_info_request_impl() override;
    void shutdown_request_impl() override {}

    Json guarded(const char *function, const Json &argument, const Json &otherwise);

    Server *server_ = nullptr;
    py::object shell_module_;
    const std::string connection_file_;
    std::atomic<bool> runs_tasks_{false};
    bool debugs_ = false;     ///< debugpy is installed
    bool debugged_ = false;   ///< a debugger has been attached
    int next_ = 1, last_ = 0; ///< IPython's counter, which ignores requests that store no history
};

/// Returns the one interpreter of the process, for the embedded module `_qd`.
Interpreter &interpreter_of_process();

} // namespace qd::kernel
