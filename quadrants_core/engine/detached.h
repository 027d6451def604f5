#pragma once
// Threads that nobody waits for. The process may end under them, so what they use is never destroyed: nothing of theirs
// may live in a static object with a destructor.
#include <functional>
#include <thread>

#include <sys/types.h>

namespace qd::engine {

/// Signals are left to the threads of the program. Not joinable if there is no thread to be had.
std::thread start_thread(const char *name, std::function<void()> work);
/// The same for a thread that is never joined; false if there is none.
bool start_detached(const char *name, std::function<void()> work);

inline constexpr int background_priority = 5; ///< about a quarter of a core that is wanted by kernels
inline constexpr int lowest_priority = 19;
pid_t this_thread();
/// Of a thread of this process; 0: the calling one.
void lower_priority(pid_t thread, int niceness);

} // namespace qd::engine
