// Counts the instructions of paths that must stay short, and compares them with limits.def. Times vary with the machine, counts do not.
// Without arguments: runs every case under valgrind, twice with different repetitions, and takes the difference.
#include "../unit/program_kernels.h"

#include "backends/backend.h"
#include "base/bytes.h"
#include "engine/compiler.h"
#include "engine/kept_code.h"
#include "engine/lowering.h"
#include "engine/queues.h"

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>

#include <unistd.h>

namespace qd::test {
namespace {

enum class Case {
#define COST(id, repetitions, limit, what) id,
#include "limits.def"
};
struct Row {
    Case id;
    const char *name;
    int repetitions;
    double limit;
    const char *what;
};
const Row rows[] = {
#define COST(id, repetitions, limit, what) {Case::id, #id, repetitions, limit, what},
#include "limits.def"
};

/// y0[i] += a * (y1[i] + ... + y5[i])
ir::Function six_arrays() {
    ir::Function fn = start("six_arrays");
    std::vector<ir::Value> arrays;
    for (int k = 0; k < 6; k++) arrays.push_back(param(fn, ir::Type::array(ir::Scalar::f32, 1)));
    ir::Builder b(fn, fn.body);
    loop_over(b, arrays[0], [&](ir::Builder &in, ir::Value i) {
        const ir::Value target = element(in, arrays[0], i);
        ir::Value sum = in.load(target);
        for (int k = 1; k < 6; k++) {
            const ir::Value p = element(in, arrays[size_t(k)], i);
            const ir::Value v = in.load(p);
            sum = in.add(sum, v);
        }
        in.store(target, sum);
    });
    b.ret();
    return fn;
}

/// Loops with two coverage counters each.
ir::Function many_loops(int loops) {
    ir::Function fn = start("many_loops");
    const ir::Value x = param(fn, ir::Type::array(ir::Scalar::f32, 1));
    ir::Builder b(fn, fn.body);
    for (int k = 0; k < loops; k++) {
        b.span = line(fn, uint32_t(k + 1));
        fn.counters.resize(fn.counters.size() + 2);
        loop_over(b, x, [&](ir::Builder &in, ir::Value i) {
            const ir::Value p = element(in, x, i);
            const ir::Value one = in.i64(1);
            for (uint32_t c : {2, 1}) {
                fn.counters[fn.counters.size() - c].span = in.span;
                in.count(uint32_t(fn.counters.size() - c), one);
            }
            const ir::Value v = in.load(p);
            in.store(p, v);
        });
    }
    b.ret();
    passes::run(engine::kernel_stage(), fn, {}, false, nullptr);
    return fn;
}

void run_passes(int steps) {
    const engine::Lowering lowering(backends::cpu, backends::cpu.caps(0));
    ir::Function kernel = large(steps);
    for (ir::Function &task : lowering.tasks(kernel)) lowering.lower(task);
}

void run_case(Case id, int repetitions, const std::string &cache) {
    Options options;
    options.cpu_max_num_threads = 1;
    options.offline_cache_file_path = cache;
    // With another policy a program looks at the size of the cache, but once a second at most: a count that depends on time.
    options.offline_cache_cleaning_policy = "never";
    engine::Program program(options);
    float data[6] = {};
    Args args;
    for (float &element : data) args.array(&element, 1);
    const ir::Function fn = six_arrays();
    switch (id) {
    case Case::launch_empty: {
        const auto kernel = program.compiler().compile(empty(), 0);
        for (int i = 0; i < repetitions; i++) program.queues().launch(*kernel, args.record(), nullptr);
        break;
    }
    case Case::launch_inline: {
        const auto kernel = program.compiler().compile(fn, 0);
        for (int i = 0; i < repetitions; i++) program.queues().launch(*kernel, args.record(), nullptr);
        break;
    }
    case Case::init:
        for (int i = 0; i < repetitions; i++) engine::Program other(options);
        break;
    case Case::warm_load:
        for (int i = 0; i < repetitions; i++) {
            engine::Program other(options);
            other.compiler().compile(fn, 0);
        }
        break;
    case Case::record_load: {
        std::vector<uint8_t> image;
        program.compiler().compile(fn, 0, &image);
        const std::string name = "six arrays";
        program.kept_code().store_entry(as_bytes(name), image);
        for (int i = 0; i < repetitions; i++) {
            engine::Program other(options);
            other.compiler().load(other.kept_code().load_entry(as_bytes(name)), 0);
        }
        break;
    }
    case Case::known_task:
        for (int i = 0; i < repetitions; i++) program.compiler().compile(fn, 0);
        break;
    case Case::tasks_200:
    case Case::tasks_2k: {
        const ir::Function loops = many_loops(id == Case::tasks_2k ? 2000 : 200);
        for (int i = 0; i < repetitions; i++) passes::offload(loops, {});
        break;
    }
    case Case::passes_1k:
        for (int i = 0; i < repetitions; i++) run_passes(500);
        break;
    case Case::passes_10k:
        for (int i = 0; i < repetitions; i++) run_passes(5000);
        break;
    }
}

/// Returns the instructions of one run under valgrind, or -1 if valgrind fails. The environment is empty, since a search for a variable is
/// counted and takes longer with many variables.
double count(const std::string &self, const Row &row, int repetitions, const std::string &cache) {
    const std::string run = "'" + self + "' " + row.name + " " + std::to_string(repetitions) + " '" + cache + "' 2>&1";
    const std::string command = "env -i PATH=\"$PATH\" valgrind --tool=callgrind --callgrind-out-file=/dev/null " + run;
    FILE *pipe = popen(command.c_str(), "r");
    if (!pipe) return -1;
    double collected = -1;
    std::string text;
    for (char line[512]; std::fgets(line, sizeof line, pipe);) {
        text += line;
        if (const char *found = std::strstr(line, "Collected :")) std::sscanf(found, "Collected : %lf", &collected);
    }
    if (pclose(pipe) != 0 || collected < 0) {
        std::printf("%s\n", text.c_str());
        return -1;
    }
    return collected;
}

int measure_all(const std::string &self) {
    if (std::system("valgrind --version > /dev/null 2>&1") != 0) {
        std::puts("valgrind is not installed: nothing counted");
        return 77;
    }
    const std::string cache =
        (std::filesystem::temp_directory_path() / ("qd-cost-" + std::to_string(getpid()))).string();
    int over = count(self, rows[int(Case::launch_inline)], 1, cache) < 0; // fills the cache
    for (const Row &row : rows) {
        const double less = count(self, row, row.repetitions, cache);
        const double more = count(self, row, 2 * row.repetitions, cache);
        const double each = (more - less) / row.repetitions;
        const bool good = less > 0 && more > 0 && each <= row.limit;
        over += !good;
        std::printf("%-4s %-14s %12.0f of at most %12.0f instructions: %s\n", good ? "ok" : "OVER", row.name, each,
                    row.limit, row.what);
    }
    std::filesystem::remove_all(cache);
    return over ? 1 : 0;
}

} // namespace
} // namespace qd::test

int main(int argc, char **argv) {
    if (argc == 1) return qd::test::measure_all(std::filesystem::canonical("/proc/self/exe").string());
    for (const auto &row : qd::test::rows)
        if (argc == 4 && std::strcmp(argv[1], row.name) == 0) {
            qd::test::run_case(row.id, std::atoi(argv[2]), argv[3]);
            return 0;
        }
    std::puts("usage: qd_cost [case repetitions cache-folder]");
    return 2;
}
