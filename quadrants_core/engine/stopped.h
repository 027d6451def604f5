#pragma once
// A launch that Stop ended, and where it stood then.
#include "base/stop.h"
#include "engine/program.h"

namespace qd::engine {

struct __attribute__((visibility("default"))) StoppedLaunch : Interrupted {
    Activity at;
    explicit StoppedLaunch(Activity a) : at(std::move(a)) {}
};

/// The launch under way, with `watch_lock` held. Its launch may have ended meanwhile: then it is of the time of the look, or of nothing.
void describe_launch(const Program::Impl &p, Activity &now);

} // namespace qd::engine
