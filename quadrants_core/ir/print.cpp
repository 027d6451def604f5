// Writes the text form. There is no code per op here: all instructions have one line format, driven by op_table, plus loop attributes.
//
//   fn @name(%0: f32, %1: array<f32, 1>) -> f32 fast_math debug aliased tmp 16 ret 8      task serial|range @name(...)
//                                         level 0 checkpoint 0 region 0 section 0 range_at 8
//       place 0 "x" f32 tree 0 byte 4 id 7 offset (0, -1) shape (8, 8)                     tables: only entries in use
//           dense start 0 cell 8 [0 extent 8 divide 1 stride 8, 1 extent 8 divide 1 stride 1]
//       place 1 "S1" u8 tree 1 byte 0 level offset (0) shape (64)
//           dynamic start 0 cell 4 node 1 chunk 16 [0 extent 64 divide 1 stride 1]
//       packing 0 integer bits 5 at 3 signed
//       packing 1 fixed bits 10 at 0 scale 0.5
//       packing 2 floating bits 16 at 0 signed exponent 5
//       packing 3 shared bits 9 at 5 signed exponent 5 at 0 (14, 8, 23, 9)                 bit and digits of each sharer
//       table 0 f32 (1, 0.5, nan)
//       message 0 "x = " {0} " y = " {1 ".3f"}
//       counter 0 line
//       subgraph 0 do_while flag 1                                                         flag: number of a parameter
//       bounds / body                                                                      only if there is a bounds block
//       %3: i32 = dim %1 !0                                                                results = op operands !imm
//       %7: ptr<u8> = find_cell %5, %6 !1.0                                                !place.level
//       %8: ptr<f32, private> = local !4                                                   the space, if not global
//       %4: f32 = for %a, %b, %0 {reversed name "i"} (%5: i32, %6: f32)
//           ...
//       if %c
//           yield
//       else                                                                               omitted if it only yields
//           yield
//       ret %4
#include "ir/print.h"

#include "ir/eval.h"
#include "ir/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace qd::ir {

std::string quote(std::string_view s) {
    std::string out = "\"";
    for (char c : s) {
        static const char *hex = "0123456789abcdef";
        if (c == '\n')
            out += "\\n";
        else if (c == '"' || c == '\\')
            out += {'\\', c};
        else if (uint8_t(c) < 32 || c == 127)
            out += {'\\', 'x', hex[uint8_t(c) >> 4], hex[uint8_t(c) & 15]};
        else
            out += c;
    }
    return out + "\"";
}

bool is_plain_name(std::string_view s) {
    return !s.empty() && std::all_of(s.begin(), s.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
    });
}

namespace {

std::string hex(uint64_t bits) {
    char buffer[20];
    auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, bits, 16);
    return "0x" + std::string(buffer, end);
}

template <class T> std::string shortest(T v) {
    char buffer[40];
    auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, v);
    return std::string(buffer, end);
}

/// Writes one function; values are numbered in order of appearance.
struct Printer {
    const Function &fn;
    const PrintOptions &options;
    const PrintHook &hook;
    std::string out;
    std::vector<uint32_t> number = std::vector<uint32_t>(fn.insts.size(), uint32_t(-1));
    uint32_t next = 0;

    void define(Value v) {
        if (v.id < number.size() && number[v.id] == uint32_t(-1)) number[v.id] = next++;
    }
    std::string name(Value v) const {
        if (!v || v.id >= number.size()) return "%?";
        return number[v.id] == uint32_t(-1) ? "%undefined" + std::to_string(v.id) : "%" + std::to_string(number[v.id]);
    }
    std::span<const Value> values(List list) const {
        return size_t(list.begin) + list.size <= fn.pool.size() ? fn.list(list) : std::span<const Value>();
    }
    std::string typed(Value v) {
        define(v);
        return name(v) + ": " + (v.id < fn.insts.size() ? to_string(fn.type(v)) : "none");
    }
    template <class List> std::string names(const List &list) const {
        std::string text;
        for (Value v : list) text += (text.empty() ? "" : ", ") + name(v);
        return text;
    }
    template <class List> std::string definitions(const List &list) {
        std::string text;
        for (Value v : list) text += (text.empty() ? "" : ", ") + typed(v);
        return text;
    }

