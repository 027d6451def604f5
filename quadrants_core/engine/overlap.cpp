#include "engine/overlap.h"

#include "analysis/effects.h"
#include "engine/program.h"
#include "engine/trees.h"

#include <algorithm>
#include <set>

namespace qd::engine {
namespace {

/// The memory that a kernel's instructions write.
struct Written {
    std::set<ir::Value> arrays;
    bool trees = false;
    bool unknown = false; ///< may also write anything else

    void add(const ir::Function &fn, ir::Value pointer) {
        while (fn[pointer].op == ir::Op::offset) pointer = fn.args(pointer)[0];
        const ir::Op op = fn[pointer].op;
        if (ir::family(op) == ir::Family::step) trees = true;
        if (ir::family(op) != ir::Family::address) {
            unknown |= ir::family(op) != ir::Family::step;
            return;
        }
        switch (ir::AddressOp(op)) {
        case ir::AddressOp::element:
        case ir::AddressOp::array_base: arrays.insert(fn.args(pointer)[0]); return;
        case ir::AddressOp::place:
        case ir::AddressOp::tree_base: trees = true; return;
        case ir::AddressOp::tmp:
        case ir::AddressOp::ret_slot:
        case ir::AddressOp::count_slot:
        case ir::AddressOp::random_state:
        case ir::AddressOp::local:
        case ir::AddressOp::shared:
        case ir::AddressOp::table:
        case ir::AddressOp::reserve:
        case ir::AddressOp::stack:
        case ir::AddressOp::offset: return;
        }
    }
};

Written written_by(const ir::Function &fn) {
    Written written;
    for (const ir::Block &block : fn.blocks) {
        for (ir::Value v : block.insts) {
            const ir::Op op = fn[v].op;
            if (!(analysis::own_effects(op) & analysis::writes) || (ir::info(op).traits & ir::observes)) continue;
            if (analysis::changes_cells(op)) written.trees = true;
            for (ir::Value arg : fn.args(v))
                if (fn.type(arg).is_pointer()) written.add(fn, arg);
        }
    }
    return written;
}

/// The slots of the trees that a kernel reads or writes.
std::vector<uint32_t> trees_of(const ir::Function &kernel) {
    std::set<uint32_t> slots;
    for (const ir::Place &place : kernel.places) slots.insert(place.tree);
    return {slots.begin(), slots.end()};
}

} // namespace

std::vector<bool> written_parameters(const ir::Function &kernel) {
    const Written written = written_by(kernel);
    std::vector<bool> all;
    for (ir::Value v : kernel.params)
        all.push_back(kernel.type(v).is_array() && (written.unknown || written.arrays.contains(v)));
    return all;
}

void plan_overlap_check(const ir::Function &kernel, CompiledKernel &out) {
    if (!kernel.distinct_arrays) return;
    const std::vector<bool> written = written_parameters(kernel);
    std::vector<ArrayArg> read;
    for (size_t i = 0; i < kernel.params.size(); i++) {
        const ir::Type type = kernel.type(kernel.params[i]);
        if (!type.is_array()) continue;
        const ArrayArg array{out.info.params[i].slot, type.ndim, uint64_t(size_of(type.elem)) * type.rows * type.cols};
        (written[i] ? out.arrays : read).push_back(array);
    }
    out.written_arrays = uint32_t(out.arrays.size());
    const Written by = written_by(kernel);
    const bool trees_change = by.trees || by.unknown;
    out.trees = trees_of(kernel);
    if (trees_change || !out.arrays.empty()) out.arrays.insert(out.arrays.end(), read.begin(), read.end());
    out.arrays_beside_trees = out.trees.empty() ? 0 : uint32_t(trees_change ? out.arrays.size() : out.written_arrays);
    const bool among_arrays = out.written_arrays > 0 && out.arrays.size() > 1;
    if (!among_arrays && out.arrays_beside_trees == 0) out.arrays.clear();
}

bool overlaps_trees(CompiledKernel &kernel, const uint64_t *args) {
    std::vector<Bytes> &trees = kernel.tree_bytes; // the trees do not move while the kernel lives
    if (trees.empty()) {
        const Trees &all = kernel.lifetime->program->trees();
        for (const uint32_t slot : kernel.trees) {
            const auto [begin, end] = all.bytes(slot);
            trees.push_back({begin, end});
        }
        std::sort(trees.begin(), trees.end(), [](const Bytes &a, const Bytes &b) { return a.begin < b.begin; });
    }
    for (uint32_t i = 0; i < kernel.arrays_beside_trees; i++) {
        const Bytes array = bytes_of(kernel.arrays[i], args);
        const auto tree = std::partition_point(trees.begin(), trees.end(),
                                               [&](const Bytes &before) { return before.end <= array.begin; });
        if (tree != trees.end() && tree->begin < array.end) return true;
    }
    return false;
}

} // namespace qd::engine
