#include "backends/interp/fiber.h"

#include "base/error.h"

#include <sys/mman.h>
#include <ucontext.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif

namespace qd::backends::interpreter {

namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr size_t stack_bytes = 4 << 20; // frames are larger there
void before_switch(void **own, const void *stack, size_t bytes) { __sanitizer_start_switch_fiber(own, stack, bytes); }
void after_switch(void *own, const void **from, size_t *bytes) { __sanitizer_finish_switch_fiber(own, from, bytes); }
#else
constexpr size_t stack_bytes = 512 << 10;
void before_switch(void **, const void *, size_t) {}
void after_switch(void *, const void **, size_t *) {}
#endif
constexpr size_t guard_bytes = 4096; ///< below the stack; never accessible

/// Stacks are reused: the fibers of the next block of threads take those of the last one.
class Stacks {
  public:
    ~Stacks() {
        for (char *stack : spare_) munmap(stack - guard_bytes, stack_bytes + guard_bytes);
    }
    char *take() {
        if (!spare_.empty()) {
            char *stack = spare_.back();
            spare_.pop_back();
            return stack;
        }
        void *base = mmap(nullptr, stack_bytes + guard_bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (base == MAP_FAILED) fail_device("mmap", errno, std::strerror(errno));
        mprotect(base, guard_bytes, PROT_NONE);
        return static_cast<char *>(base) + guard_bytes;
    }
    void give(char *stack) { spare_.push_back(stack); }

  private:
    std::vector<char *> spare_;
};
thread_local Stacks stacks;

struct Cancelled {};

} // namespace

struct Fiber::Context {
    ucontext_t own{}, resumer{};
    char *stack = stacks.take();
    void *fake_stack = nullptr;          ///< AddressSanitizer's, of the fiber while it is suspended
    const void *resumer_stack = nullptr; ///< where `resume` was called
    size_t resumer_bytes = 0;
    ~Context() { stacks.give(stack); }
};

Fiber::Fiber(std::function<void()> call) : call_(std::move(call)) {}

Fiber::~Fiber() = default;

void Fiber::enter(unsigned low, unsigned high) {
    auto *fiber = reinterpret_cast<Fiber *>(uintptr_t(high) << 32 | low);
    Context &context = *fiber->context_;
    after_switch(nullptr, &context.resumer_stack, &context.resumer_bytes);
    fiber->run();
    before_switch(nullptr, context.resumer_stack, context.resumer_bytes); // null: the fiber is gone
}

void Fiber::run() {
    try {
        call_();
    } catch (const Cancelled &) {
    } catch (...) {
        trouble_ = std::current_exception();
    }
    ended_ = true;
}

void Fiber::switch_in() {
    void *own = nullptr;
    before_switch(&own, context_->stack, stack_bytes);
    swapcontext(&context_->resumer, &context_->own);
    after_switch(own, nullptr, nullptr);
    if (ended_) context_.reset();
}

void Fiber::resume() {
    if (!begun_) {
        begun_ = true;
        context_ = std::make_unique<Context>();
        getcontext(&context_->own);
        context_->own.uc_stack.ss_sp = context_->stack;
        context_->own.uc_stack.ss_size = stack_bytes;
        context_->own.uc_link = &context_->resumer;
        const auto self = uintptr_t(this);
        makecontext(&context_->own, reinterpret_cast<void (*)()>(&Fiber::enter), 2, unsigned(self),
                    unsigned(self >> 32));
    }
    switch_in();
    if (trouble_) std::rethrow_exception(std::exchange(trouble_, nullptr));
}

void Fiber::suspend() {
    Context &context = *context_;
    before_switch(&context.fake_stack, context.resumer_stack, context.resumer_bytes);
    swapcontext(&context.own, &context.resumer);
    after_switch(context.fake_stack, &context.resumer_stack, &context.resumer_bytes);
    if (cancelled_) throw Cancelled{};
}

void Fiber::cancel() {
    if (!begun_ || ended_) return;
    cancelled_ = true;
    switch_in();
    trouble_ = nullptr;
}

} // namespace qd::backends::interpreter
