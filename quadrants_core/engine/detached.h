#pragma once
// Threads that are never waited for. The process may end while they run, so objects they use are never destroyed: none of their data may
// live in a static object with a destructor.
#include <functional>
#include <thread>

#include <sys/types.h>

namespace qd::engine {

/// The thread blocks all signals, which the program's threads handle. Not joinable if no thread could be created.
std::thread start_thread(const char *name, std::function<void()> work);
/// The same for a thread that is never joined. Returns false if none could be created.
bool start_detached(const char *name, std::function<void()> work);

inline constexpr int background_priority = 5; ///< gets about a quarter of a core that kernels compete for
inline constexpr int lowest_priority = 19;
pid_t this_thread();
/// Lowers the priority of a thread of this process; 0 means the calling thread.
void lower_priority(pid_t thread, int niceness);

} // namespace qd::engine
