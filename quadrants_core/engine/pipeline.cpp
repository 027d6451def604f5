// The whole pipeline. A kernel goes through `kernel_stage` and is cut by passes::offload; each task goes through `task_stage` unless its
// code is already known, then through its backend's legalisation, then to emit().
#include "engine/pipeline.h"

#include "passes/steps.h"

#include <algorithm>

namespace qd::engine {
namespace {

namespace step = passes::step;

// On the whole kernel: few passes, since a warm start pays for them and the hash of a task is taken after them.
constexpr passes::Pass kernel_list[] = {
    step::promote,           // before offload: locals used in several loops would live in memory
    step::fold,              // after promote: constants reach their uses. Differentiation starts after these two
    step::lower_cell_loops,  // after differentiation, which sees whole loops; before all passes that compare accesses
    step::check_sections,    // on the whole kernel: sections are compared; before passes that merge accesses
    step::simplify_branches, // after fold: conditions known at compile time; a loop that never runs makes no task
    step::dce,               // before offload: a dead value would cross tasks through memory
    step::share_counts,      // after simplify_branches: counters of one block now stay together
};

// On each task. There is no merging across tasks: an edit in one loop must leave the code of the others unchanged.
constexpr passes::Pass task_list[] = {
    step::lower_packed, // first: later passes see words; not on the whole kernel, where values are whole
    step::fold,
    step::constant_tables,   // after fold, which finds the constants; before cse, which merges equal tables
    step::cse,               // before forward_stores: equal addresses become one value
    step::demote_atomics,    // before chunk_ranges: elements named by the parallel loop's own indices are unshared
    step::chunk_ranges,      // early: later passes see ordinary loops
    step::grid_ranges,       // one of the two applies, depending on the target
    step::forward_stores,    // after demote_atomics: chains of `x[i] +=` become one load and one store
    step::simplify_branches, // before the counting and vectorising passes: small ifs become selects
    step::
        thread_local_reductions, // after chunk_ranges: one flush per chunk; before lower_access: compares whole addresses
    step::count_predicates,      // after simplify_branches: a count must not keep a branch alive
    step::simplify_branches,     // branches that held only counts
    step::licm,
    step::private_reductions, // after licm: limits and addresses are outside their loops
    step::loop_registers,     // as private_reductions
    step::lower_cells,        // after every pass that compares addresses
    step::lower_access,       // as lower_cells
    step::fold,               // address arithmetic
    step::cse,
    step::share_cells, // after cse: equal cell numbers are one value
    step::cse,         // addresses within shared cells
    step::licm,
    step::dce,             // before vectorize, which estimates the cost of every instruction it finds
    step::mark_long_loops, // before vectorize, which knows its remainder loops
    step::vectorize,       // last of the loop passes: needs lowered, hoisted addresses
    step::join_counts,     // after vectorize, which knows what each loop counted
    step::fold,
    step::cse,
    step::dce, // last
};
constexpr size_t lane_passes = 5; // from `vectorize` on
static_assert(task_list[std::size(task_list) - lane_passes].run == passes::vectorize);

/// The passes for speed, and the compile flags that disable them.
struct ForSpeed {
    bool (*run)(ir::Function &, const passes::Config &);
    uint8_t unless;
};
constexpr uint8_t bit(ir::CompileFlag set_flag) { return uint8_t(1u << uint8_t(set_flag)); }
constexpr ForSpeed for_speed[] = {
    {passes::cse, bit(ir::CompileFlag::plain)},
    {passes::licm, bit(ir::CompileFlag::plain)},
    {passes::share_cells, bit(ir::CompileFlag::plain)},
    {passes::vectorize, bit(ir::CompileFlag::plain)},
    {passes::constant_tables, bit(ir::CompileFlag::plain)},
    {passes::forward_stores, bit(ir::CompileFlag::plain) | bit(ir::CompileFlag::as_stored)},
    {passes::thread_local_reductions, bit(ir::CompileFlag::plain) | bit(ir::CompileFlag::shared_reductions)},
    {passes::private_reductions, bit(ir::CompileFlag::plain) | bit(ir::CompileFlag::shared_reductions)},
    {passes::loop_registers, bit(ir::CompileFlag::plain) | bit(ir::CompileFlag::reload)},
};

} // namespace

std::vector<passes::Pass> chosen(std::span<const passes::Pass> list, const ir::Function &fn) {
    std::vector<passes::Pass> left(list.begin(), list.end());
    std::erase_if(left, [&](const passes::Pass &pass) {
        return std::ranges::any_of(
            for_speed, [&](const ForSpeed &f) { return f.run == pass.run && (f.unless & fn.compile_flags); });
    });
    return left;
}

std::span<const passes::Pass> kernel_stage() { return kernel_list; }
std::span<const passes::Pass> derivative_stage() { return kernel_stage().first(2); }
std::span<const passes::Pass> task_stage() { return task_list; }
std::span<const passes::Pass> scalar_stage() { return task_stage().first(std::size(task_list) - lane_passes); }
std::span<const passes::Pass> lane_stage() { return task_stage().last(lane_passes); }

} // namespace qd::engine
