#include "passes/offload_tables.h"

namespace qd::passes::offloading {

using namespace ir;

namespace {

template <class T>
uint64_t entry(std::unordered_map<uint64_t, uint64_t> &known, const std::vector<T> &from, std::vector<T> &to,
               uint64_t index) {
    auto [it, fresh] = known.try_emplace(index, to.size());
    if (fresh) to.push_back(from[index]);
    return it->second;
}

} // namespace

Scratch::Scratch(const Function &kernel) : spans(kernel.spans.size(), no_span), sharing(kernel.counters.size()) {
    for (uint32_t i = 0; i < sharing.size(); ++i)
        if (const Counter &counter = kernel.counters[i]; counter.shares()) sharing[counter.count_of].push_back(i);
}

Tables::Tables(const Function &kernel, Function &task, Scratch &scratch)
    : from_(kernel), to_(task), spans_(scratch.spans), sharing_(scratch.sharing) {}

Tables::~Tables() {
    for (SpanId s : copied_) spans_[s] = no_span;
}

void Tables::adjust(Inst &inst) {
    inst.span = span(inst.span);
    switch (info(inst.op).imm) {
    case Imm::place:
    case Imm::level:
    case Imm::part:
    case Imm::place_axis: return set_place(inst, entry(places_, from_.places, to_.places, place_of(inst)));
    case Imm::packing: inst.imm = entry(packings_, from_.packings, to_.packings, inst.imm); return;
    case Imm::table: inst.imm = table(inst.imm); return;
    case Imm::message: inst.imm = entry(messages_, from_.messages, to_.messages, inst.imm); return;
    case Imm::counter: inst.imm = counter(inst.imm); return;
    case Imm::loop: // Cloner copies loops
    case Imm::none:
    case Imm::bits:
    case Imm::number:
    case Imm::axis:
    case Imm::tree:
    case Imm::slot:
    case Imm::scope:
    case Imm::external:
    case Imm::subgraph: return;
    }
}

SpanId Tables::span(SpanId s) {
    if (s == no_span || spans_[s] != no_span) return spans_[s];
    Span copy = from_.spans[s];
    copy.call = span(copy.call);
    SpanId id = SpanId(to_.spans.size());
    to_.spans.push_back(copy);
    copied_.push_back(s);
    return spans_[s] = id;
}

/// `tables_` is resized on first use: few kernels have any.
uint64_t Tables::table(uint64_t index) {
    tables_.resize(from_.tables.size());
    if (!tables_[index]) {
        to_.tables.push_back(from_.tables[index]);
        tables_[index] = to_.tables.size();
    }
    return tables_[index] - 1;
}

/// Also copies the counters that share its count.
uint64_t Tables::counter(uint64_t index) {
    const size_t before = to_.counters.size();
    const uint64_t at = entry(counters_, from_.counters, to_.counters, index);
    if (to_.counters.size() == before) return at;
    for (uint32_t other : sharing_[index]) {
        to_.counters.push_back(from_.counters[other]);
        to_.counters.back().count_of = uint32_t(at);
    }
    for (size_t i = before; i < to_.counters.size(); ++i) to_.counters[i].span = span(to_.counters[i].span);
    return at;
}

} // namespace qd::passes::offloading
