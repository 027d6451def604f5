#include "server.h"

#include "interrupt.h"

#include <xeus/xguid.hpp>
#include <xeus/xmessage.hpp>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <sys/eventfd.h>
#include <unistd.h>

namespace qd::kernel {

namespace {
void signal_fd(int fd) {
    uint64_t one = 1;
    [[maybe_unused]] ssize_t n = write(fd, &one, sizeof one);
}
void clear_fd(int fd) {
    uint64_t count;
    [[maybe_unused]] ssize_t n = read(fd, &count, sizeof count);
}

zmq::socket_t router(zmq::context_t &context, const std::string &endpoint) {
    zmq::socket_t s(context, zmq::socket_type::router);
    // A client that reconnects under the same name replaces its old connection.
    s.set(zmq::sockopt::router_handover, true);
    s.set(zmq::sockopt::sndhwm, 0);
    s.set(zmq::sockopt::rcvhwm, 0);
    s.set(zmq::sockopt::linger, 1000);
    s.bind(endpoint);
    return s;
}

bool ends_with(const std::string &s, std::string_view end) {
    return s.size() >= end.size() && s.compare(s.size() - end.size(), end.size(), end) == 0;
}

/// Clients may send null for "use the default"; xeus would throw on it.
Json without_nulls(Json content) {
    for (auto it = content.begin(); it != content.end();) it = it->is_null() ? content.erase(it) : std::next(it);
    return content;
}

std::atomic<bool> shutting_down{false};

/// Ends the process if its parent has died, since the Jupyter kernel would otherwise run for ever. A Jupyter kernel that is shutting down
/// gets a minute for its exit handlers.
void watch_parent() {
    const char *named = std::getenv("JPY_PARENT_PID");
    const pid_t parent = named ? pid_t(std::atol(named)) : 0;
    if (parent <= 1) return;
    const bool child = getppid() == parent;
    for (int seconds_left = 60;;) {
        std::this_thread::sleep_for(std::chrono::seconds(1));
        const bool orphan = child ? getppid() != parent : kill(parent, 0) != 0;
        if (orphan && (!shutting_down || --seconds_left <= 0)) _exit(1);
    }
}
} // namespace

Json Messenger::send_to_shell_impl(const Json &) { return Json::object(); }

Server::Server(zmq::context_t &context, const Configuration &config, const std::string &key)
    : config_(config), signer_(config.m_signature_scheme, key), session_(xeus::new_xguid().c_str()), context_(context),
      shell_(router(context, endpoint(config.m_shell_port))),
      control_(router(context, endpoint(config.m_control_port))),
      stdin_(router(context, endpoint(config.m_stdin_port))), heartbeat_(context, zmq::socket_type::router),
      iopub_(std::make_unique<IoPub>(context, endpoint(config.m_iopub_port), signer_)), messenger_(*this),
      debugging_([this](const wire::Message &request) { return handlers_->debug(request); },
                 [this] { signal_fd(control_wake_); }) {
    heartbeat_.set(zmq::sockopt::linger, 0);
    heartbeat_.bind(endpoint(config.m_hb_port));
    shell_wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    control_wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    iopub_->set_session(session_, "kernel");
}

Server::~Server() {
    ::close(shell_wake_);
    ::close(control_wake_);
}

std::string Server::endpoint(const std::string &port) const {
    return config_.m_transport + "://" + config_.m_ip + (config_.m_transport == "tcp" ? ":" : "-") + port;
}

void Server::update_config_impl(Configuration &config) const {
    auto port = [](std::string at) { return at.substr(at.find_last_of(":-") + 1); };
    config.m_shell_port = port(shell_.get(zmq::sockopt::last_endpoint));
    config.m_control_port = port(control_.get(zmq::sockopt::last_endpoint));
    config.m_stdin_port = port(stdin_.get(zmq::sockopt::last_endpoint));
    config.m_hb_port = port(heartbeat_.get(zmq::sockopt::last_endpoint));
    config.m_iopub_port = port(iopub_->endpoint());
}

// --- frames in and out -----------------------------------------------------------------------------------------------

std::optional<wire::Message> Server::receive(zmq::socket_t &socket) {
    wire::Frames frames;
    for (bool more = true; more;) {
        zmq::message_t part;
        int n;
        do n = zmq_msg_recv(part.handle(), socket.handle(), frames.empty() ? ZMQ_DONTWAIT : 0);
        while (n < 0 && errno == EINTR);
        if (n < 0) return std::nullopt;
        frames.push_back(part.to_string());
        more = part.more();
    }
    std::string why_not;
    std::optional<wire::Message> message = wire::unpack(std::move(frames), signer_, seen_, why_not);
    if (!message) fprintf(stderr, "xquadrants: message ignored: %s\n", why_not.c_str());
    return message;
}

void Server::send(zmq::socket_t &socket, const wire::Frames &identities, const std::string &type, const Json &parent,
                  const Json &metadata, const Json &content) {
    if (IoPub::in_forked_child()) return;
    wire::Frames frames = wire::pack(
        identities, {iopub_->make_header(type), wire::text(parent), wire::text(metadata), wire::text(content)}, {},
        signer_);
    for (size_t i = 0; i < frames.size(); i++) {
        int flags = i + 1 < frames.size() ? ZMQ_SNDMORE : 0;
        while (zmq_send(socket.handle(), frames[i].data(), frames[i].size(), flags) < 0 && errno == EINTR) {
        }
    }
}

void Server::send_from_core(zmq::socket_t &socket, const xeus::xmessage &m, Json content) {
    send(socket, m.identities(), m.header().value("msg_type", ""), m.parent_header(), m.metadata(), content);
}

void Server::send_shell_impl(xeus::xmessage message) {
    Json content = message.content();
    if (message.header().value("msg_type", "") == "execute_reply" && handlers_)
        content["execution_count"] = handlers_->execution_count();
    current_.replied = true;
    send_from_core(shell_, message, std::move(content));
}

void Server::send_control_impl(xeus::xmessage message) { send_from_core(control_, message, message.content()); }

void Server::send_stdin_impl(xeus::xmessage message) { send_from_core(stdin_, message, message.content()); }

void Server::publish_impl(xeus::xpub_message message, xeus::channel channel) {
    std::string type = message.header().value("msg_type", "");
    if (type == "interrupt" || type == "shutdown") return; // not messages of the protocol
    const Json &content = message.content();
    if (channel == xeus::channel::SHELL && type == "status" && content.value("execution_state", "") == "idle")
        current_.idle = true;
    iopub_->publish(type, wire::text(message.parent_header()), wire::text(message.metadata()), wire::text(content));
}

void Server::status(const char *state, const Json &parent) {
    iopub_->publish("status", wire::text(parent), "{}", wire::text({{"execution_state", state}}));
}

// --- shell -----------------------------------------------------------------------------------------------------------

void Server::start_impl(xeus::xpub_message message) {
    std::clog.clear();
    publish_impl(std::move(message), xeus::channel::CONTROL);
    control_thread_ = std::thread([this] { control_loop(); });
    heartbeat_thread_ = std::thread([this] { heartbeat_loop(); });
    heartbeat_thread_.detach();
    std::thread(watch_parent).detach();
    while (!stopping_) {
        if (!postponed_.empty()) {
            wire::Message next = std::move(postponed_.front());
            postponed_.pop_front();
            handle_shell(std::move(next));
            continue;
        }
        wait_for_shell();
        if (std::optional<wire::Message> next = receive(shell_)) handle_shell(std::move(*next));
    }
    ended_ = true;
    signal_fd(control_wake_);
    control_thread_.join();
}

void Server::wait_for_shell() {
    if (!handlers_ || !handlers_->runs_tasks() || !handlers_->wait(shell_.get(zmq::sockopt::fd), shell_wake_)) {
        zmq_pollitem_t items[2] = {{shell_.handle(), 0, ZMQ_POLLIN, 0}, {nullptr, shell_wake_, ZMQ_POLLIN, 0}};
        zmq_poll(items, 2, -1);
    }
    clear_fd(shell_wake_);
}

void Server::handle_shell(wire::Message message) {
    std::string type = message.type();
    if (type.rfind("comm_", 0) == 0) return handle_comm(message);
    if (type == "execute_request") { // other requests print nothing; output of threads belongs to the last cell
        Json parent = {{"header", message.header}, {"metadata", message.metadata}, {"content", message.content}};
        iopub_->set_parent({wire::text(message.header), std::move(parent)});
    }
    if (type == "interrupt_request") {
        status("busy", message.header);
        send(shell_, message.identities, "interrupt_reply", message.header, Json::object(), {{"status", "ok"}});
        return status("idle", message.header);
    }
    dispatch_to_core(std::move(message));
}

void Server::dispatch_to_core(wire::Message message) {
    current_ = Current{message.type()};
    if (current_.type == "execute_request") set_running_cell(++cells_, message);
    current_identities_ = message.identities;
    current_header_ = message.header;
    Json content = without_nulls(std::move(message.content));
    if (current_.type == "execute_request") content.emplace("stop_on_error", true);
    notify_shell_listener(xeus::xmessage(message.identities, message.header, message.parent, message.metadata,
                                         std::move(content), std::move(message.buffers)));
    set_running_cell(0, {});
    if (!current_.replied) refuse(shell_, current_.type, current_identities_, current_header_);
    if (!current_.idle) status("idle", current_header_);
}

/// Sends an error reply to a request that was not answered; messages that expect no reply get none.
void Server::refuse(zmq::socket_t &socket, const std::string &type, const wire::Frames &identities,
                    const Json &header) {
    if (!ends_with(type, "_request")) return;
    const std::string reply_type = type.substr(0, type.size() - 7) + "reply";
    Json error = {{"status", "error"},
                  {"ename", "BadRequest"},
                  {"evalue", "the kernel cannot answer this " + type},
                  {"traceback", Json::array()}};
    if (reply_type == "execute_reply" && handlers_) error["execution_count"] = handlers_->execution_count();
    send(socket, identities, reply_type, header, Json::object(), error);
}

void Server::handle_comm(const wire::Message &message) {
    status("busy", message.header);
    if (handlers_ && message.type() == "comm_info_request") {
        send(shell_, message.identities, "comm_info_reply", message.header, Json::object(),
             handlers_->comm_info(message.content));
    } else if (handlers_) {
        Json parent = {{"header", message.header}, {"metadata", message.metadata}};
        IoPub::Parent cell = iopub_->set_parent({wire::text(message.header), std::move(parent)});
        handlers_->comm_message(message);
        iopub_->set_parent(std::move(cell));
    }
    status("idle", message.header);
}

/// Called after an error in a cell with stop_on_error: replies `aborted` to the execute requests that are already queued, and postpones all
/// other requests.
void Server::abort_queue_impl(const listener &, long) {
    while (std::optional<wire::Message> next = receive(shell_)) {
        if (next->type() == "execute_request")
            abort(*next);
        else
            postponed_.push_back(std::move(*next));
    }
}

void Server::abort(const wire::Message &message) {
    status("busy", message.header);
    send(shell_, message.identities, "execute_reply", message.header, {{"status", "aborted"}}, {{"status", "aborted"}});
    status("idle", message.header);
}

void Server::stop_impl() {
    stopping_ = shutting_down = true;
    interrupt::raise_in_user_code();
    signal_fd(shell_wake_);
}

void Server::close() {
    for (zmq::socket_t *socket : {&shell_, &control_, &stdin_}) socket->close();
    iopub_->close();
    context_.close();
}

// --- input() ---------------------------------------------------------------------------------------------------------

void Server::set_running_cell(uint64_t number, const wire::Message &message) {
    const std::lock_guard lock(cell_.lock);
    cell_.number = number;
    cell_.identities = message.identities;
    cell_.header = message.header;
}

uint64_t Server::running_cell() {
    const std::lock_guard lock(cell_.lock);
    return cell_.number;
}

Server::Asked Server::Question::wait(std::string &answer) {
    constexpr auto poll_interval = std::chrono::milliseconds(50);
    Server &s = server_;
    if (IoPub::in_forked_child()) return Asked::refused;
    const uint64_t running = s.running_cell();
    if (cell_ == 0 && running == 0) return Asked::refused;
    if (s.stopping_ || (cell_ != 0 && running != cell_)) return Asked::given_up;
    cell_ = running;
    if (!turn_) {
        turn_ = std::unique_lock(s.stdin_turn_, poll_interval);
        if (!turn_) return Asked::waiting;
        while (s.receive(s.stdin_)) { // discards answers to abandoned questions
        }
        s.iopub_->flush();
        const std::lock_guard lock(s.cell_.lock);
        if (s.cell_.number != cell_) return Asked::given_up;
        s.send(s.stdin_, s.cell_.identities, "input_request", s.cell_.header, Json::object(),
               {{"prompt", prompt_}, {"password", password_}});
    }
    zmq_pollitem_t item = {s.stdin_.handle(), 0, ZMQ_POLLIN, 0};
    if (zmq_poll(&item, 1, poll_interval.count()) <= 0) return Asked::waiting;
    const std::optional<wire::Message> reply = s.receive(s.stdin_);
    if (!reply || reply->type() != "input_reply") return Asked::waiting;
    const auto value = reply->content.find("value");
    answer = value != reply->content.end() && value->is_string() ? value->get<std::string>() : "";
    return Asked::answered;
}

// --- control, heartbeat, parent --------------------------------------------------------------------------------------

void Server::control_loop() {
    while (!stopping_) {
        zmq_pollitem_t items[2] = {{control_.handle(), 0, ZMQ_POLLIN, 0}, {nullptr, control_wake_, ZMQ_POLLIN, 0}};
        if (zmq_poll(items, 2, -1) < 0) continue;
        if (items[1].revents) clear_fd(control_wake_);
        send_debug_replies();
        if (!items[0].revents) continue;
        if (std::optional<wire::Message> next = receive(control_)) handle_control(std::move(*next));
    }
    while (!ended_) { // a cell may continue after the first Stop
        zmq_pollitem_t item = {nullptr, control_wake_, ZMQ_POLLIN, 0};
        if (zmq_poll(&item, 1, 500) == 0) interrupt::raise_in_user_code();
    }
}

void Server::send_debug_replies() {
    for (const Debugging::Reply &reply : debugging_.take()) {
        const wire::Message &request = reply.request;
        send(control_, request.identities, "debug_reply", request.header, Json::object(), reply.content);
        status("idle", request.header);
    }
}

void Server::handle_control(wire::Message m) {
    if (m.type() == "debug_request") {
        status("busy", m.header);
        return debugging_.ask(std::move(m));
    }
    if (m.type() == "interrupt_request") {
        status("busy", m.header);
        interrupt::raise_in_user_code();
        send(control_, m.identities, "interrupt_reply", m.header, Json::object(), {{"status", "ok"}});
        return status("idle", m.header);
    }
    if (m.type() == "shutdown_request" || m.type() == "kernel_info_request")
        return notify_control_listener(xeus::xmessage(m.identities, m.header, m.parent, m.metadata,
                                                      without_nulls(std::move(m.content)), std::move(m.buffers)));
    // Cells and comms must be handled on the thread of the shell channel. xeus would handle them on this thread, and it copies comm ids
    // into buffers of 55 bytes.
    status("busy", m.header);
    refuse(control_, m.type(), m.identities, m.header);
    status("idle", m.header);
}

void Server::heartbeat_loop() {
    for (;;) {
        try {
            zmq::proxy(heartbeat_, heartbeat_);
        } catch (const zmq::error_t &error) {
            if (error.num() == EINTR) continue; // a signal with a handler of user code
            return heartbeat_.close();          // the context waits for this socket to be closed
        }
    }
}

} // namespace qd::kernel
