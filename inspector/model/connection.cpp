#include "model/connection.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace qd::inspector {

namespace {

constexpr std::size_t longest_line = 64u << 20, max_waiting = 1u << 20, max_memories = 256;

} // namespace

Connection::Connection(int socket, int script, std::function<void()> wake) : socket_(socket), wake_(std::move(wake)) {
    fcntl(socket_, F_SETFL, fcntl(socket_, F_GETFL) | O_NONBLOCK);
    signal_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (script > 0) script_ = static_cast<int>(syscall(SYS_pidfd_open, script, 0));
    thread_ = std::thread([this] { run(); });
}

Connection::~Connection() {
    stop_ = true;
    eventfd_write(signal_, 1);
    thread_.join();
    for (const int descriptor : descriptors_) close(descriptor);
    close(socket_);
    close(signal_);
    if (script_ >= 0) close(script_);
}

std::optional<Json> Connection::take() {
    std::unique_lock hold(lock_);
    if (arrived_.empty()) return {};
    Arrived next = std::move(arrived_.front());
    arrived_.pop_front();
    hold.unlock();
    if (next.memory) {
        const int id = member<int>(next.message, "id");
        memories_[id] = std::move(next.memory);
        if (memories_.size() > max_memories) throw Garbled("too many memories");
    }
    return std::move(next.message);
}

void Connection::send(const Json &message) {
    if (ended_) return;
    std::string line = message.dump(-1, ' ', false, Json::error_handler_t::replace);
    const std::lock_guard hold(lock_);
    if (leaving_.size() > max_waiting && message.value("kind", "") == "input") return;
    leaving_ += line;
    leaving_ += '\n';
    eventfd_write(signal_, 1);
}

std::span<std::byte> Connection::memory(int id) const {
    const auto found = memories_.find(id);
    if (found == memories_.end()) throw Garbled("memory that was never sent");
    return found->second->bytes();
}

std::span<std::byte> Connection::piece(int id, std::uint64_t at, std::uint64_t count, std::uint64_t size) const {
    const auto whole = memory(id);
    if (at > whole.size() || at % 16 != 0 || count > (whole.size() - at) / size)
        throw Garbled("a piece outside its memory");
    return whole.subspan(at, count * size);
}

void Connection::end(const std::string &why) {
    finish(why);
    shutdown(socket_, SHUT_RDWR);
}

std::string Connection::why() const {
    const std::lock_guard hold(lock_);
    return why_;
}

void Connection::finish(const std::string &why) {
    {
        const std::lock_guard hold(lock_);
        if (ended_) return;
        why_ = why;
        ended_ = true;
    }
    wake_();
}

void Connection::run() {
    while (!stop_ && !ended_) {
        short wanted = POLLIN;
        {
            const std::lock_guard hold(lock_);
            if (!leaving_.empty()) wanted |= POLLOUT;
        }
        pollfd watched[3] = {{socket_, wanted, 0}, {signal_, POLLIN, 0}, {script_, POLLIN, 0}};
        if (poll(watched, script_ >= 0 ? 3 : 2, -1) < 0 && errno != EINTR) break;
        if (watched[1].revents) {
            eventfd_t count;
            eventfd_read(signal_, &count);
        }
        try {
            if ((watched[0].revents & POLLOUT) && !write()) break;
            if ((watched[0].revents & (POLLIN | POLLHUP | POLLERR)) && !read()) break;
            if (script_ >= 0 && watched[2].revents) {
                read(); // the last messages of the script
                break;
            }
        } catch (const Garbled &wrong) {
            finish(wrong.what());
        }
    }
    write();                      // the last messages to the script
    shutdown(socket_, SHUT_RDWR); // the script is notified at once
    if (!stop_) finish("");
}

bool Connection::write() {
    const std::lock_guard hold(lock_);
    while (!leaving_.empty()) {
        const ssize_t sent = ::send(socket_, leaving_.data(), leaving_.size(), MSG_NOSIGNAL);
        if (sent < 0) return errno == EAGAIN || errno == EINTR;
        leaving_.erase(0, static_cast<std::size_t>(sent));
    }
    return true;
}

bool Connection::read() {
    for (;;) {
        char text[1 << 16];
        alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * 8)];
        iovec part = {text, sizeof text};
        msghdr header = {};
        header.msg_iov = &part;
        header.msg_iovlen = 1;
        header.msg_control = control;
        header.msg_controllen = sizeof control;
        const ssize_t got = recvmsg(socket_, &header, MSG_CMSG_CLOEXEC);
        if (got < 0) return errno == EAGAIN || errno == EINTR;
        for (cmsghdr *c = CMSG_FIRSTHDR(&header); c; c = CMSG_NXTHDR(&header, c)) {
            if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
            const std::size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
            for (std::size_t i = 0; i < count; ++i) {
                int descriptor;
                std::memcpy(&descriptor, CMSG_DATA(c) + i * sizeof(int), sizeof descriptor);
                descriptors_.push_back(descriptor);
            }
        }
        if (got == 0) return false;
        arriving_.append(text, static_cast<std::size_t>(got));
        lines();
        if (arriving_.size() > longest_line) throw Garbled("a line that is too long");
        if (descriptors_.size() > 64) throw Garbled("descriptors that no message belongs to");
    }
}

void Connection::lines() {
    std::size_t begin = 0;
    for (;;) {
        const std::size_t newline = arriving_.find('\n', std::max(begin, scanned_));
        if (newline == std::string::npos) break;
        Json message = Json::parse(arriving_.begin() + static_cast<std::ptrdiff_t>(begin),
                                   arriving_.begin() + static_cast<std::ptrdiff_t>(newline), nullptr, false);
        begin = newline + 1;
        if (!message.is_object() || !message.contains("kind") || !message["kind"].is_string())
            throw Garbled("not a message");
        Arrived next{std::move(message), nullptr};
        if (next.message["kind"] == "memory") {
            if (descriptors_.empty()) throw Garbled("memory without a descriptor");
            const int descriptor = descriptors_.front();
            descriptors_.pop_front();
            std::uint64_t bytes = 0;
            try {
                bytes = member<std::uint64_t>(next.message, "bytes");
            } catch (...) {
                close(descriptor);
                throw;
            }
            next.memory = std::make_unique<Memory>(descriptor, bytes);
        }
        {
            const std::lock_guard hold(lock_);
            arrived_.push_back(std::move(next));
        }
        wake_();
    }
    arriving_.erase(0, begin);
    scanned_ = arriving_.size();
}

} // namespace qd::inspector