    void line(int depth, const std::string &text) { out += std::string(size_t(depth) * 4, ' ') + text + "\n"; }

    void header();
    void tables();
    void place(uint64_t index);
    void packing(uint64_t index);
    void table(uint64_t index);
    void message(uint64_t index);
    void block(BlockId b, int depth, int nesting = 0);
    void inst(Value v, int depth, int nesting);
    std::string immediate(const Inst &in) const;
    std::string loop_attributes(uint64_t index) const;
    bool only_yields(BlockId b) const;
};

void Printer::header() {
    std::string text = fn.role == Role::kernel ? "fn" : fn.role == Role::serial_task ? "task serial" : "task range";
    text += " @" + (is_plain_name(fn.name) ? fn.name : quote(fn.name));
    text += "(" + definitions(fn.params) + ")";
    for (size_t i = 0; i < fn.returns.size(); ++i) text += (i ? ", " : " -> ") + to_string(fn.returns[i]);
    if (fn.fast_math) text += " fast_math";
    if (fn.debug) text += " debug";
    for (size_t i = 0; i < std::size(flag_names); i++)
        if (fn.has_flag(CompileFlag(i))) text += " " + std::string(flag_names[i]);
    if (!fn.distinct_arrays) text += " aliased";
    if (fn.tmp_bytes) text += " tmp " + std::to_string(fn.tmp_bytes);
    if (fn.ret_bytes) text += " ret " + std::to_string(fn.ret_bytes);
    const auto id = [&](const char *what, int32_t number) {
        if (number >= 0) text += std::string(" ") + what + " " + std::to_string(number);
    };
    id("level", fn.graph.level);
    id("checkpoint", fn.graph.checkpoint);
    id("region", fn.graph.region);
    id("section", fn.graph.section);
    if (fn.range_at != Function::none) text += " range_at " + std::to_string(fn.range_at);
    line(0, text);
}

/// Indices of the table entries that the function's instructions use.
struct TableUse {
    std::vector<uint64_t> places, packings, tables, messages, counters, subgraphs;
};

void collect(const Function &fn, BlockId b, TableUse &use, int nesting) {
    if (!b || b.id >= fn.blocks.size() || nesting > max_nesting) return;
    for (Value v : fn[b].insts) {
        if (v.id >= fn.insts.size()) continue;
        const Inst &in = fn[v];
        const Imm kind = info(in.op).imm;
        if (names_place(in.op) && place_of(in) < fn.places.size()) use.places.push_back(place_of(in));
        if (kind == Imm::packing && in.imm < fn.packings.size()) use.packings.push_back(in.imm);
        if (kind == Imm::table && in.imm < fn.tables.size()) use.tables.push_back(in.imm);
        if (kind == Imm::message && in.imm < fn.messages.size()) use.messages.push_back(in.imm);
        if (kind == Imm::counter && in.imm < fn.counters.size()) use.counters.push_back(in.imm);
        if (kind == Imm::subgraph && in.imm < fn.subgraphs.size()) use.subgraphs.push_back(in.imm);
        collect(fn, in.blocks[0], use, nesting + 1);
        collect(fn, in.blocks[1], use, nesting + 1);
    }
}

template <class Number> std::string numbers(const std::vector<Number> &list) {
    std::string text = "(";
    for (size_t i = 0; i < list.size(); ++i) text += (i ? ", " : "") + std::to_string(list[i]);
    return text + ")";
}

void Printer::place(uint64_t index) {
    const Place &p = fn.places[index];
    std::string text = "place " + std::to_string(index) + " " + quote(p.name) + " " + to_string(p.elem) + " tree " +
                       std::to_string(p.tree) + " byte " + std::to_string(p.byte_offset);
    if (p.level) text += " level";
    if (p.id) text += " id " + std::to_string(p.id);
    text += " offset " + numbers(p.index_offset) + " shape " + numbers(p.shape);
    line(1, text);
    for (const PlaceLevel &level : p.levels) {
        text = std::string(level_names[int(level.kind)]) + " start " + std::to_string(level.start) + " cell " +
               std::to_string(level.cell_bytes);
        if (level.node) text += " node " + std::to_string(level.node);
        if (level.chunk) text += " chunk " + std::to_string(level.chunk);
        text += " [";
        for (size_t i = 0; i < level.axes.size(); ++i) {
            const PlaceAxis &a = level.axes[i];
            text += (i ? ", " : "") + std::to_string(a.axis) + " extent " + std::to_string(a.extent) + " divide " +
                    std::to_string(a.divide) + " stride " + std::to_string(a.stride);
        }
        line(2, text + "]");
    }
}

