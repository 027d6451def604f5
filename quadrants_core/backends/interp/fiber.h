#pragma once
// A call that can be suspended in the middle and resumed later, on a stack of its own.
#include <exception>
#include <functional>
#include <memory>

namespace qd::backends::interpreter {

/// All fibers of a thread share it: they run one at a time, and only code outside of fibers resumes one.
class Fiber {
  public:
    explicit Fiber(std::function<void()> call);
    /// A fiber that has begun must have ended: `cancel` ends it.
    ~Fiber();
    Fiber(const Fiber &) = delete;

    /// Runs the call until it suspends itself or ends. If it ended with an exception, throws that.
    void resume();
    bool ended() const { return ended_; }
    /// Ends a suspended call: `suspend` throws in it, so that its objects are destroyed.
    void cancel();
    /// Suspends the call that runs in this fiber.
    void suspend();

  private:
    struct Context;
    static void enter(unsigned low, unsigned high);
    void run();
    void switch_in();

    std::unique_ptr<Context> context_;
    std::function<void()> call_;
    std::exception_ptr trouble_;
    bool begun_ = false, ended_ = false, cancelled_ = false;
};

} // namespace qd::backends::interpreter
