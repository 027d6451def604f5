#pragma once
// Processor faults in compiled code, i.e. an access outside all memory or a division without a result, end the task with a C++ exception
// instead of ending the process. Faults elsewhere are passed to the previous handlers.
//
// The handlers are installed in front of those of the process; they run on their own stack, as a task may have exhausted the stack of its
// thread. The task is left by a jump: compiled code has nothing to clean up.
//
// A loop that runs past the end of an array on the heap overwrites the rest of the heap and faults directly behind it. The data that an
// exception would need is then lost: the process ends with an explanation.
#include "abi/abi.h"

#include <cstddef>
#include <cstdint>

extern "C" __attribute__((visibility("hidden"))) void qd_guarded_call(const qd::abi::Launch *, qd::abi::Thread *,
                                                                      int64_t begin, int64_t end, qd::abi::Body);

namespace qd::runtime {

/// Thrown by `call_guarded`.
struct Fault {
    enum class Kind : uint8_t { read, write, stack, arithmetic, instruction };
    Kind kind = Kind::read;
    bool has_address = false;
    uintptr_t address = 0; ///< the address that could not be accessed
    uintptr_t at = 0;      ///< the faulting instruction
    /// abi::HostServices::task of the launch, if the device reports faults after the call; else null.
    const void *task = nullptr;
};

/// Faults in [begin, begin + size) are reported while this object lives.
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

/// True if the instruction at this address is in guarded code. Safe in signal handlers.
bool is_guarded(uintptr_t at);

/// Installs the handlers in front of those of the process, unless they are already. Callable from any thread.
void watch_faults();
/// The same, if watch_faults was called before: other handlers may have been installed in front since.
void keep_watching_faults();
/// Unblocks the fault signals and gives the thread a stack for handlers if it has none.
void prepare_thread_for_faults();

constexpr uint64_t page_bytes = 4096; ///< access rights are the same throughout a page

/// Throws Fault if the byte cannot be read or written; its value is unchanged. For use outside guarded code.
void probe(uintptr_t address, bool writes);

/// For handlers that end the process after a fault or an abort: reports how kernels may be involved (fault_report.h).
void explain_end();

/// True if this thread has called prepare_thread_for_faults.
extern constinit thread_local bool prepared_for_faults __attribute__((tls_model("initial-exec")));

/// Calls compiled code, or code that calls it and has nothing to clean up. Throws Fault.
inline void call_guarded(const abi::Launch *launch, abi::Thread *thread, int64_t begin, int64_t end, abi::Body body) {
    if (!prepared_for_faults) [[unlikely]]
        prepare_thread_for_faults();
    qd_guarded_call(launch, thread, begin, end, body);
}

} // namespace qd::runtime
