#pragma once
// For tests: whatever the walk meets and does not own is gone at once, not some time. PYTHONMALLOC=debug then shows it.

namespace qd::frontend {

/// Collects the garbage of Python if QD_COLLECT says so. An error that is set stays set.
void collect_if_asked();

} // namespace qd::frontend
