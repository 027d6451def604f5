#pragma once
// A launch that Stop ended, and its position at that point.
#include "base/stop.h"
#include "engine/program.h"

namespace qd::engine {

struct __attribute__((visibility("default"))) StoppedLaunch : Interrupted {
    Activity at;
    explicit StoppedLaunch(Activity a) : at(std::move(a)) {}
};

/// Describes the current launch; the caller holds `watch_lock`. The launch may have ended meanwhile: the result is then the state at the
/// time of the look, or empty.
void describe_launch(const Program::Impl &p, Activity &now);

} // namespace qd::engine
