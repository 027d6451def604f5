#pragma once
// Everything the kernel broadcasts. Any thread may publish, with or without the GIL; messages are sent in the order of the calls. Text of
// streams is collected and sent every 40 ms, at 64 KiB, and before any other message, so that 10,000 prints are two messages and none is
// lost. Text that C and C++ code writes to file descriptors 1 and 2 is added to the same streams.
#include "wire.h"

#include <zmq.hpp>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace qd::kernel {

class IoPub {
  public:
    IoPub(zmq::context_t &context, const std::string &endpoint, const wire::Signer &signer);
    ~IoPub();
    std::string endpoint() const;
    void set_session(std::string session, std::string user);

    /// A request that runs user code. `message` contains its header and metadata, and the content if it runs a cell, as IPython's
    /// `kernel.get_parent()` returns them.
    struct Parent {
        std::string header = "{}";
        wire::Json message = wire::Json::object();
    };
    /// Sets the request that later messages and streams belong to, and returns the previous one, under which text collected so far is sent.
    Parent set_parent(Parent parent);
    Parent parent() const;
    std::string make_header(const std::string &type) const;

    void publish(const std::string &type, const std::string &parent, const std::string &metadata,
                 const std::string &content, const std::vector<wire::Buffer> &buffers = {});
    /// Publishes under the current parent, or if `older` is not empty, under the request with that header.
    void publish_under(const std::string &older, const std::string &type, const std::string &metadata,
                       const std::string &content, const std::vector<wire::Buffer> &buffers = {});
    void stream(const char *name, std::string_view text, std::string_view older = {});
    void flush();

    /// Replaces descriptors 1 and 2 by pipes and starts the threads that read them and flush the streams.
    void start();
    /// Reads what is in the pipes; afterwards everything written before this call is in the streams.
    void drain();
    /// Returns the original descriptor 2, before `start`.
    int log() const { return pipes_[1].real; }
    /// While no request runs, text on descriptor 2 is log output of libraries and is written to the original descriptor.
    void set_busy(bool busy);
    /// Ends the threads and restores the descriptors.
    void stop();
    /// No message is sent after this.
    void close();

    /// True in a child made by fork: it has no sockets and no threads, and writes text to the pipes of the parent.
    static bool in_forked_child();

  private:
    struct Pipe {
        const char *name;
        int fd = -1, real = -1, read_end = -1;
        std::string tail; ///< an incomplete UTF-8 sequence
    };
    void send(wire::Parts parts, const std::string &topic, const std::vector<wire::Buffer> &buffers);
    void flush_locked();
    void append_locked(const char *name, std::string_view text, std::string_view older);
    bool drain_pipe(Pipe &pipe);
    void read_loop();
    void flush_loop();

    zmq::socket_t socket_;
    const wire::Signer &signer_;
    mutable std::mutex mutex_; ///< guards the socket, the parent and the collected text
    std::string session_, user_;
    Parent parent_;
    std::string pending_, pending_name_, pending_older_;
    std::mutex pipe_mutex_; ///< locked before mutex_
    Pipe pipes_[2] = {{"stdout", 1}, {"stderr", 2}};
    int wake_[2] = {-1, -1};
    int filled_ = -1; ///< an epoll over the pipes: checked for each piece of text, and cheaper than poll
    bool busy_ = false, stopping_ = false, started_ = false;
    std::condition_variable wake_flusher_;
    std::thread reader_, flusher_;
};

} // namespace qd::kernel
