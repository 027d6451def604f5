// The way to the script: lines of JSON both ways over a socket, with descriptors of shared memory. A thread reads and
// writes; whoever draws takes what came. What cannot be a message ends the connection and leaves the window alone.
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
    // `wake` is called from the thread when there is something to take, or the connection has ended. `script` is the
    // process whose death ends the connection even if some child of it holds the socket; 0 for none.
    Connection(int socket, int script, std::function<void()> wake);
    Connection(const Connection &) = delete;
    Connection &operator=(const Connection &) = delete;
    ~Connection();

    // The next message, an object that has a `kind`. Mappings that came before it are there to be asked for.
    std::optional<Json> take();
    // Never waits. Pointer motion is dropped while the script reads nothing.
    void send(const Json &message);
    std::span<std::byte> memory(int id) const; // throws Garbled
    // A piece of it: `count` things of `size` bytes from a byte offset that suits them.
    std::span<std::byte> piece(int id, std::uint64_t at, std::uint64_t count, std::uint64_t size) const;

    void end(const std::string &why); // from whoever draws
    bool ended() const { return ended_; }
    std::string why() const; // empty if the script simply went

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
    mutable std::mutex lock_; // of all below
    std::string leaving_, why_;
    struct Arrived {
        Json message;
        std::unique_ptr<Memory> memory;
    };
    std::deque<Arrived> arrived_;
    std::map<int, std::unique_ptr<Memory>> memories_; // of whoever draws alone
    std::atomic<bool> ended_ = false, stop_ = false;
    std::thread thread_;
};

} // namespace qd::inspector
