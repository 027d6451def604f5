#pragma once
// Compiles a task and calls its machine code, without program or threads.
#include "abi/record.h"
#include "backends/cpu/elf.h"
#include "engine/lowering.h"
#include "ir/text.h"
#include "ir/verify.h"

#include <gtest/gtest.h>

#include <cstring>

namespace qd::test {

inline engine::Lowering lowering() { return {backends::cpu, backends::cpu.caps(0), true}; }

/// The object file of a task that no pass has seen.
inline std::vector<uint8_t> compile(ir::Function task, backends::Tier tier = backends::Tier::best) {
    lowering().legalize(task);
    return lowering().emit(task, tier).code;
}

inline ir::Function read_task(const std::string &text) {
    ir::ParseResult parsed = ir::parse(text);
    EXPECT_FALSE(parsed.error) << "line " << parsed.error->line << ": " << parsed.error->message;
    std::vector<ir::Problem> problems = ir::verify(parsed.functions.at(0));
    EXPECT_TRUE(problems.empty()) << ir::explain(parsed.functions[0], problems);
    return std::move(parsed.functions[0]);
}

inline std::vector<uint8_t> compile(const std::string &text) { return compile(read_task(text)); }

/// A launch: arguments, buffers and what was printed.
struct Launch {
    abi::LaunchWith<16> record{};
    uint64_t *const args = record.slots;
    abi::HostServices services{};
    char tmp[256] = {}, ret[256] = {};
    char tree[1024] = {};
    char *trees[1] = {tree};
    uint64_t counters[8] = {};
    uint32_t stop = 0, failed = 0, asked = 0;
    abi::Thread thread{{1, 2}, 0};
    std::vector<std::pair<uint32_t, uint64_t>> printed, failures; ///< message and its first value

    template <class T> T result(int byte = 0) const {
        T v;
        std::memcpy(&v, ret + byte, sizeof v);
        return v;
    }
    abi::Launch &start() {
        abi::Launch &c = record.launch;
        c.stream.tmp = tmp;
        c.ret = ret;
        c.stream.trees = trees;
        c.counters = counters;
        c.stream.stop = &stop;
        c.stream.failed = &failed;
        c.stream.counts_requested = &asked;
        c.stream.host = &services;
        services.print = [](const abi::Launch *c, const abi::Thread *, uint32_t message, const uint64_t *values) {
            const_cast<Launch *>(static_cast<const Launch *>(c->task))->printed.push_back({message, values[0]});
        };
        services.fail = [](const abi::Launch *c, const abi::Thread *, uint32_t message, const uint64_t *values) {
            const_cast<Launch *>(static_cast<const Launch *>(c->task))->failures.push_back({message, values[0]});
        };
        c.task = this;
        return c;
    }
    void run(const std::vector<uint8_t> &object, int64_t begin = 0, int64_t end = 1) {
        std::string error;
        auto code = backends::load_elf(object, &error);
        ASSERT_TRUE(code) << error;
        auto body = reinterpret_cast<abi::Body>(code->symbol(abi::body_symbol));
        ASSERT_TRUE(body);
        const abi::Launch &c = start();
        body(&c, &thread, begin, end);
    }
    void run(const std::string &text) { run(compile(text)); }
};

} // namespace qd::test
