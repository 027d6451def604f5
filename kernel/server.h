#pragma once
// Sockets and threads of the kernel: shell requests run on the main thread (which is Python's main thread), control and heartbeat have
// threads of their own. The core of xeus dispatches requests; its mistakes are corrected on the way in and out: comms are passed to
// Python, counters and aborted replies are rewritten, and a request that the core dropped still gets a reply and an idle status.
#include "compat.h"
#include "debugging.h"
#include "iopub.h"
#include "wire.h"

#include <xeus/xcontrol_messenger.hpp>
#include <xeus/xserver.hpp>
#include <zmq.hpp>

#include <atomic>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>

namespace qd::kernel {

class Server;

/// The calls that the server makes to Python, on the main thread.
struct Handlers {
    virtual ~Handlers() = default;
    virtual void comm_message(const wire::Message &message) = 0;
    virtual Json comm_info(const Json &content) = 0;
    /// Returns the number of the request that is running or ran last.
    virtual int execution_count() const = 0;
    /// True if tasks of cells may run between requests.
    virtual bool runs_tasks() const = 0;
    /// Runs tasks until one of the two descriptors is readable. Returns false if it did not wait.
    virtual bool wait(int shell, int wake) = 0;
    /// Returns the reply to a debug_request. Called on the thread of the debugger.
    virtual Json debug(const wire::Message &request) = 0;
};

class Messenger final : public xeus::xcontrol_messenger {
  public:
    explicit Messenger(Server &server) : server_(server) {}

  private:
    Json send_to_shell_impl(const Json &message) override;
    Server &server_;
};

class Server final : public xeus::xserver {
  public:
    /// `key` is that of the connection file: an empty one means unsigned messages.
    Server(zmq::context_t &context, const Configuration &config, const std::string &key);
    ~Server() override;

    IoPub &iopub() { return *iopub_; }
    /// After the kernel has ended: waits until clients have received what was sent to them, for a second at most.
    void close();
    bool stopping() const { return stopping_; }
    /// Main thread. True if a message waits on the shell socket, which a readable descriptor does not imply.
    bool message_waits() { return shell_.get(zmq::sockopt::events) & ZMQ_POLLIN; }
    void set_handlers(Handlers *handlers) { handlers_ = handlers; }

    /// input(): a question to the client whose cell is running. Any thread; without the GIL. Each wait is short, so that the caller can
    /// check for signals in between.
    enum class Asked : uint8_t { answered, waiting, refused, given_up };
    class Question {
      public:
        Question(Server &server, std::string prompt, bool password)
            : server_(server), prompt_(std::move(prompt)), password_(password) {}
        /// Waits for other questions, asks, and waits for the answer. `refused`: no cell is running. `given_up`: the cell has ended.
        Asked wait(std::string &answer);

      private:
        Server &server_;
        std::string prompt_;
        bool password_;
        uint64_t cell_ = 0;
        std::unique_lock<std::timed_mutex> turn_;
    };

  private:
    friend class Messenger;
    /// The cell that is running, for questions of any thread.
    struct RunningCell {
        std::mutex lock;
        uint64_t number = 0; ///< 0: none is running
        wire::Frames identities;
        Json header;
    };
    struct Current {
        std::string type;
        bool replied = false, idle = false, aborted = false;
    };

    xeus::xcontrol_messenger &get_control_messenger_impl() override { return messenger_; }
    void send_shell_impl(xeus::xmessage message) override;
    void send_control_impl(xeus::xmessage message) override;
    void send_stdin_impl(xeus::xmessage message) override;
    void publish_impl(xeus::xpub_message message, xeus::channel channel) override;
    void start_impl(xeus::xpub_message message) override;
    void abort_queue_impl(const listener &l, long polling_interval) override;
    void stop_impl() override;
    void update_config_impl(Configuration &config) const override;

    std::optional<wire::Message> receive(zmq::socket_t &socket);
    void send(zmq::socket_t &socket, const wire::Frames &identities, const std::string &type, const Json &parent,
              const Json &metadata, const Json &content);
    void send_from_core(zmq::socket_t &socket, const xeus::xmessage &message, Json content);
    void status(const char *state, const Json &parent);
    void wait_for_shell();
    void handle_shell(wire::Message message);
    void refuse(zmq::socket_t &socket, const std::string &type, const wire::Frames &identities, const Json &header);
    void handle_comm(const wire::Message &message);
    void dispatch_to_core(wire::Message message);
    void set_running_cell(uint64_t number, const wire::Message &message);
    uint64_t running_cell();
    void abort(const wire::Message &message);
    void control_loop();
    void heartbeat_loop();
    void handle_control(wire::Message message);
    void send_debug_replies();

    std::string endpoint(const std::string &port) const;

    Configuration config_;
    wire::Signer signer_;
    wire::Seen seen_;
    std::string session_;
    zmq::context_t &context_;
    zmq::socket_t shell_, control_, stdin_, heartbeat_;
    std::unique_ptr<IoPub> iopub_;
    Messenger messenger_;
    Debugging debugging_;
    Handlers *handlers_ = nullptr;
    std::thread control_thread_, heartbeat_thread_;
    std::deque<wire::Message> postponed_; ///< requests received while aborting others
    Current current_;
    wire::Frames current_identities_;
    Json current_header_;
    RunningCell cell_;
    uint64_t cells_ = 0;
    std::timed_mutex stdin_turn_; ///< guards `stdin_`: one question at a time
    std::atomic<bool> stopping_{false}, ended_{false};
    int shell_wake_ = -1, control_wake_ = -1;
};

} // namespace qd::kernel
