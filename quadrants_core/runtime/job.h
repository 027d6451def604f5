#pragma once
// The chunks of one task on the threads of a launcher, shared by Launcher::run and tasks with a fixed order.
#include "runtime/chunks.h"
#include "runtime/launcher.h"

#include <algorithm>

namespace qd::runtime {

inline constexpr int64_t few_chunks = 8; ///< if loops of any length are shared

struct Job {
    Job(Launcher &launcher, const std::atomic<const TaskEntry *> &entry, const abi::Launch &launch, int64_t begin,
        int64_t end, int64_t chunk);

    const std::atomic<const TaskEntry *> &entry;
    const abi::Launch *launch;
    const volatile uint32_t *stop;
    const uint32_t *failed;
    Launcher::State *states;
    int64_t begin, end, chunk;
    double work = 0;                    ///< total, in simple operations
    const TaskEntry *const begun;       ///< the initial build
    const TaskEntry *shown;             ///< the build on which the update statistics are recorded
    abi::Needs met = abi::Needs::alone; ///< the requirements of code that this job meets
    const TaskEntry *copied = nullptr;  ///< set if the threads have copies of the memory that this build accumulates in
    /// For a task with a fixed order: the seed from which the random numbers of each chunk start again.
    const uint64_t *draws = nullptr;

    uint32_t chunks() const { return uint32_t((end - begin + chunk - 1) / chunk); }
    bool may_run(const TaskEntry &other) const {
        return other.updates.needs <= met && (!copied || other.accumulates_like(*copied));
    }
    /// A Pool::Work.
    static void run(const void *self, uint32_t thread, uint32_t index);
};

/// While this object lives, the random numbers of a thread are those of one chunk of one launch.
class ChunkDraws {
  public:
    /// `seed` null: the thread keeps its own random numbers.
    ChunkDraws(abi::Thread &thread, const uint64_t *seed, uint32_t chunk) : thread_(thread), changed_(seed) {
        if (changed_) [[unlikely]]
            begin(*seed, chunk);
    }
    ~ChunkDraws() {
        if (changed_) [[unlikely]]
            std::copy_n(own_, 2, thread_.random);
    }
    ChunkDraws(const ChunkDraws &) = delete;

  private:
    abi::Thread &thread_;
    const bool changed_;
    uint64_t own_[2];

    void begin(uint64_t seed, uint32_t chunk);
};

/// True if this pool work runs the chunks of a task, or parts made of them.
bool runs_chunks(Pool::Work work);

} // namespace qd::runtime
