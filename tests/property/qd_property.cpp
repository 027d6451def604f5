// qd-property --count N --seed S [--only NAME] [--lanes BYTES] [--transcendental]: checks every property on N random
// functions. A failure is shrunk, written as a .qir file, and ends the run with status 1.
#include "ir/text.h"
#include "ir/verify.h"
#include "runtime/launcher.h"
#include "tools/properties.h"
#include "tools/random_function.h"
#include "tools/shrink.h"

#include <iostream>
#include <map>

namespace {

using namespace qd;
using namespace qd::tools;

struct Settings {
    uint64_t count = 1000, seed = 1;
    std::string only;
    int lanes = 16, failures = 5;
    bool transcendental = false;
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
        else if (name == "--lanes")
            s.lanes = std::stoi(value());
        else if (name == "--failures")
            s.failures = std::stoi(value());
        else if (name == "--transcendental")
            s.transcendental = true;
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
    if (!s.transcendental) {
        add(text_properties());
        add(pass_properties(s.lanes));
    }
    for (const backends::Backend *backend : backends::all()) {
        if (backend->name == "interp") continue;
        if (std::string why = backend->missing(); why.empty())
            add(backend_properties(*backend, s.transcendental ? 1e-4 : 0));
        else
            std::cout << "left out " << backend->name << ": " << why << "\n";
    }
    return all;
}

/// Shrinks with respect to one property and writes the case down.
void report(const Property &property, const ir::Function &fn, const Inputs &inputs, uint64_t seed,
            const std::string &why) {
    std::cout << "\nseed " << seed << ", " << property.name << ": " << why << "\n" << std::flush;
    ir::Function small = shrink(fn, [&](const ir::Function &f) { return !property.check(f, inputs).empty(); }, 4000);
    std::string now = property.check(small, inputs);
    std::string path =
        write_case(property.name + "_" + std::to_string(seed), small, inputs, property.name + ": " + now);
    std::cout << "shrunk, in " << path << ":\n" << ir::print(small) << now << "\n" << std::flush;
}

std::string safely(const Property &property, const ir::Function &fn, const Inputs &inputs) {
    try {
        return property.check(fn, inputs);
    } catch (const std::exception &e) {
        return std::string("threw: ") + e.what();
    }
}

int check_all(const Settings &s) {
    const runtime::FlushDenormals flush; // so that folding rounds as devices do
    std::vector<Property> list = properties(s);
    for (Property &p : list) {
        Property inner = p;
        p.check = [inner](const ir::Function &fn, const Inputs &inputs) { return safely(inner, fn, inputs); };
    }
    RandomOptions options;
    options.transcendental = s.transcendental;
    int failed = 0;
    std::map<std::string, int> by_name;
    for (uint64_t seed = s.seed; seed < s.seed + s.count && failed < s.failures; ++seed) {
        ir::Function fn = random_function(seed, options);
        Inputs inputs = random_inputs(fn, seed);
        std::vector<ir::Problem> problems = ir::verify(fn);
        if (!problems.empty()) {
            std::cout << "seed " << seed << ": the generator broke a rule\n" << ir::explain(fn, problems);
            return 1;
        }
        for (const Property &property : list) {
            if (by_name[property.name] >= 2) continue;
            std::string why = property.check(fn, inputs);
            if (why.empty()) continue;
            report(property, fn, inputs, seed, why);
            ++by_name[property.name];
            if (++failed >= s.failures) break;
        }
    }
    std::cout << s.count << " functions from seed " << s.seed << ", " << list.size() << " properties, " << failed
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