void Printer::packing(uint64_t index) {
    const Packing &p = fn.packings[index];
    const auto word = [](int n) { return " " + std::to_string(n); };
    std::string text = "packing " + std::to_string(index) + " " + packing_names[int(p.kind)] + " bits" + word(p.bits) +
                       " at" + word(p.shift);
    if (p.is_signed) text += " signed";
    if (p.kind == Packing::Kind::fixed) text += " scale " + shortest(p.scale);
    if (p.exponent_bits) text += " exponent" + word(p.exponent_bits);
    if (p.kind == Packing::Kind::shared) {
        std::vector<int> others;
        for (const Packing::Sharer &other : p.others) others.insert(others.end(), {other.shift, other.digits});
        text += " at" + word(p.exponent_shift) + " " + numbers(others);
    }
    line(1, text);
}

void Printer::table(uint64_t index) {
    const Table &t = fn.tables[index];
    std::string text = "table " + std::to_string(index) + " " + to_string(t.elem) + " (";
    for (size_t i = 0; i < t.values.size(); ++i) text += (i ? ", " : "") + to_text(Constant{t.elem, t.values[i]});
    line(1, text + ")");
}

void Printer::message(uint64_t index) {
    std::string text = "message " + std::to_string(index) + (fn.messages[index].limited ? " limited" : "");
    for (const Message::Piece &piece : fn.messages[index].pieces) {
        if (piece.value < 0)
            text += " " + quote(piece.text);
        else
            text += " {" + std::to_string(piece.value) + (piece.text.empty() ? "" : " " + quote(piece.text)) + "}";
    }
    line(1, text);
}

void Printer::tables() {
    TableUse use;
    collect(fn, fn.bounds, use, 0);
    collect(fn, fn.body, use, 0);
    for (size_t i = 0; i < fn.counters.size(); ++i)
        if (fn.counters[i].shares()) use.counters.push_back(i);
    for (auto *list : {&use.places, &use.packings, &use.tables, &use.messages, &use.counters, &use.subgraphs}) {
        std::sort(list->begin(), list->end());
        list->erase(std::unique(list->begin(), list->end()), list->end());
    }
    for (uint64_t i : use.places) place(i);
    for (uint64_t i : use.packings) packing(i);
    for (uint64_t i : use.tables) table(i);
    for (uint64_t i : use.messages) message(i);
    for (uint64_t i : use.counters) {
        const Counter &counter = fn.counters[i];
        line(1, "counter " + std::to_string(i) + " " + counter_names[int(counter.what)] +
                    (counter.shares() ? " as " + std::to_string(counter.count_of) : ""));
    }
    for (uint64_t i : use.subgraphs) {
        const Subgraph &subgraph = fn.subgraphs[i];
        line(1, "subgraph " + std::to_string(i) + " " + subgraph_names[int(subgraph.kind)] +
                    (subgraph.flag != Subgraph::no_flag ? " flag " + std::to_string(subgraph.flag) : ""));
    }
}

std::string Printer::loop_attributes(uint64_t index) const {
    if (index >= fn.loops.size()) return " !" + std::to_string(index);
    const Loop &loop = fn.loops[index];
    std::string text;
    if (!loop.name.empty()) text += " name " + quote(loop.name);
    if (loop.block_dim) text += " block_dim " + std::to_string(loop.block_dim);
    if (loop.serialize) text += " serialize";
    if (loop.reversed) text += " reversed";
    if (loop.vectorize) text += " vectorize";
    if (loop.interruptible) text += " interruptible";
    if (loop.heap_persists) text += " heap_persists";
    if (loop.ordered) text += " ordered";
    if (loop.flushes) text += " flushes";
    if (loop.cells) text += " cells";
    return text.empty() ? "" : " {" + text.substr(1) + "}";
}

