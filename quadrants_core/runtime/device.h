#pragma once
// What a device can do, in eight verbs. All pure virtual: a backend that cannot do one does not compile.
#include "abi/abi.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace qd::runtime {

/// Code of one task, ready to run. Owned by the device that loaded it.
struct LoadedTask {
    virtual ~LoadedTask() = default;
    /// Better code of the same task was loaded: launches under way may go on with it. Both stay.
    virtual void go_on_with(const LoadedTask &) {}
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
};

struct DeviceInfo {
    std::string name;
    int threads = 1;
    uint64_t memory = 0;      ///< bytes in all
    bool host_visible = true; ///< device addresses can be dereferenced on the host
};

class Device {
  public:
    virtual ~Device() = default;
    /// Zeroed memory, 64-byte aligned; DeviceError if there is none.
    virtual void *alloc(uint64_t bytes) = 0;
    virtual void free(void *p) = 0;
    virtual void copy(void *to, const void *from, uint64_t bytes) = 0;
    virtual void fill(void *to, uint8_t byte, uint64_t bytes) = 0;
    /// Shared so that an optimised build may replace it while an old launch still runs.
    virtual std::shared_ptr<LoadedTask> load(const abi::Task &task, const abi::Binary &binary) = 0;
    virtual void launch(LoadedTask &task, const abi::Task &info, abi::Launch &launch) = 0;
    virtual void wait() = 0;
    virtual DeviceInfo info() = 0;
};

} // namespace qd::runtime
