#include "ir/hash.h"

#include <bit>

namespace qd::ir {

namespace {

uint64_t mix(uint64_t x) { // the finaliser of MurmurHash3: every input bit reaches every output bit
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdu;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53u;
    return x ^ (x >> 33);
}

/// Ops are hashed by name, so a new row in ops.def changes no hash. Computed when the library is loaded: lazy initialisation would deadlock
/// in a child forked while another thread initialises it.
const auto op_hashes = [] {
    std::array<uint64_t, 256> t{};
    for (int i = 0; i < op_count; ++i)
        for (const char *c = info(Op(i)).name; *c; ++c) t[size_t(i)] = mix(t[size_t(i)] * 31 + uint8_t(*c));
    return t;
}();
uint64_t hash_of(Op op) { return op_hashes[size_t(op)]; }

/// Feeds a function, in the order of its text form, into two independent 64-bit states.
struct Hasher {
    const Function &fn;
    uint64_t a = 0x9ae16a3b2f90404fu, b = 0xc949c7defebe9b5du;
    std::vector<uint32_t> number = std::vector<uint32_t>(fn.insts.size());
    uint32_t next = 0;

    void add(uint64_t x) {
        a = mix(a ^ x) + 0x9e3779b97f4a7c15u;
        b = mix(b + x * 0xd6e8feb86659fd93u) ^ (b >> 29);
    }
    void add(const std::string &text) {
        add(text.size());
        uint64_t word = 0;
        for (size_t i = 0; i < text.size(); ++i) {
            word = word << 8 | uint8_t(text[i]);
            if (i % 8 == 7) add(word);
        }
        add(word);
    }
    void add(const Type &t) {
        add(uint64_t(t.kind) | uint64_t(t.elem) << 8 | uint64_t(t.lanes) << 16 | uint64_t(t.ndim) << 24 |
            uint64_t(t.rows) << 32 | uint64_t(t.cols) << 40 | uint64_t(t.space) << 48);
    }
    void define(Value v) {
        number[v.id] = ++next;
        add(fn.type(v));
    }
    template <class Values> void define_all(const Values &values) {
        add(values.size());
        for (Value v : values) define(v);
    }
    void function();
    void block(BlockId b);
    void inst(Value v);
    void immediate(const Inst &in);
    void place(const Place &p);
    void packing(const Packing &p);
};

void Hasher::place(const Place &p) {
    add(uint64_t(p.elem));
    add(uint64_t(p.tree) << 1 | uint64_t(p.level));
    add(p.byte_offset);
    add(p.index_offset.size());
    for (int32_t v : p.index_offset) add(uint32_t(v));
    add(p.shape.size());
    for (int32_t v : p.shape) add(uint32_t(v));
    add(p.levels.size());
    for (const PlaceLevel &level : p.levels) {
        add(uint64_t(level.kind));
        add(level.start);
        add(level.cell_bytes);
        add(uint64_t(level.node) << 32 | level.chunk);
        add(level.axes.size());
        for (const PlaceAxis &x : level.axes) {
            add(uint64_t(x.axis) << 32 | x.extent);
            add(uint64_t(x.divide) << 32 | x.stride);
        }
    }
}

void Hasher::packing(const Packing &p) {
    add(uint64_t(p.kind) | uint64_t(p.is_signed) << 8 | uint64_t(p.bits) << 16 | uint64_t(p.shift) << 24 |
        uint64_t(p.exponent_bits) << 32 | uint64_t(p.exponent_shift) << 40);
    add(std::bit_cast<uint64_t>(p.scale));
    add(p.others.size());
    for (const Packing::Sharer &other : p.others) add(uint64_t(other.shift) << 8 | other.digits);
}

/// Instructions refer to messages, counters and subgraphs by number, to everything else by content.
void Hasher::immediate(const Inst &in) {
    switch (info(in.op).imm) {
    case Imm::none: return;
    case Imm::loop: {
        const Loop &loop = fn.loops[in.imm];
        return add(uint64_t(loop.block_dim) << 8 | uint64_t(loop.serialize) | uint64_t(loop.reversed) << 1 |
                   uint64_t(loop.vectorize) << 2 | uint64_t(loop.interruptible) << 3 |
                   uint64_t(loop.heap_persists) << 4 | uint64_t(loop.ordered) << 5 | uint64_t(loop.cells) << 6 |
                   uint64_t(loop.flushes) << 7);
    }
    case Imm::place: return place(fn.places[in.imm]);
    case Imm::packing: return packing(fn.packings[in.imm]);
    case Imm::table:
        add(uint64_t(fn.tables[in.imm].elem));
        add(fn.tables[in.imm].values.size());
        for (uint64_t value : fn.tables[in.imm].values) add(value);
        return;
    case Imm::level:
    case Imm::part:
    case Imm::place_axis: add(level_of(in)); return place(fn.places[place_of(in)]);
    case Imm::message:
        add(in.imm);
        add(fn.messages[in.imm].limited);
        add(fn.messages[in.imm].pieces.size());
        for (const Message::Piece &piece : fn.messages[in.imm].pieces) {
            add(uint64_t(int64_t(piece.value)));
            add(piece.text);
        }
        return;
    case Imm::counter: add(in.imm); return add(uint64_t(fn.counters[in.imm].what));
    case Imm::subgraph: {
        const Subgraph &subgraph = fn.subgraphs[in.imm];
        add(in.imm);
        return add(uint64_t(subgraph.kind) << 32 | subgraph.flag);
    }
    case Imm::bits:
    case Imm::number:
    case Imm::axis:
    case Imm::tree:
    case Imm::slot:
    case Imm::scope:
    case Imm::external: return add(in.imm);
    }
}

void Hasher::inst(Value v) {
    const Inst &in = fn[v];
    add(hash_of(in.op) + in.args.size);
    for (Value arg : fn.args(v)) add(number[arg.id]);
    immediate(in);
    if (in.type.kind != Kind::none) define(v);
    if (info(in.op).effect != Effect::control) return;
    define_all(fn.results(v));
    for (BlockId child : in.blocks) block(child);
}

void Hasher::block(BlockId id) {
    if (!id) return add(0);
    const Block &block = fn[id];
    add(block.insts.size());
    define_all(block.params);
    for (Value v : block.insts) inst(v);
}

void Hasher::function() {
    add(uint64_t(fn.role) | uint64_t(fn.fast_math) << 8 | uint64_t(fn.debug) << 9 | uint64_t(fn.distinct_arrays) << 10 |
        uint64_t(fn.compile_flags) << 16);
    if (fn.graph != GraphPosition()) {
        add(uint64_t(uint32_t(fn.graph.level)) << 32 | uint32_t(fn.graph.checkpoint));
        add(uint64_t(uint32_t(fn.graph.region)) << 32 | uint32_t(fn.graph.section));
    }
    if (fn.range_at != Function::none) add(fn.range_at);
    add(fn.tmp_bytes);
    add(fn.ret_bytes);
    add(fn.returns.size());
    for (Type t : fn.returns) add(t);
    define_all(fn.params);
    block(fn.bounds);
    block(fn.body);
}

} // namespace

Hash content_hash(const Function &fn) {
    Hasher h{fn};
    h.function();
    return {{mix(h.a), mix(h.b + h.a)}};
}

std::string to_hex(const Hash &h) {
    static const char *digits = "0123456789abcdef";
    std::string text;
    for (uint64_t word : h.words)
        for (int shift = 60; shift >= 0; shift -= 4) text += digits[(word >> shift) & 15];
    return text;
}

} // namespace qd::ir
