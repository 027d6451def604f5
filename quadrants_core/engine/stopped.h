#pragma once
// A launch that Stop ended, and its position at that point.
#include "base/stop.h"
#include "engine/reports.h"

namespace qd::engine {

struct __attribute__((visibility("default"))) StoppedLaunch : Interrupted {
    Activity at;
    explicit StoppedLaunch(Activity a) : at(std::move(a)) {}
};

} // namespace qd::engine
