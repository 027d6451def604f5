// qd-property --count N --seed S [--only NAME] [--lanes BYTES] [--transcendental] [--statements M] [--smooth] [--large M]: checks every
// property on N random functions, or those whose names contain NAME; only those of `far` with `--only far`; those of derivatives with
// `--smooth`, on differentiable functions; those of backends with `--large`, on blocks of 1,000 to M instructions, every other one with
// fast_math. `--statements` makes the other functions larger than usual. A failure is shrunk, written as a .qir file, and ends the run with
// status 1. Every fourth function of the usual kind has threads that cooperate in blocks and groups; with --only-lanes all have.
#include "base/error.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "tools/derivative_properties.h"
#include "tools/random_function.h"
#include "tools/random_lanes.h"
#include "tools/random_large.h"
#include "tools/random_numbers.h"
#include "tools/random_smooth.h"
#include "tools/shrink.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <functional>
#include <iostream>
#include <map>

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace qd;
using namespace qd::tools;

struct Settings {
    uint64_t count = 1000, seed = 1;
    std::string only;
    int lanes = 16, failures = 5;
    double shrink_seconds = 60;
    bool transcendental = false, smooth = false, only_lanes = false;
    int statements = RandomOptions{}.statements;
    size_t large = 0; ///< instructions of the largest block; 0: functions of the usual size

    bool takes_long() const { return large || statements > 1000; }
};

Settings read_arguments(int argc, char **argv) {
    Settings s;
    for (int i = 1; i < argc; ++i) {
        std::string name = argv[i];
        auto value = [&] { return i + 1 < argc ? std::string(argv[++i]) : std::string("0"); };
        if (name == "--count")
            s.count = std::stoull(value());
        else if (name == "--seed")
            s.seed = std::stoull(value());
        else if (name == "--only")
            s.only = value();
        else if (name == "--shrink-seconds")
            s.shrink_seconds = std::stod(value());
        else if (name == "--lanes")
            s.lanes = std::stoi(value());
        else if (name == "--failures")
            s.failures = std::stoi(value());
        else if (name == "--transcendental")
            s.transcendental = true;
        else if (name == "--only-lanes")
            s.only_lanes = true;
        else if (name == "--smooth")
            s.smooth = true;
        else if (name == "--statements")
            s.statements = std::stoi(value());
        else if (name == "--large")
            s.large = std::stoull(value());
        else
            throw std::invalid_argument("unknown option " + name);
    }
    return s;
}

std::vector<Property> properties(const Settings &s) {
    std::vector<Property> all;
    auto add = [&](std::vector<Property> list) {
        for (Property &p : list)
            if (p.name.find(s.only) != std::string::npos) all.push_back(std::move(p));
    };
    if (s.smooth) {
        add(derivative_properties());
        return all;
    }
    const double tolerance = s.transcendental || s.large ? 1e-4 : 0;
    if (!s.transcendental && !s.large) {
        add(text_properties());
        add(pass_properties(s.lanes));
    }
    if (s.only.starts_with("far")) add(backend_properties(backends::far, 0));
    for (const backends::Backend *backend : backends::all()) {
        if (backend == &backends::interp) continue;
        if (std::string why = why_not(*backend); why.empty())
            add(backend_properties(*backend, tolerance));
        else
            std::cout << "left out " << backend->name << ": " << why << "\n";
    }
    return all;
}

/// Runs `work` in a child process, so that a crash is found like any other fault. Returns the text that it wrote, and how the child ended:
/// empty if normally.
std::string in_child(const Settings &s, const std::function<void(int out)> &work, std::string *ended) {
    int ends[2];
    if (pipe(ends) != 0) fail_device("pipe", errno, std::strerror(errno));
    std::cout << std::flush;
    pid_t child = fork();
    if (child < 0) fail_device("fork", errno, std::strerror(errno));
    if (child == 0) {
        close(ends[0]);
        alarm(s.takes_long() ? 600 : 60);
        work(ends[1]);
        _exit(0);
    }
    close(ends[1]);
    std::string text;
    char buffer[4096];
    for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;) text.append(buffer, size_t(n));
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status))
        *ended = std::string("crashed: ") + strsignal(WTERMSIG(status));
    else if (WEXITSTATUS(status) != 0)
        *ended = "crashed: exit status " + std::to_string(WEXITSTATUS(status)); // the exit status of a sanitizer
    else
        ended->clear();
    return text;
}

void send(int out, const std::string &text) {
    if (write(out, text.data(), text.size()) < 0) _exit(1);
}

std::string safely(const Property &property, const ir::Function &fn, const Inputs &inputs) {
    try {
        return property.check(fn, inputs);
    } catch (const std::exception &e) {
        return std::string("threw: ") + e.what();
    }
}

