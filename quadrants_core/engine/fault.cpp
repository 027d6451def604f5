#include "engine/fault.h"

#include "base/stack.h"
#include "engine/build_task.h"
#include "engine/weight.h"
#include "runtime/fault_report.h"

#include <algorithm>
#include <cstdio>

namespace qd::engine {
namespace {

/// Recompiles one task in each way in which it may have been compiled, until the result equals the code that ran.
class Search {
  public:
    Search(const Compiler &compiler, const KernelFault &fault)
        : lowering_(compiler.lowering), device_(compiler.device), fault_(fault) {}

    bool kernel(ir::Function kernel) {
        std::vector<ir::Function> tasks = lowering_.tasks(kernel);
        if (fault_.task >= tasks.size()) return false;
        ir::Function locked = tasks[fault_.task];
        if (task(std::move(tasks[fault_.task]))) return true;
        locked.set_flag(ir::CompileFlag::locked);
        return task(std::move(locked));
    }
    std::vector<Location> found;

  private:
    bool task(ir::Function fn) {
        info_ = start_build(fn).info;
        lowering_.optimize(fn);
        ir::Function scalar = fn;
        lowering_.vectorize(fn);
        lowering_.legalize(fn);
        if (is_code_of(fn, backends::Tier::best) || is_code_of(fn, backends::Tier::fast)) return true;
        if (widest(fn) == 1) return false;
        lowering_.legalize(scalar);
        return is_code_of(scalar, backends::Tier::fast);
    }

    bool is_code_of(const ir::Function &legal, backends::Tier tier) {
        SpanQuery query{.offset = fault_.offset};
        const abi::Binary binary = lowering_.emit(legal, tier, &query);
        const auto loaded = device_.load(info_, binary);
        if (!std::ranges::equal(loaded->code(), fault_.code)) return false;
        found = legal.trace(query.span);
        return true;
    }

    const Lowering &lowering_;
    runtime::Device &device_;
    const KernelFault &fault_;
    abi::Task info_;
};

std::string hexadecimal(uintptr_t address) {
    char text[24];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
    return text;
}

} // namespace

void keep_watching_faults() { runtime::keep_watching_faults(); }

Explain set_fault_listener(void (*listener)(const char *text, size_t size)) {
    runtime::set_fault_listener(listener);
    return runtime::explain_end;
}

KernelFault describe_fault(const std::string &kernel, const runtime::Fault &fault, bool earlier) {
    using Kind = runtime::Fault::Kind;
    const std::string partly =
        std::string("\nIt was stopped there, and its output may be incomplete.") +
        (earlier ? " Its call had already returned; kernels launched after it did not run." : "");
    const std::string where = fault.has_address ? " (address " + hexadecimal(fault.address) + ")" : "";
    switch (fault.kind) {
    case Kind::read:
    case Kind::write: {
        const bool is_write = fault.kind == Kind::write;
        return {
            UserErrorKind::runtime,
            "kernel " + kernel + " tried to " + (is_write ? "write" : "read") +
                " memory outside of its arrays and fields" + where + "." + partly +
                (is_write ? " If it has NumPy arrays, it may have overwritten other data: restart the process." : ""),
            {},
            "an index is out of bounds; qd.init(debug=True) checks every index and names the first wrong one"};
    }
    case Kind::stack:
        return {UserErrorKind::runtime,
                "kernel " + kernel + " ran out of stack: its local arrays are too large." + partly,
                {},
                "keep large arrays in fields or ndarrays, or raise the limit of the stack (ulimit -s)"};
    case Kind::instruction:
        return {
            UserErrorKind::runtime,
            "kernel " + kernel + " reached an instruction that this processor does not support." + partly,
            {},
            "this is a bug in Quadrants, or its cache holds code compiled for another machine: try qd.cache.clear()"};
    case Kind::arithmetic: break;
    }
    return {UserErrorKind::runtime,
            "kernel " + kernel + " divided an integer by zero, or the smallest integer by -1." + partly,
            {},
            "test the divisor first; qd.init(debug=True) shows the values"};
}

std::vector<Location> Compiler::locate(const ir::Function &kernel, const KernelFault &fault) const {
    if (fault.code.empty()) return {};
    Search search(*this, fault);
    const auto is_of = [&](bool distinct_arrays, bool counts) {
        ir::Function variant = kernel;
        variant.distinct_arrays = variant.distinct_arrays && distinct_arrays;
        if (!counts) passes::drop_counts(variant);
        return search.kernel(std::move(variant));
    };
    bool found = false;
    with_stack(stack_for(kernel), [&] {
        found = is_of(true, true) || is_of(false, true) || (!kernel.counters.empty() && is_of(true, false));
    });
    return found ? search.found : std::vector<Location>{};
}

} // namespace qd::engine
