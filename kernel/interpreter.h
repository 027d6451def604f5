#pragma once
// Requests -> Python. The IPython shell itself is python/qd_shell.py; this class carries requests to it and makes sure
// that whatever happens there, a reply comes back.
#include "server.h"

#include <xeus-python/xinterpreter.hpp>

#include <atomic>

namespace qd::kernel {

class Interpreter final : public xpyt::interpreter, public Handlers {
  public:
    explicit Interpreter(std::string connection_file);
    /// The server is made by xeus after the interpreter.
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

    /// One call of a function of qd_shell, arguments and result as JSON text. GIL held. Throws py::error_already_set.
    Json call(const char *function, const Json &argument);
    /// Runs what Python wants to run at its end. The interpreter itself is never torn down: libraries hold static
    /// objects.
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
    bool debugs_ = false;     ///< debugpy is there
    bool debugged_ = false;   ///< a debugger came
    int next_ = 1, last_ = 0; ///< IPython's counter: requests that store no history do not count
};

/// The one interpreter of the process, for the embedded module `_qd`.
Interpreter &live();

} // namespace qd::kernel
