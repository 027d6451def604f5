// Stop reaches the compiler: between passes, and while a backend emits, without waiting for it.
#include "engine/compiler.h"
#include "engine/emit.h"
#include "engine/observers.h"
#include "engine/queues.h"
#include "program_kernels.h"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace qd::test {
namespace {

/// A gate that one thread opens and another waits for.
class Gate {
  public:
    void open() {
        const std::lock_guard guard(lock_);
        open_ = true;
        changed_.notify_all();
    }
    void wait() {
        std::unique_lock guard(lock_);
        changed_.wait(guard, [this] { return open_; });
    }

  private:
    std::mutex lock_;
    std::condition_variable changed_;
    bool open_ = false;
};

Gate entered, may_leave, left;
std::thread::id emitted_by;

abi::Binary emit_slowly(const ir::Function &task, const backends::Caps &caps, backends::Tier, SpanQuery *) {
    emitted_by = std::this_thread::get_id();
    entered.open();
    may_leave.wait();
    abi::Binary binary{caps.target + task.name, {}};
    left.open();
    return binary;
}

abi::Binary emit_at_once(const ir::Function &task, const backends::Caps &, backends::Tier, SpanQuery *) {
    emitted_by = std::this_thread::get_id();
    if (task.name == "refused") throw std::runtime_error("refused");
    return {task.name, {}};
}

const backends::Backend slow = {.name = "slow", .emit = emit_slowly};
const backends::Backend quick = {.name = "quick", .emit = emit_at_once};

TEST(Stop, does_not_wait_for_a_backend) {
    ir::Function task = large(1000);
    std::thread presses([] {
        entered.wait();
        request_stop();
    });
    EXPECT_THROW(engine::emit({slow, {}}, task, backends::Tier::fast),
                 Interrupted); // raised before the backend has ended
    presses.join();
    clear_stop();
    EXPECT_NE(emitted_by, std::this_thread::get_id());
    may_leave.open(); // the objects it uses still exist
    left.wait();
}

TEST(Stop, emission_apart_gives_the_same_as_at_once) {
    for (int steps : {1, 2000}) {
        ir::Function task = large(steps);
        const std::string text = ir::print(task);
        EXPECT_EQ(engine::emit({quick, {}}, task, backends::Tier::fast).target, "large");
        EXPECT_EQ(emitted_by == std::this_thread::get_id(), steps == 1);
        EXPECT_EQ(ir::print(task), text);
        task.name = "refused";
        EXPECT_THROW(engine::emit({quick, {}}, task, backends::Tier::fast), std::runtime_error);
    }
}

/// Presses Stop when the first pass has been dumped.
struct Presser : engine::Observer {
    std::atomic<int> dumps{0}, compiled_kernels{0};
    void output(std::string_view) override {
        dumps++;
        request_stop();
    }
    void compiled(const engine::CompileReport &) override { compiled_kernels++; }
};

TEST(Stop, ends_a_compilation_between_passes) {
    Options options;
    options.arch = "interp";
    options.offline_cache = false;
    options.dump = "all";
    engine::Program program(options);
    Presser presser;
    program.observers().subscribe(&presser);
    EXPECT_THROW(program.compiler().compile(saxpy(), 0), Interrupted);
    EXPECT_EQ(presser.dumps, 1);
    EXPECT_EQ(presser.compiled_kernels, 0);
    program.observers().unsubscribe(&presser);
    clear_stop();
    std::vector<float> x(100, 1.0f), y(100, 1.0f);
    Args args;
    args.scalar(3).array(x).array(y);
    program.queues().launch(*program.compiler().compile(saxpy(), 0), args.record(), nullptr);
    EXPECT_EQ(y[99], 4);
}

} // namespace
} // namespace qd::test
