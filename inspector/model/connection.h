// The connection to the script: lines of JSON in both directions over a socket, with descriptors of shared memory. A thread
// reads and writes; the drawing thread takes the messages. Invalid input ends the connection but not the window.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "model/json.h"
#include "model/memory.h"

namespace qd::inspector {

class Connection {
  public:
    // `wake` is called from the thread when there is a message to take, or the connection has ended. `script` is the process
    // whose death ends the connection even if a child of it holds the socket; 0 for none.
    Connection(int socket, int script, std::function<void()> wake);
    Connection(const Connection &) = delete;
    Connection &operator=(const Connection &) = delete;
    ~Connection();

    // Returns the next message, an object that has a `kind`. Memory that was sent before it is available.
    std::optional<Json> take();
    // Never blocks. Input events are dropped while the script does not read.
    void send(const Json &message);
    std::span<std::byte> memory(int id) const; // throws Garbled
    // Returns `count` items of `size` bytes in a memory, from an aligned byte offset.
    std::span<std::byte> piece(int id, std::uint64_t at, std::uint64_t count, std::uint64_t size) const;

    void end(const std::string &why); // by the drawing thread
    bool ended() const { return ended_; }
    std::string why() const; // empty if the script just ended

  private:
    void run();
    bool read();
    bool write();
    void lines();
    void finish(const std::string &why);

    int socket_, script_ = -1, signal_ = -1;
    std::function<void()> wake_;
    std::string arriving_;
    std::size_t scanned_ = 0;
    std::deque<int> descriptors_;
    mutable std::mutex lock_; // guards the members below
    std::string leaving_, why_;
    struct Arrived {
        Json message;
        std::unique_ptr<Memory> memory;
    };
    std::deque<Arrived> arrived_;
    std::map<int, std::unique_ptr<Memory>> memories_; // used only by the drawing thread
    std::atomic<bool> ended_ = false, stop_ = false;
    std::thread thread_;
};

} // namespace qd::inspector
