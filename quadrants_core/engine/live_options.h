#pragma once
// The options that the engine reads again for each kernel or launch: qd.cfg may change them while the program runs.
#include "options/options.h"

#include <algorithm>
#include <atomic>

namespace qd::engine {

struct LiveOptions {
    std::atomic<bool> print_ir{false}, print_places{false}; ///< places: with each printed instruction
    std::atomic<bool> profile{false}, timeline{false};
    std::atomic<int> compile_threads{1};

    void follow(const Options &options) {
        print_ir = options.print_ir;
        print_places = options.print_ir_dbg_info;
        profile = options.kernel_profiler;
        timeline = options.timeline;
        compile_threads = int(std::clamp<int64_t>(options.num_compile_threads, 1, 1 << 10));
    }
};

} // namespace qd::engine
