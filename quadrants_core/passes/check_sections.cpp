// In kernels with checks: sections of a region may run concurrently, so no section may access what another one writes. Before each access
// of an array or field that could break this rule, the kernel reports which element it accesses, and fails if another section of the region
// has made a conflicting access. Cells of sparse trees and packed numbers are not checked: their addresses stand for more than one element.
#include "base/section_access.h"
#include "ir/builder.h"
#include "passes/passes.h"

#include <algorithm>
#include <map>
#include <utility>

namespace qd::passes {

using namespace ir;

namespace {

using How = SectionAccess::How;

/// Identifies an array or field, as far as two of them can be distinguished.
using Storage = std::pair<Op, uint64_t>;

class CheckSections {
  public:
    explicit CheckSections(Function &fn) : fn_(fn), b_(fn) {}

    bool run() {
        const std::vector<Value> &list = fn_[fn_.body].insts;
        for (size_t at = 0; at < list.size(); at++)
            if (begins(list[at], Subgraph::Kind::region)) inspect_region(at + 1);
        if (shared_.empty()) return false;
        rewrite();
        return true;
    }

  private:
    /// The accesses of each section to an array or field: one bit per kind of access.
    using Uses = std::map<uint32_t, uint32_t>;

    bool marks(Value v, Op op, Subgraph::Kind kind) const {
        return fn_[v].op == op && fn_.subgraphs[fn_[v].imm].kind == kind;
    }
    bool begins(Value v, Subgraph::Kind kind) const { return marks(v, Op::graph_begin, kind); }

    static bool touches(Op op) { return op == Op::load || op == Op::volatile_load || op == Op::store || is_atomic(op); }
    static How way(Op op) { return op == Op::store ? How::write : is_atomic(op) ? How::update : How::read; }

    /// Finds the array or field that a pointer points into; false if sections cannot share it.
    bool find_storage(Value pointer, Storage &storage) const {
        while (fn_[pointer].op == Op::offset) pointer = fn_.args(pointer)[0];
        const Inst &in = fn_[pointer];
        if (in.op == Op::place) {
            const Place &place = fn_.places[in.imm];
            if (is_sparse(place)) return false;
            storage = {Op::place, place.id};
        } else if (in.op == Op::element || in.op == Op::array_base) {
            storage = {Op::element, fn_.args(pointer)[0].id};
        } else {
            return false;
        }
        if (!fn_.distinct_arrays) storage = {};
        return true;
    }

    /// Collects the arrays and fields on which sections of the region conflict; `at` is the region's first instruction.
    void inspect_region(size_t at) {
        const std::vector<Value> &list = fn_[fn_.body].insts;
        std::map<Storage, Uses> uses;
        uint32_t section = 0;
        for (; !marks(list[at], Op::graph_end, Subgraph::Kind::region); at++) {
            if (marks(list[at], Op::graph_end, Subgraph::Kind::section)) section++;
            collect(list[at], section, uses);
        }
        for (const auto &[storage, of] : uses)
            if (conflict(of)) shared_[regions_].push_back(storage);
        regions_++;
    }

    void collect(Value v, uint32_t section, std::map<Storage, Uses> &uses) const {
        if (Storage storage; touches(fn_[v].op) && find_storage(fn_.args(v)[0], storage))
            uses[storage][section] |= 1u << uint32_t(way(fn_[v].op));
        for (const BlockId inner : fn_[v].blocks)
            if (inner)
                for (const Value each : fn_[inner].insts) collect(each, section, uses);
    }

    static bool conflict(const Uses &uses) {
        uint32_t all = 0;
        for (const auto &[section, ways] : uses) all |= ways;
        const bool compatible = all == 1u << uint32_t(How::read) || all == 1u << uint32_t(How::update);
        return uses.size() > 1 && !compatible;
    }