std::string isolated(const Settings &s, const Property &property, const ir::Function &fn, const Inputs &inputs) {
    std::string ended;
    std::string why = in_child(s, [&](int out) { send(out, safely(property, fn, inputs)); }, &ended);
    return ended.empty() ? why : ended;
}

struct Case {
    uint64_t seed;
    ir::Function fn;
    Inputs inputs;
};

/// Makes small blocks more often than large ones.
Case make_large_case(const Settings &s, uint64_t seed) {
    constexpr double least = 1000;
    const double size = double(Numbers(seed).below(1024)) / 1024;
    const size_t instructions = size_t(least * std::pow(std::max(1.0, double(s.large) / least), size * size));
    Case c{seed, random_large_function(seed, instructions, seed % 2 != 0), {}};
    c.inputs = random_large_inputs(c.fn, seed);
    return c;
}

Case make_lanes_case(uint64_t seed) {
    Case c{seed, random_lanes_function(seed), {}};
    c.inputs = random_lanes_inputs(c.fn, seed);
    return c;
}

Case make_usual_case(const Settings &s, uint64_t seed) {
    if (s.only_lanes || (seed % 4 == 0 && !s.smooth && !s.transcendental)) return make_lanes_case(seed);
    RandomOptions options;
    options.transcendental = s.transcendental;
    options.statements = s.statements;
    Case c{seed, s.smooth ? random_smooth_function(seed) : random_function(seed, options), {}};
    c.inputs = s.smooth ? random_smooth_inputs(c.fn, seed) : random_inputs(c.fn, seed);
    return c;
}

Case make_case(const Settings &s, uint64_t seed) {
    Case c = s.large ? make_large_case(s, seed) : make_usual_case(s, seed);
    if (std::vector<ir::Problem> problems = ir::verify(c.fn); !problems.empty())
        fail_internal("the generator broke a rule, seed " + std::to_string(seed) + "\n" + ir::explain(c.fn, problems));
    return c;
}

/// Shrinks with respect to one property and writes the case down.
void report(const Settings &s, const Property &property, const Case &c, const std::string &why) {
    std::cout << "\nseed " << c.seed << ", " << property.name << ": " << why << "\n" << std::flush;
    std::string kind = why.substr(0, 12); // so that it does not turn into another fault
    auto same = [&](const ir::Function &f) { return isolated(s, property, f, c.inputs).rfind(kind, 0) == 0; };
    ir::Function small = shrink(c.fn, same, s.shrink_seconds);
    std::string now = isolated(s, property, small, c.inputs);
    std::string path =
        write_case(property.name + "_" + std::to_string(c.seed), small, c.inputs, property.name + ": " + now);
    std::cout << "shrunk, in " << path << ":\n" << ir::print(small) << now << "\n" << std::flush;
}

/// Checks functions one after another in a child; returns the first seed with a fault, or `end`.
uint64_t first_fault(const Settings &s, const std::vector<Property> &list, uint64_t begin, uint64_t end) {
    std::string ended;
    auto work = [&](int out) {
        for (uint64_t seed = begin; seed < end; ++seed) {
            Case c = make_case(s, seed);
            for (const Property &property : list)
                if (!safely(property, c.fn, c.inputs).empty()) return;
            send(out, ".");
        }
    };
    return begin + in_child(s, work, &ended).size();
}

/// Loads and initialises the compiler once, before the first fork.
void warm_up() {
    ir::ParseResult read = ir::parse("fn @warm() -> i32\n    %0: i32 = constant 1\n    ret %0\n");
    for (const backends::Backend *backend : backends::all()) {
        if (!why_not(*backend).empty()) continue;
        ir::Function task = to_tasks(read.functions[0]).at(0);
        backend->emit(task, backend->caps(0), backends::Tier::best, nullptr);
    }
}

int check_all(const Settings &s) {
    warm_up();
    std::vector<Property> list = properties(s);
    int failed = 0;
    std::map<std::string, int> by_name;
    const uint64_t batch = s.takes_long() ? 5 : 50;
    uint64_t seed = s.seed, end = s.seed + s.count;
    while (seed < end && failed < s.failures) {
        uint64_t stop = std::min(end, seed + batch);
        seed = first_fault(s, list, seed, stop);
        if (seed == stop) continue;
        Case c = make_case(s, seed++);
        for (const Property &property : list) {
            std::string why = isolated(s, property, c.fn, c.inputs);
            if (why.empty()) continue;
            ++failed;
            if (++by_name[property.name] == 1) report(s, property, c, why);
        }
    }
    std::cout << seed - s.seed << " functions from seed " << s.seed << ", " << list.size() << " properties, " << failed
              << " failures\n";
    return failed ? 1 : 0;
}

} // namespace

int main(int argc, char **argv) {
    try {
        return check_all(read_arguments(argc, argv));
    } catch (const std::exception &e) {
        std::cerr << "qd-property: " << e.what() << "\n";
        return 2;
    }
}
