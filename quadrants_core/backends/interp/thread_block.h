#pragma once
// A block of threads. They run one after the other; where they may wait for each other, each runs in a fiber, and they meet at
// convergent ops.
#include "backends/interp/fiber.h"
#include "backends/interp/memory.h"
#include "backends/interp/walk.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace qd::backends::interpreter {

class ThreadBlock {
  public:
    /// `around`: the memory of the code around the loop. `may_wait`: threads may wait for each other.
    ThreadBlock(const Function &fn, Geometry geometry, const Memory *around, bool may_wait)
        : fn_(fn), geometry_(geometry), around_(around), may_wait_(may_wait) {}

    /// Runs a block whose threads from `present` on lie past the end of the range: they do not run. `body` runs one thread and returns
    /// false if it leaves the task. Returns false if one did; the others have then left as well.
    bool run(int64_t index, uint32_t present, const std::function<bool(uint32_t thread)> &body);

    // The body of a thread calls these.

    /// A convergent op that a thread has reached.
    struct Arrival {
        Value op;
        uint64_t iteration = 0; ///< differs between the iterations of the loops around the op
        uint64_t operands[2] = {};
    };
    /// Returns the result of the op when all threads that it joins have reached it. Throws UserError if some cannot.
    uint64_t meet(uint32_t thread, const Arrival &arrival);
    /// Lets the other threads run: this one may wait for what they store.
    void pause(uint32_t thread);
    /// Returns a position op's value for a thread.
    uint32_t position(GroupOp op, uint32_t thread) const;
    /// Returns the address of the memory that a `shared` makes, once per block. Its contents are arbitrary.
    uint64_t shared(Value v);
    Memory &memory() { return *memory_; }

  private:
    enum class State : uint8_t { ready, waiting, ended, left };
    struct Member {
        std::unique_ptr<Fiber> fiber;
        State state = State::ready;
        Arrival arrival;
        uint64_t result = 0;
    };
    using Members = std::span<Member>;

    bool is_barrier(const Member &m) const;
    bool run_ready();
    bool release();
    bool release_group(Members group);
    bool release_block();
    bool stuck(const char *what, Members members);
    void give_results(Members group);
    uint64_t shuffled(Members group, uint32_t lane) const;
    std::string situation(Members members) const;
    std::string describe(const Member &m, const Member &first) const;
    void cancel();

    const Function &fn_;
    const Geometry geometry_;
    const Memory *around_;
    const bool may_wait_;
    uint32_t index_ = 0;
    std::optional<Memory> memory_;
    std::vector<Member> members_;
};

} // namespace qd::backends::interpreter
