#pragma once
// For tests: whatever the walk meets and does not own is gone at once, not some time. PYTHONMALLOC=debug then shows it.

namespace qd::frontend {

inline bool collects_garbage = false; ///< the option `collect`

/// Collects the garbage of Python if that is on. An error that is set stays set.
void collect_if_asked();

} // namespace qd::frontend
