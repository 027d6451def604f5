#pragma once
// For tests: frees objects that the walk uses but does not own at once instead of at some later time, so that PYTHONMALLOC=debug exposes
// the use.

namespace qd::frontend {

inline bool collects_garbage = false; ///< the option `collect`

/// Runs Python's garbage collector if the option is on. A pending Python error stays set.
void collect_if_asked();

} // namespace qd::frontend