    void rewrite() {
        const std::vector<Value> old = std::move(fn_[fn_.body].insts);
        fn_[fn_.body].insts.clear();
        b_.block = fn_.body;
        uint32_t region = 0, section = 0;
        const std::vector<Storage> *checked = nullptr;
        for (const Value v : old) {
            b_.span = fn_[v].span;
            if (checked) check(v, section, *checked);
            if (begins(v, Subgraph::Kind::region)) {
                const auto found = shared_.find(region++);
                checked = found == shared_.end() ? nullptr : &found->second;
                section = 0;
                if (checked) call(region_begins_id, b_.local(Scalar::u64, 1), 0);
            }
            fn_[fn_.body].insts.push_back(v);
            if (marks(v, Op::graph_end, Subgraph::Kind::section)) section++;
            if (marks(v, Op::graph_end, Subgraph::Kind::region)) checked = nullptr;
        }
    }

    /// Checks the accesses in the blocks of an instruction, and before it its own access.
    void check(Value v, uint32_t section, const std::vector<Storage> &checked) {
        const BlockId inner[] = {fn_[v].blocks[0], fn_[v].blocks[1]};
        for (const BlockId block : inner) {
            if (!block) continue;
            const std::vector<Value> old = std::move(fn_[block].insts);
            fn_[block].insts.clear();
            const BlockId outer = std::exchange(b_.block, block);
            for (const Value each : old) {
                const SpanId span = std::exchange(b_.span, fn_[each].span);
                check(each, section, checked);
                fn_[block].insts.push_back(each);
                b_.span = span;
            }
            b_.block = outer;
        }
        if (Storage storage; touches(fn_[v].op) && find_storage(fn_.args(v)[0], storage) &&
                             std::find(checked.begin(), checked.end(), storage) != checked.end())
            check_access(fn_.args(v)[0], {way(fn_[v].op), section, line()});
    }

    uint32_t line() const {
        const auto trace = fn_.trace(b_.span);
        return trace.empty() ? 0 : trace.back().line;
    }

    void check_access(Value pointer, const SectionAccess &access) {
        const Value address = b_.emit(Op::address, {pointer}, Scalar::u64);
        const Value slots = b_.local(Scalar::u64, 3);
        const Value second = b_.offset(slots, b_.i64(8), Scalar::u64);
        const Value third = b_.offset(slots, b_.i64(16), Scalar::u64);
        b_.store(slots, address);
        b_.store(second, b_.integer(Scalar::u64, int64_t(access.word())));
        call(section_access_id, slots, 3);
        const Value found = b_.load(third);
        const Value none = b_.integer(Scalar::u64, 0);
        const Value fine = b_.eq(found, none);
        const Value other_line = b_.cast(found, Scalar::u32);
        const Value line_bits = b_.integer(Scalar::u64, SectionAccess::line_bits);
        const Value high = b_.ushr(found, line_bits);
        const Value mask = b_.integer(Scalar::u64, SectionAccess::section_mask);
        const Value from_0 = b_.band(high, mask);
        const Value one = b_.integer(Scalar::u64, 1);
        const Value other_section = b_.add(from_0, one);
        const char *verb = access.how == How::read ? "reads" : access.how == How::update ? "updates" : "writes";
        fn_.messages.push_back(
            {{{"(kernel=" + fn_.name + ") Sections of a qd.graph.parallel_context() race: section " +
                   std::to_string(access.section + 1) + " " + verb + " an element here that section ",
               -1},
              {"", 0},
              {" " + std::string(access.how == How::read ? "writes" : "reads or writes") + " in line ", -1},
              {"", 1},
              {"; where they run side by side either may come first", -1}}});
        const Value operands[] = {fine, other_section, other_line};
        b_.emit(Op::assert_, operands, {}, fn_.messages.size() - 1);
    }

    void call(uint64_t function, Value slots, uint64_t count) {
        b_.emit(Op::external, {slots}, {}, function * external_arguments + count);
    }

    Function &fn_;
    Builder b_;
    std::map<uint32_t, std::vector<Storage>> shared_; ///< by region: arrays and fields whose accesses are checked
    uint32_t regions_ = 0;
};

} // namespace

bool check_sections(Function &fn, const Config &) { return fn.debug && CheckSections(fn).run(); }

} // namespace qd::passes