std::string Printer::immediate(const Inst &in) const {
    switch (info(in.op).imm) {
    case Imm::none: return "";
    case Imm::loop: return loop_attributes(in.imm);
    case Imm::bits: return " " + to_text(Constant{in.type.elem, in.imm});
    case Imm::scope: return in.imm < std::size(scope_names) ? std::string(" ") + scope_names[in.imm] : " ?";
    case Imm::level:
    case Imm::part:
    case Imm::place_axis: return " !" + std::to_string(place_of(in)) + "." + std::to_string(level_of(in));
    case Imm::number:
    case Imm::axis:
    case Imm::place:
    case Imm::message:
    case Imm::counter:
    case Imm::tree:
    case Imm::slot:
    case Imm::packing:
    case Imm::external:
    case Imm::subgraph:
    case Imm::table: break;
    }
    return " !" + std::to_string(in.imm);
}

bool Printer::only_yields(BlockId b) const {
    if (!b || b.id >= fn.blocks.size() || fn[b].insts.size() != 1 || !fn[b].params.empty()) return false;
    Value v = fn[b].insts[0];
    return v.id < fn.insts.size() && fn[v].op == Op::yield && fn[v].args.size == 0;
}

void Printer::inst(Value v, int depth, int nesting) {
    if (!v || v.id >= fn.insts.size()) {
        line(depth, "; no such instruction: " + std::to_string(v.id));
        return;
    }
    const Inst &in = fn[v];
    std::string operands = names(values(in.args));
    std::string text;
    if (in.type.kind != Kind::none) text = typed(v) + " = ";
    if (in.results.size) text = definitions(values(in.results)) + " = ";
    text += info(in.op).name;
    if (!operands.empty()) text += " " + operands;
    text += immediate(in);
    BlockId first = in.blocks[0], second = in.blocks[1];
    if (first && first.id < fn.blocks.size() && !fn[first].params.empty())
        text += " (" + definitions(fn[first].params) + ")";
    if (options.spans && in.span && in.span < fn.spans.size())
        text += " @" + std::to_string(fn.spans[in.span].line) + ":" + std::to_string(fn.spans[in.span].column);
    if (in.op == Op::volatile_load) text += "  ; global load volatile"; // the words that tools search for
    line(depth, text);
    if (hook) hook(v, depth, out);
    block(first, depth + 1, nesting + 1);
    if (second && !only_yields(second)) {
        line(depth, "else");
        block(second, depth + 1, nesting + 1);
    }
}

void Printer::block(BlockId b, int depth, int nesting) {
    if (!b || b.id >= fn.blocks.size()) return;
    if (nesting > max_nesting) return line(depth, "; blocks nested too deeply");
    for (Value v : fn[b].insts) inst(v, depth, nesting);
}

} // namespace

std::string to_text(Constant c) {
    if (is_int(c.type)) {
        if (from_int(c.type, to_int(c)) != c) return "bits " + hex(c.bits);
        return c.type == Scalar::u64 ? std::to_string(c.bits) : std::to_string(to_int(c));
    }
    double v = to_double(c);
    if (c.type != Scalar::none && c == from_double(c.type, std::numeric_limits<double>::quiet_NaN())) return "nan";
    if (c.type == Scalar::none || std::isnan(v) || (c.type != Scalar::f64 && from_double(c.type, v) != c))
        return "bits " + hex(c.bits);
    return c.type == Scalar::f64 ? shortest(v) : shortest(float(v));
}

std::string print_with(const Function &fn, const PrintOptions &options, const PrintHook &hook) {
    Printer p{fn, options, hook, {}};
    p.header();
    if (hook) hook({}, 0, p.out);
    p.tables();
    if (fn.bounds) {
        p.line(1, "bounds");
        p.block(fn.bounds, 2);
        p.line(1, "body");
        p.block(fn.body, 2);
    } else {
        p.block(fn.body, 1);
    }
    return p.out;
}

std::string print(const Function &fn, const PrintOptions &options) { return print_with(fn, options, {}); }

} // namespace qd::ir
