#pragma once
// What a device can do. All verbs are pure virtual: a backend that cannot do one does not compile.
//
// Addresses of a device are numbers to the host: it follows one only where Buffer::host says that it may. All else goes
// through the verbs of a stream.
#include "abi/abi.h"
#include "runtime/buffer.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace qd::runtime {

class Stream;

/// How a task did its atomic updates when it was launched last.
struct Updated {
    enum class How : uint8_t {
        unknown,  ///< it does none, or ran in a region, or was not launched
        unlocked, ///< on one thread, also where code with locks does not pay, or cannot be had
        locked,
        copies,    ///< each thread in its own
        parts,     ///< in a fixed order: each part of the range in its own copy
        one_thread ///< in a fixed order
    } how = How::unknown;
    uint32_t copies = 0;
    uint64_t bytes = 0; ///< of all copies
};

/// Code of one task, ready to run. Owned by the device that loaded it.
struct LoadedTask {
    virtual ~LoadedTask() = default;
    /// Better code of the same task was loaded: launches under way may go on with it. Both stay.
    virtual void go_on_with(const LoadedTask &) {}
    /// Code of the same task with locks was loaded (DeviceOptions::need_locks). Both stay.
    virtual void has_locks_in(const LoadedTask &) {}
    virtual Updated updated() const { return {}; }
    /// Its code as it lies in memory; empty if faults in it are not told.
    virtual std::span<const uint8_t> code() const { return {}; }
    /// Which span the byte of the code at `offset` was made of; 0: that is not known.
    virtual uint32_t span_at(uint64_t offset) const {
        (void)offset;
        return 0;
    }
};

/// How to open a device.
struct DeviceOptions {
    int device = 0;           ///< which one of its kind
    int threads = 0;          ///< concurrent workers; 0: all cores
    uint64_t random_seed = 0; ///< of the workers' random generators
    uint32_t block_dim = 0; ///< rounds that a worker of the host takes at once, of loops without a number; 0: what pays
    /// Called in a launch of a task whose code needs one thread, or copies (abi::Needs), where several threads would pay, from the
    /// thread that launches: asks for code with locks, `has_locks_in`. Without it one thread does all. Null: there is never any.
    void (*need_locks)(const abi::Launch &) = nullptr;
};

struct DeviceInfo {
    std::string name;
    int threads = 1;
    uint64_t memory = 0;      ///< bytes in all
    bool host_visible = true; ///< every Buffer has its `host`
    /// Tasks are run by code of the host, which may call HostServices and share memory with them: see HostAccess.
    bool runs_on_host = true;
};

/// A task that stands in a section of a region, and what its launch has of its own.
struct SectionTask {
    LoadedTask *task;
    const abi::Task *info;
    uint64_t *counters;
    const void *record; ///< abi::HostServices::task
};

/// A point in the work of a stream: all that was given to it before.
struct Event {
    Stream *stream = nullptr;
    uint64_t number = 0;
};

/// How many chunks of a range are done.
struct Share {
    uint32_t done = 0, all = 0; ///< 0 of 0: that is not known
};

/// Work of a device, done in the order in which it was given. Verbs may return before their work is done; one thread at
/// a time calls them.
class Stream {
  public:
    virtual ~Stream() = default;
    /// `from` is free for other uses when this returns.
    virtual void upload(uint64_t to, const void *from, uint64_t bytes) = 0;
    /// `to` holds the bytes after the next `wait`.
    virtual void download(void *to, uint64_t from, uint64_t bytes) = 0;
    /// Between places of the device, which may overlap.
    virtual void copy(uint64_t to, uint64_t from, uint64_t bytes) = 0;
    virtual void fill(uint64_t to, uint8_t byte, uint64_t bytes) = 0;
    /// What `launch` leads to, and `info`, must stay until the next `wait`, `launch` itself need not. Once `failed` is set,
    /// tasks do nothing.
    virtual void launch(LoadedTask &task, const abi::Task &info, abi::Launch &launch) = 0;
    /// Tasks that stand section by section, those of one section in order, others side by side. Returns how many microseconds of
    /// work on one thread did not wait for each other; nothing, with nothing done, if the device runs one task at a time.
    virtual std::optional<double> launch_sections(std::span<const SectionTask> tasks, const abi::Launch &launch) = 0;
    virtual Event record() = 0;
    /// What is given to this stream from now on begins after the event, which may be of another one.
    virtual void wait_for(const Event &event) = 0;
    /// What tasks that have ended took of the heaps of their threads since the last time.
    virtual abi::HeapUse take_heap_use() = 0;
    /// What the task that runs has taken so far, from any thread; nothing, if the host cannot see that.
    virtual abi::HeapUse heap_use_so_far() const { return {}; }
    /// How much of the task that runs is done, from any thread.
    virtual Share share_so_far() const { return {}; }
    /// Returns when all work is done. Throws what went wrong since the last time; work that was given after that is not
    /// done. A Fault names its task.
    virtual void wait() = 0;
};

class Device {
  public:
    virtual ~Device() = default;
    /// Zeroed memory, 64-byte aligned; DeviceError if there is none.
    virtual Buffer alloc(uint64_t bytes) = 0;
    /// No work that uses it is under way.
    virtual void free(const Buffer &buffer) = 0;
    /// Ends before the device.
    virtual std::unique_ptr<Stream> open_stream() = 0;
    /// Shared so that an optimised build may replace it while an old launch still runs.
    virtual std::shared_ptr<LoadedTask> load(const abi::Task &task, const abi::Binary &binary) = 0;
    virtual DeviceInfo info() = 0;

    /// Of a device that counts how often each verb was called: names and numbers.
    virtual std::vector<std::pair<std::string, uint64_t>> calls() { return {}; }

  private:
    friend class HostAccess;
    virtual void open_to_host() {}
    virtual void close_to_host() {}
};

/// While it lives, code of the host that belongs to a device, such as the runtime of sparse trees, may follow addresses
/// of this device. For devices with `runs_on_host`.
class HostAccess {
  public:
    explicit HostAccess(Device &device) : device_(device) { device_.open_to_host(); }
    ~HostAccess() { device_.close_to_host(); }
    HostAccess(const HostAccess &) = delete;

  private:
    Device &device_;
};

} // namespace qd::runtime
