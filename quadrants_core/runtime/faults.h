#pragma once
// What the processor refuses in compiled code, an address outside of all memory or a division that has no result, ends
// the task with a C++ exception instead of the process. Faults elsewhere go to whoever handled them before.
//
// The handlers stand in front of those that the process has; they run on a stack of their own, as a task may have used
// up its thread's. The task is left by a jump: compiled code has nothing to clean up.
//
// A kernel that ran past the end of an array may have gone over the heap before it met the hole behind. What an
// exception would need is gone then: the process ends, and says why.
#include "abi/abi.h"

#include <cstddef>
#include <cstdint>

extern "C" __attribute__((visibility("hidden"))) void qd_guarded_call(const qd::abi::Launch *, qd::abi::Thread *,
                                                                      int64_t begin, int64_t end, qd::abi::Body);

namespace qd::runtime {

/// What `call_guarded` throws.
struct Fault {
    enum class Kind : uint8_t { read, write, stack, arithmetic, instruction };
    Kind kind = Kind::read;
    bool has_address = false;
    uintptr_t address = 0; ///< that could not be accessed
    uintptr_t at = 0;      ///< the instruction
    /// abi::HostServices::task of the launch, if the device tells faults later than in the call; else null.
    const void *task = nullptr;
};

/// Faults in [begin, begin + size) are told for as long as it lives.
class GuardedCode {
  public:
    GuardedCode(const void *begin, size_t size);
    ~GuardedCode();
    GuardedCode(const GuardedCode &) = delete;

  private:
    struct Place;
    friend bool is_guarded(uintptr_t at);
    Place *place_;
};

/// Whether the instruction at this address lies in guarded code. For signal handlers too.
bool is_guarded(uintptr_t at);

/// Puts the handlers in front of those of the process, unless they are there. Any thread.
void watch_faults();
/// The same if that was done before: others may have come in front since.
void keep_watching_faults();
/// Unblocks the signals of faults and gives the thread a stack for handlers if it has none.
void prepare_thread_for_faults();

constexpr uint64_t page_bytes = 4096; ///< what can be accessed can be to the end of a page

/// Throws Fault if the byte cannot be read, or written; it keeps its value. For code that is not guarded.
void probe(uintptr_t address, bool writes);

/// Ends the process, with last words (last_words.h), if a kernel ran over the heap. A fault that comes then in guarded code ends
/// it too; this is for when the chunks that ran beside the one with the fault are done.
void end_if_memory_is_spoiled();

/// For handlers that end the process after a fault or an abort: says what kernels may have to do with it (last_words.h).
void explain_end();

/// Whether this thread did.
extern constinit thread_local bool prepared_for_faults __attribute__((tls_model("initial-exec")));

/// Calls compiled code, or what calls it and has nothing to clean up. Throws Fault.
inline void call_guarded(const abi::Launch *launch, abi::Thread *thread, int64_t begin, int64_t end, abi::Body body) {
    if (!prepared_for_faults) [[unlikely]]
        prepare_thread_for_faults();
    qd_guarded_call(launch, thread, begin, end, body);
}

} // namespace qd::runtime
