#pragma once
// The interface of a device. All operations are pure virtual: a backend that lacks one does not compile.
//
// Device addresses are opaque numbers to the host: it may dereference one only if Buffer::host is set. Everything else goes through the
// operations of a stream.
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

/// The way in which a task performed its atomic updates in its last launch.
struct UpdateMode {
    enum class How : uint8_t {
        unknown,  ///< it does none, or ran in a region, or was not launched
        unlocked, ///< on one thread, also if code with locks does not pay or is unavailable
        locked,
        copies,    ///< each thread in its own copy
        parts,     ///< in a fixed order: each part of the range in its own copy
        one_thread ///< in a fixed order
    } how = How::unknown;
    uint32_t copies = 0;
    uint64_t bytes = 0; ///< total over all copies
};

/// Code of one task, ready to run. Owned by the device that loaded it.
struct LoadedTask {
    virtual ~LoadedTask() = default;
    /// Called when better code of the same task was loaded: running launches may switch to it. Both stay loaded.
    virtual void switch_to(const LoadedTask &) {}
    /// Called when code of the same task with locks was loaded (DeviceOptions::need_locks). Both stay loaded.
    virtual void set_locked_code(const LoadedTask &) {}
    virtual UpdateMode update_mode() const { return {}; }
    /// Its code as loaded in memory; empty if faults in it are not reported.
    virtual std::span<const uint8_t> code() const { return {}; }
};

/// The settings with which a device is opened.
struct DeviceOptions {
    int device = 0;           ///< index among devices of its kind
    int threads = 0;          ///< concurrent workers; 0: all cores
    uint64_t random_seed = 0; ///< seeds the workers' random generators
    /// For loops without their own number: the iterations that a host worker takes at once, 0: chosen by cost; on a device with blocks of
    /// threads, the threads of a block.
    uint32_t block_dim = 0;
    /// Called on the launching thread when a task's code needs one thread or copies (abi::Needs) but several threads would pay: requests
    /// code with locks, to be passed to `set_locked_code`. Without such code one thread runs the task. Null: such code is never available.
    void (*need_locks)(const abi::Launch &) = nullptr;
};

struct DeviceInfo {
    std::string name;
    int threads = 1;
    uint64_t memory = 0;      ///< total bytes
    bool host_visible = true; ///< every Buffer has its `host`, and a launch is done when the call returns
    /// Tasks run as host code, which may call HostServices and share memory with them: see HostAccess.
    bool runs_on_host = true;
};

/// A task in a section of a region, with the data specific to its launch.
struct SectionTask {
    LoadedTask *task;
    const abi::Task *info;
    uint64_t *counters;
    const void *record; ///< abi::HostServices::task
};

/// A point in the work of a stream: everything submitted before it.
struct Event {
    Stream *stream = nullptr;
    uint64_t number = 0;
};

/// The progress of a range, in chunks.
struct Progress {
    uint32_t done = 0, all = 0; ///< 0 of 0: unknown
};

/// Device work, executed in submission order. Operations may return before their work is done; only one thread at a time may call them.
class Stream {
  public:
    virtual ~Stream() = default;
    /// `from` may be reused when this returns.
    virtual void upload(uint64_t to, const void *from, uint64_t bytes) = 0;
    /// `to` holds the bytes after the next `wait`.
    virtual void download(void *to, uint64_t from, uint64_t bytes) = 0;
    /// Copies within the device; the regions may overlap.
    virtual void copy(uint64_t to, uint64_t from, uint64_t bytes) = 0;
    virtual void fill(uint64_t to, uint8_t byte, uint64_t bytes) = 0;
    /// `launch` is followed by `info.slots` arguments. Memory reachable from the record, and `info`, must outlive the next `wait`; the record
    /// itself need not. Once `failed` is set, tasks do
    /// nothing.
    virtual void launch(LoadedTask &task, const abi::Task &info, abi::Launch &launch) = 0;
    /// Runs tasks ordered by section: those of one section in order, different sections concurrently. Returns the microseconds of
    /// single-threaded work that overlapped; nothing, with no work done, if the device runs one task at a time.
    virtual std::optional<double> launch_sections(std::span<const SectionTask> tasks, const abi::Launch &launch) = 0;
    virtual Event record() = 0;
    /// Work submitted to this stream from now on starts after the event, which may belong to another stream.
    virtual void wait_for(const Event &event) = 0;
    /// The heap use of the tasks that have completed since the last call.
    virtual abi::HeapUse take_heap_use() = 0;
    /// The heap use so far of the running task, from any thread; empty if the host cannot see it.
    virtual abi::HeapUse heap_use_so_far() const { return {}; }
    /// The progress of the running task, from any thread.
    virtual Progress progress_so_far() const { return {}; }
    /// Returns when all work is done. Throws the error that occurred since the last call; work submitted after the failing work is not
    /// done. A Fault names its task.
    virtual void wait() = 0;
};

class Device {
  public:
    virtual ~Device() = default;
    /// Returns zeroed, 64-byte aligned memory. Throws DeviceError if there is none.
    virtual Buffer alloc(uint64_t bytes) = 0;
    /// Returns zeroed memory for words that host and tasks access while a task runs. `host` is set on every device; where the host sees all
    /// memory, any memory will do.
    virtual Buffer alloc_mapped(uint64_t bytes) { return alloc(bytes); }
    /// No pending work may use the buffer.
    virtual void free(const Buffer &buffer) = 0;
    /// The stream must be destroyed before the device.
    virtual std::unique_ptr<Stream> open_stream() = 0;
    /// The result is shared so that an optimised build may replace it while an old launch still runs.
    virtual std::shared_ptr<LoadedTask> load(const abi::Task &task, const abi::Binary &binary) = 0;
    virtual DeviceInfo info() = 0;

    /// Names and numbers, for a device that counts the calls of its operations.
    virtual std::vector<std::pair<std::string, uint64_t>> calls() { return {}; }

  private:
    friend class HostAccess;
    virtual void open_to_host() {}
    virtual void close_to_host() {}
};

/// While this object lives, host code that belongs to a device, such as the runtime of sparse trees, may dereference addresses of the
/// device. For devices with `runs_on_host`.
class HostAccess {
  public:
    explicit HostAccess(Device &device) : device_(device) { device_.open_to_host(); }
    ~HostAccess() { device_.close_to_host(); }
    HostAccess(const HostAccess &) = delete;

  private:
    Device &device_;
};

} // namespace qd::runtime
