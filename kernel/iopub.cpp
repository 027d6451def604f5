#include "iopub.h"

#include "fault_report.h"

#include <xeus/xguid.hpp>
#include <xeus/xmessage.hpp>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <unistd.h>

namespace qd::kernel {

namespace {
constexpr auto flush_period = std::chrono::milliseconds(40);
constexpr size_t flush_bytes = 64 << 10;
std::atomic<bool> forked{false};

void write_all(int fd, std::string_view text) {
    while (!text.empty()) {
        ssize_t n = write(fd, text.data(), text.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return;
        text.remove_prefix(size_t(n));
    }
}

/// Returns the number of bytes at the end of `s` that begin a UTF-8 sequence without completing it.
size_t incomplete_tail(const std::string &s) {
    for (size_t back = 1; back <= 3 && back <= s.size(); back++) {
        unsigned char c = static_cast<unsigned char>(s[s.size() - back]);
        if ((c & 0xC0) == 0x80) continue;
        size_t need = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : c >= 0xC0 ? 2 : 1;
        return need > back ? back : 0;
    }
    return 0;
}
} // namespace

bool IoPub::in_forked_child() { return forked.load(std::memory_order_relaxed); }

IoPub::IoPub(zmq::context_t &context, const std::string &endpoint, const wire::Signer &signer)
    : socket_(context, zmq::socket_type::pub), signer_(signer) {
    socket_.set(zmq::sockopt::sndhwm, 0); // before bind; the default of 1000 loses messages
    socket_.set(zmq::sockopt::linger, 1000);
    socket_.bind(endpoint);
}

IoPub::~IoPub() { stop(); }

std::string IoPub::endpoint() const { return socket_.get(zmq::sockopt::last_endpoint); }

void IoPub::set_session(std::string session, std::string user) {
    std::lock_guard lock(mutex_);
    session_ = std::move(session);
    user_ = std::move(user);
}

std::string IoPub::make_header(const std::string &type) const {
    return wire::text(xeus::make_header(type, user_, session_));
}

IoPub::Parent IoPub::set_parent(Parent parent) {
    std::lock_guard lock(mutex_);
    flush_locked();
    return std::exchange(parent_, std::move(parent));
}

IoPub::Parent IoPub::parent() const {
    if (in_forked_child()) return parent_; // a thread that does not exist in the child may have held the lock
    std::lock_guard lock(mutex_);
    return parent_;
}

void IoPub::send(wire::Parts parts, const std::string &topic, const std::vector<wire::Buffer> &buffers) {
    wire::Frames frames = wire::pack({topic}, parts, buffers, signer_);
    for (size_t i = 0; i < frames.size(); i++) {
        auto flags = i + 1 < frames.size() ? zmq::send_flags::sndmore : zmq::send_flags::none;
        while (zmq_send(socket_.handle(), frames[i].data(), frames[i].size(), int(flags)) < 0 && errno == EINTR) {
        }
    }
}

void IoPub::publish(const std::string &type, const std::string &parent, const std::string &metadata,
                    const std::string &content, const std::vector<wire::Buffer> &buffers) {
    if (in_forked_child()) return;
    std::lock_guard lock(mutex_);
    flush_locked();
    send({make_header(type), parent, metadata, content}, "kernel." + type, buffers);
}

void IoPub::publish_under(const std::string &older, const std::string &type, const std::string &metadata,
                          const std::string &content, const std::vector<wire::Buffer> &buffers) {
    if (in_forked_child()) return;
    drain();
    std::lock_guard lock(mutex_);
    flush_locked();
    send({make_header(type), older.empty() ? parent_.header : older, metadata, content}, "kernel." + type, buffers);
}

void IoPub::stream(const char *name, std::string_view text, std::string_view older) {
    if (text.empty()) return;
    if (in_forked_child()) return write_all(*name && name[3] == 'e' ? 2 : 1, text);
    drain();
    std::lock_guard lock(mutex_);
    append_locked(name, text, older);
}

void IoPub::append_locked(const char *name, std::string_view text, std::string_view older) {
    if (pending_name_ != name || pending_older_ != older) {
        flush_locked();
        pending_name_ = name;
        pending_older_ = older;
    }
    bool first = pending_.empty();
    pending_ += text;
    if (pending_.size() >= flush_bytes)
        flush_locked();
    else if (first)
        wake_flusher_.notify_one();
}

void IoPub::flush_locked() {
    if (pending_.empty()) return;
    std::string content = wire::text({{"name", pending_name_}, {"text", pending_}});
    pending_.clear();
    const char *dying = fault_report::header_of_dying_cell();
    const std::string &header = pending_older_.empty() ? parent_.header : pending_older_;
    send({make_header("stream"), dying ? dying : header, "{}", std::move(content)}, "stream." + pending_name_, {});
}

void IoPub::flush() {
    if (in_forked_child()) return;
    drain();
    std::lock_guard lock(mutex_);
    flush_locked();
}

void IoPub::start() {
    pthread_atfork(nullptr, nullptr, [] { forked = true; });
    if (pipe2(wake_, O_CLOEXEC | O_NONBLOCK) != 0) throw std::runtime_error("cannot make a pipe");
    if ((filled_ = epoll_create1(EPOLL_CLOEXEC)) < 0) throw std::runtime_error("cannot watch pipes");
    fflush(nullptr);
    for (Pipe &p : pipes_) {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("cannot make a pipe");
        p.real = fcntl(p.fd, F_DUPFD_CLOEXEC, 3);
        p.read_end = ends[0];
        fcntl(p.read_end, F_SETFL, O_NONBLOCK);
        dup2(ends[1], p.fd);
        ::close(ends[1]);
        epoll_event wanted = {};
        wanted.events = EPOLLIN;
        if (epoll_ctl(filled_, EPOLL_CTL_ADD, p.read_end, &wanted) != 0)
            throw std::runtime_error("cannot watch a pipe");
    }
    setvbuf(stdout, nullptr, _IOLBF, 0);
    started_ = true;
    reader_ = std::thread([this] { read_loop(); });
    flusher_ = std::thread([this] { flush_loop(); });
}

/// Returns false at the end of the pipe.
bool IoPub::drain_pipe(Pipe &p) {
    char bytes[16384];
    for (;;) {
        ssize_t n = read(p.read_end, bytes, sizeof bytes);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return n < 0;
        std::lock_guard lock(mutex_);
        if (!busy_ && p.fd == 2) {
            write_all(p.real, {bytes, size_t(n)});
            continue;
        }
        std::string text = std::move(p.tail) + std::string(bytes, size_t(n));
        size_t keep = incomplete_tail(text);
        p.tail = text.substr(text.size() - keep);
        append_locked(p.name, std::string_view(text).substr(0, text.size() - keep), {});
    }
}

void IoPub::drain() {
    if (!started_ || in_forked_child()) return;
    std::lock_guard lock(pipe_mutex_); // locked first, because the reader may hold bytes that are no longer in a pipe
    epoll_event filled[2];
    if (epoll_wait(filled_, filled, 2, 0) == 0) return;
    for (Pipe &p : pipes_) drain_pipe(p);
}

void IoPub::set_busy(bool busy) {
    if (!busy) {
        fflush(stdout);
        drain();
    }
    std::lock_guard lock(mutex_);
    busy_ = busy;
}

void IoPub::read_loop() {
    for (;;) {
        pollfd waiting[3] = {{pipes_[0].read_end, POLLIN, 0}, {pipes_[1].read_end, POLLIN, 0}, {wake_[0], POLLIN, 0}};
        if (poll(waiting, 3, -1) < 0 && errno != EINTR) return;
        if (waiting[2].revents) return;
        std::lock_guard lock(pipe_mutex_);
        for (Pipe &p : pipes_) drain_pipe(p);
    }
}

void IoPub::flush_loop() {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
        wake_flusher_.wait(lock, [this] { return stopping_ || !pending_.empty(); });
        wake_flusher_.wait_for(lock, flush_period, [this] { return stopping_; });
        flush_locked();
    }
}

void IoPub::stop() {
    if (!started_ || in_forked_child()) return;
    fflush(stdout);
    flush();
    {
        std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    wake_flusher_.notify_all();
    [[maybe_unused]] ssize_t n = write(wake_[1], "x", 1);
    reader_.join();
    flusher_.join();
    for (Pipe &p : pipes_) dup2(p.real, p.fd);
    started_ = false;
}

void IoPub::close() {
    std::lock_guard lock(mutex_);
    socket_.close();
}

} // namespace qd::kernel
