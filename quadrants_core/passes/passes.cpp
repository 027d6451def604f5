#include "passes/passes.h"

#include "base/error.h"
#include "base/stop.h"
#include "ir/verify.h"

#include <chrono>

namespace qd::passes {

namespace {

constexpr Pass table[] = {
#define PASS(id, doc) {#id, id, doc},
#include "passes/passes.def"
};

void check(std::string_view when, const ir::Function &fn) {
    std::vector<ir::Problem> problems = ir::verify(fn);
    if (!problems.empty())
        fail_internal(std::string(when) + " broke function " + fn.name + "\n" + ir::explain(fn, problems));
}

} // namespace

std::span<const Pass> all() { return table; }

const Pass *find(std::string_view name) {
    for (const Pass &p : table)
        if (p.name == name) return &p;
    return nullptr;
}

bool run(std::span<const Pass> pipeline, ir::Function &fn, const Config &config, bool verify, Observer *observer) {
    using Clock = std::chrono::steady_clock;
    bool any = false;
    if (verify) check("something before the passes", fn);
    for (const Pass &pass : pipeline) {
        poll_stop();
        Clock::time_point start = Clock::now();
        bool changed = pass.run(fn, config);
        std::chrono::duration<double, std::micro> spent = Clock::now() - start;
        any |= changed;
        if (verify && changed) check("pass " + std::string(pass.name), fn);
        if (observer) observer->after(pass, fn, changed, spent.count());
    }
    return any;
}

} // namespace qd::passes
