#include "engine/pipeline.h"
#include "base/error.h"
#include "engine/weight.h"
#include "ir/text.h"

#include <gtest/gtest.h>
#include <set>
#include <string>

namespace qd {
namespace {

ir::Function small() {
    ir::ParseResult read = ir::parse("fn @f(%0: i32) -> i32\n    %1: i32 = add %0, %0\n    ret %1\n");
    EXPECT_FALSE(read.error);
    return std::move(read.functions.at(0));
}

bool cut_the_end_off(ir::Function &fn, const passes::Config &) {
    fn[fn.body].insts.pop_back();
    return true;
}

TEST(Pipeline, a_broken_pass_is_named_with_verify) {
    const passes::Pass broken[] = {{"breaks", cut_the_end_off, ""}};
    for (const bool verify : {true, false}) {
        ir::Function fn = small();
        std::string said;
        try {
            passes::run(broken, fn, {}, verify, nullptr);
        } catch (const InternalError &error) {
            said = error.what();
        }
        EXPECT_EQ(said.find("pass breaks broke function f") != std::string::npos, verify) << said;
    }
}

/// Returns the passes for tasks that a compile flag disables.
std::set<std::string> left_out(ir::CompileFlag set_flag) {
    ir::Function fn = small();
    fn.set_flag(set_flag);
    std::set<std::string> out;
    for (const passes::Pass &pass : engine::task_stage()) out.insert(std::string(pass.name));
    for (const passes::Pass &pass : engine::chosen(engine::task_stage(), fn)) out.erase(std::string(pass.name));
    return out;
}

TEST(Pipeline, compile_flags_disable_passes) {
    using Names = std::set<std::string>;
    EXPECT_EQ(left_out(ir::CompileFlag::as_stored), Names({"forward_stores"}));
    EXPECT_EQ(left_out(ir::CompileFlag::shared_reductions), Names({"private_reductions", "thread_local_reductions"}));
    EXPECT_EQ(left_out(ir::CompileFlag::reload), Names({"loop_registers"}));
    EXPECT_EQ(left_out(ir::CompileFlag::flat), Names());
    EXPECT_EQ(left_out(ir::CompileFlag::no_algebra), Names());
    EXPECT_EQ(left_out(ir::CompileFlag::plain),
              Names({"constant_tables", "cse", "forward_stores", "licm", "loop_registers", "private_reductions",
                     "share_cells", "thread_local_reductions", "vectorize"}));
    EXPECT_EQ(engine::chosen(engine::task_stage(), small()).size(), engine::task_stage().size());
}

ir::Function task_of(const std::string &body) {
    ir::ParseResult read = ir::parse("task range @t(%0: array<f32, 1>)\n    bounds\n        %1: i64 = constant 0\n"
                                     "        %2: i64 = constant 9\n        yield %1, %2\n    body\n" +
                                     body + "        yield\n");
    EXPECT_FALSE(read.error) << (read.error ? read.error->message : "");
    return std::move(read.functions.at(0));
}

TEST(Pipeline, work_per_chunk_is_separate_from_work_per_index) {
    const std::string head =
        "        %3: i32 = constant 0\n        %4: i32 = constant 1000\n        %5: i64 = chunk_begin\n"
        "        %6: i64 = chunk_end\n        %7: i32 = cast %5\n        %8: i32 = cast %6\n";
    const auto loop = [](int first, const std::string &from, const std::string &to) {
        const std::string i = "%" + std::to_string(first), p = "%" + std::to_string(first + 1);
        return "        for " + from + ", " + to + " (" + i + ": i32)\n            " + p + ": ptr<f32> = element %0, " +
               i + ", %3\n            %" + std::to_string(first + 2) + ": f32 = load " + p + "\n            store " +
               p + ", %" + std::to_string(first + 2) + "\n            yield\n";
    };
    const abi::Weight own = engine::weight_after(7, task_of(head + loop(9, "%7", "%8")));
    EXPECT_EQ(own.index, 7);
    EXPECT_LT(own.chunk, 10);
    EXPECT_GT(engine::weight_after(7, task_of(head + loop(9, "%7", "%8") + loop(12, "%3", "%4"))).chunk, 1000);
}

} // namespace
} // namespace qd
