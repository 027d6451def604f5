#include "passes/clone.h"

namespace qd::passes {

using namespace ir;

// `from_` and `to_` may be the same function, so no reference into a table is kept across an append.

Cloner::Cloner(const Function &from, Function &to, std::function<void(Inst &)> adjust, Map *shared)
    : from_(from), to_(to), adjust_(std::move(adjust)), map_(shared ? *shared : own_) {
    if (map_.size() < from.insts.size()) map_.resize(from.insts.size());
}

Cloner::~Cloner() {
    for (uint32_t id : copied_) map_[id] = {};
}

Value Cloner::lookup(Value v) const {
    if (v.id < map_.size() && map_[v.id]) return map_[v.id];
    return v;
}

void Cloner::set(Value v, Value copy) {
    if (v.id >= map_.size()) map_.resize(v.id + 1);
    map_[v.id] = copy;
    copied_.push_back(v.id);
}

Value Cloner::copy(Value v, BlockId into) {
    Inst inst = from_[v];
    const List args = inst.args, results = inst.results;
    const BlockId blocks[2] = {inst.blocks[0], inst.blocks[1]};

    if (info(inst.op).imm == Imm::loop) {
        Loop loop = from_.loops[inst.imm];
        inst.imm = to_.loops.size();
        to_.loops.push_back(std::move(loop));
    }
    if (adjust_) adjust_(inst);
    inst.args = {uint32_t(to_.pool.size()), args.size};
    for (uint32_t i = 0; i < args.size; ++i) to_.pool.push_back(lookup(from_.pool[args.begin + i]));
    inst.results = {};
    inst.blocks[0] = inst.blocks[1] = {};
    Value copied = to_.make(inst);
    to_[into].insts.push_back(copied);
    set(v, copied);
    for (uint32_t i = 0; i < results.size; ++i) {
        const Value r = from_.pool[results.begin + i];
        const Type type = from_.type(r);
        set(r, to_.add_result(copied, type));
    }
    for (int i = 0; i < 2; ++i)
        if (blocks[i]) {
            BlockId b = copy_block(blocks[i]);
            to_[copied].blocks[i] = b;
        }
    return copied;
}

void Cloner::copy_contents(BlockId source, BlockId into, bool terminator) {
    size_t n = from_[source].insts.size();
    if (!terminator && n) --n;
    for (size_t i = 0; i < n; ++i) {
        Value v = from_[source].insts[i];
        copy(v, into);
    }
}

BlockId Cloner::copy_block(BlockId source) {
    BlockId b = to_.make_block();
    for (size_t i = 0; i < from_[source].params.size(); ++i) {
        Value p = from_[source].params[i];
        Inst inst = from_[p];
        if (adjust_) adjust_(inst);
        Type type = inst.type;
        set(p, to_.add_param(b, type, inst.span));
    }
    copy_contents(source, b, true);
    return b;
}

} // namespace qd::passes
