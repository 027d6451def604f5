// Parses the text form of the IR, which print.cpp describes. Indentation delimits blocks. Types are accepted as written; the verifier
// checks them, so that tests can contain invalid functions.
#include "ir/cursor.h"
#include "ir/eval.h"
#include "ir/print.h"

#include <algorithm>
#include <unordered_map>

namespace qd::ir {

namespace {

using Names = std::unordered_map<std::string, Value>;

const std::unordered_map<std::string_view, Op> &ops_by_name() {
    static const auto map = [] {
        std::unordered_map<std::string_view, Op> m;
        for (int i = 0; i < op_count; ++i)
            if (info(Op(i)).effect != Effect::meta) m.emplace(info(Op(i)).name, Op(i));
        return m;
    }();
    return map;
}

/// Parses one function, line by line.
struct Reader {
    std::vector<Line> &lines;
    size_t pos = 0;
    Function fn;
    Names names;

    Cursor at() const { return Cursor(lines[pos]); }
    bool more(int parent_indent) const { return pos < lines.size() && lines[pos].indent > parent_indent; }

    void function();
    void header(Cursor &c);
    int32_t *graph_id(std::string_view word);
    bool table(int indent);
    void place(Cursor &c, int indent);
    void packing(Cursor &c);
    void constants(Cursor &c);
    void message(Cursor &c);
    void counter(Cursor &c);
    void subgraph(Cursor &c);
    BlockId block(int parent_indent, const std::vector<std::pair<std::string, Type>> &params, int nesting);
    void instruction(BlockId b, int nesting);
    std::vector<Value> operands(Cursor &c);
    uint64_t immediate(Cursor &c, Op op, Type type);
    uint64_t loop_attributes(Cursor &c);
    std::vector<std::pair<std::string, Type>> definitions(Cursor &c);
    void define(Cursor &c, const std::string &name, Value v);
    void children(Value v, Op op, int indent, const std::vector<std::pair<std::string, Type>> &params, int nesting);
};

void Reader::define(Cursor &c, const std::string &name, Value v) {
    if (!names.emplace(name, v).second) c.fail("%" + name + " is defined twice");
}

std::vector<std::pair<std::string, Type>> Reader::definitions(Cursor &c) {
    std::vector<std::pair<std::string, Type>> list;
    do {
        c.expect('%');
        std::string name = c.name("a value's name");
        c.expect(':');
        Type t = c.type();
        list.emplace_back(name, t);
    } while (c.accept(','));
    return list;
}

/// The member of the graph position with this name, or null.
int32_t *Reader::graph_id(std::string_view word) {
    if (word == "level") return &fn.graph.level;
    if (word == "checkpoint") return &fn.graph.checkpoint;
    if (word == "region") return &fn.graph.region;
    return word == "section" ? &fn.graph.section : nullptr;
}

void Reader::header(Cursor &c) {
    std::string first = c.word();
    if (first == "task") {
        std::string role = c.word();
        if (role != "serial" && role != "range") c.fail("expected `task serial` or `task range`");
        fn.role = role == "serial" ? Role::serial_task : Role::range_task;
    } else if (first != "fn") {
        c.fail("expected `fn` or `task`");
    }
    c.expect('@');
    fn.name = c.peek() == '"' ? c.string() : c.name("a name");
    c.expect('(');
    if (c.peek() == '%') {
        for (auto &[name, type] : definitions(c)) {
            Inst inst;
            inst.type = type;
            Value v = fn.make(inst);
            fn.params.push_back(v);
            define(c, name, v);
        }
    }
    c.expect(')');
    if (c.accept("->")) {
        do fn.returns.push_back(c.type());
        while (c.accept(','));
    }
    while (!c.at_end()) {
        std::string word = c.word();
        if (word == "fast_math")
            fn.fast_math = true;
        else if (word == "debug")
            fn.debug = true;
        else if (const auto set_flag = std::ranges::find(flag_names, word); set_flag != std::end(flag_names))
            fn.set_flag(CompileFlag(set_flag - std::begin(flag_names)));
        else if (word == "aliased")
            fn.distinct_arrays = false;
        else if (word == "tmp")
            fn.tmp_bytes = c.number();
        else if (word == "ret")
            fn.ret_bytes = c.number();
        else if (word == "range_at")
            fn.range_at = c.number();
        else if (int32_t *id = graph_id(word))
            *id = int32_t(c.number(INT32_MAX));
        else
            c.fail("expected fast_math, debug, a compile flag, aliased, tmp, ret, range_at, level, checkpoint, region "
                   "or section");
    }
}

/// Returns entry `index` of a table, which grows if necessary.
template <class T> T &entry(Cursor &c, std::vector<T> &table, uint64_t index) {
    if (index > 1000000) c.fail("table index is too large");
    if (table.size() <= index) table.resize(size_t(index) + 1);
    return table[size_t(index)];
}

void Reader::place(Cursor &c, int indent) {
    Place &p = entry(c, fn.places, c.number());
    p = {};
    p.name = c.string();
    p.elem = c.scalar();
    c.expect_word("tree");
    p.tree = uint32_t(c.number(UINT32_MAX));
    c.expect_word("byte");
    p.byte_offset = c.number();
    p.level = c.accept_word("level");
    if (c.accept_word("id")) p.id = uint32_t(c.number(UINT32_MAX));
    c.expect_word("offset");
    for (int64_t v : c.numbers()) p.index_offset.push_back(int32_t(v));
    c.expect_word("shape");
    for (int64_t v : c.numbers()) p.shape.push_back(int32_t(v));
    c.expect_end();
    for (; more(indent); ++pos) {
        Cursor l = at();
        PlaceLevel level;
        level.kind = LevelKind(l.one_of(level_names));
        l.expect_word("start");
        level.start = l.number();
        l.expect_word("cell");
        level.cell_bytes = l.number();
        if (l.accept_word("node")) level.node = uint32_t(l.number(UINT32_MAX));
        if (l.accept_word("chunk")) level.chunk = uint32_t(l.number(INT32_MAX));
        l.expect('[');
        while (!l.accept(']')) {
            if (!level.axes.empty()) l.expect(',');
            PlaceAxis axis;
            axis.axis = uint8_t(l.number(UINT8_MAX));
            l.expect_word("extent");
            axis.extent = uint32_t(l.number(UINT32_MAX));
            l.expect_word("divide");
            axis.divide = uint32_t(l.number(UINT32_MAX));
            l.expect_word("stride");
            axis.stride = uint32_t(l.number(UINT32_MAX));
            level.axes.push_back(axis);
        }
        l.expect_end();
        p.levels.push_back(std::move(level));
    }
}

void Reader::packing(Cursor &c) {
    Packing &p = entry(c, fn.packings, c.number());
    const auto byte = [&] { return uint8_t(c.number(UINT8_MAX)); };
    p = {};
    p.kind = Packing::Kind(c.one_of(packing_names));
    c.expect_word("bits");
    p.bits = byte();
    c.expect_word("at");
    p.shift = byte();
    p.is_signed = c.accept_word("signed");
    if (p.kind == Packing::Kind::fixed) {
        c.expect_word("scale");
        p.scale = to_double({Scalar::f64, c.constant(Scalar::f64)});
    }
    if (c.accept_word("exponent")) p.exponent_bits = byte();
    if (p.kind == Packing::Kind::shared) {
        c.expect_word("at");
        p.exponent_shift = byte();
        const std::vector<int64_t> others = c.numbers();
        for (size_t i = 0; i + 1 < others.size(); i += 2)
            p.others.push_back({uint8_t(others[i]), uint8_t(others[i + 1])});
    }
    c.expect_end();
}

void Reader::constants(Cursor &c) {
    Table &t = entry(c, fn.tables, c.number());
    t = {};
    t.elem = c.scalar();
    c.expect('(');
    while (!c.accept(')')) {
        if (!t.values.empty()) c.expect(',');
        t.values.push_back(c.constant(t.elem));
    }
    c.expect_end();
}

void Reader::message(Cursor &c) {
    Message &m = entry(c, fn.messages, c.number());
    m = {};
    m.limited = c.accept_word("limited");
    while (!c.at_end()) {
        Message::Piece piece;
        if (c.accept('{')) {
            piece.value = int(c.number(INT32_MAX));
            if (c.peek() == '"') piece.text = c.string();
            c.expect('}');
        } else {
            piece.text = c.string();
        }
        m.pieces.push_back(std::move(piece));
    }
}

void Reader::counter(Cursor &c) {
    Counter &counter = entry(c, fn.counters, c.number());
    counter.what = Counter::What(c.one_of(counter_names));
    if (c.accept_word("as")) counter.count_of = uint32_t(c.number(UINT32_MAX));
    c.expect_end();
}

void Reader::subgraph(Cursor &c) {
    Subgraph &subgraph = entry(c, fn.subgraphs, c.number());
    subgraph.kind = Subgraph::Kind(c.one_of(subgraph_names));
    if (c.accept_word("flag")) subgraph.flag = uint32_t(c.number(UINT32_MAX));
    c.expect_end();
}

/// Reads a table entry if the next line begins one.
bool Reader::table(int indent) {
    if (!more(indent)) return false;
    Cursor c = at();
    int own = lines[pos].indent;
    Cursor look = c;
    std::string word = look.word();
    if (word != "place" && word != "packing" && word != "table" && word != "message" && word != "counter" &&
        word != "subgraph")
        return false;
    c = look;
    ++pos;
    if (word == "place")
        place(c, own);
    else if (word == "packing")
        packing(c);
    else if (word == "table")
        constants(c);
    else if (word == "message")
        message(c);
    else if (word == "counter")
        counter(c);
    else
        subgraph(c);
    return true;
}

void Reader::function() {
    Cursor c = at();
    int indent = lines[pos].indent;
    header(c);
    ++pos;
    while (table(indent)) {
    }
    if (!more(indent)) c.fail("the function has no body");
    Cursor first = at();
    if (first.accept_word("bounds") && first.at_end()) {
        int inner = lines[pos++].indent;
        fn.bounds = block(inner, {}, 0);
        if (!more(indent) || lines[pos].indent != inner || !at().is_word_line("body"))
            c.fail("expected `body` after the bounds");
        ++pos;
        fn.body = block(inner, {}, 0);
    } else {
        fn.body = block(indent, {}, 0);
    }
    if (more(indent)) at().fail("indented more than the line that it belongs to");
}

BlockId Reader::block(int parent_indent, const std::vector<std::pair<std::string, Type>> &params, int nesting) {
    BlockId b = fn.make_block();
    if (nesting > max_nesting) at().fail("blocks are nested too deeply");
    for (auto &[name, type] : params) {
        Cursor c = Cursor(lines[pos ? pos - 1 : 0]);
        Value v = fn.add_param(b, type);
        define(c, name, v);
    }
    if (!more(parent_indent)) return b;
    int indent = lines[pos].indent;
    while (more(parent_indent)) {
        if (lines[pos].indent != indent) at().fail("indentation does not fit the lines before");
        instruction(b, nesting);
    }
    return b;
}

std::vector<Value> Reader::operands(Cursor &c) {
    std::vector<Value> list;
    if (c.peek() != '%') return list;
    do {
        c.expect('%');
        std::string name = c.name("a value's name");
        auto it = names.find(name);
        if (it == names.end()) c.fail("%" + name + " is not defined above");
        list.push_back(it->second);
    } while (c.accept(','));
    return list;
}

uint64_t Reader::loop_attributes(Cursor &c) {
    Loop loop;
    if (c.accept('{')) {
        while (!c.accept('}')) {
            std::string word = c.word();
            if (word == "name")
                loop.name = c.string();
            else if (word == "block_dim")
                loop.block_dim = uint32_t(c.number(UINT32_MAX));
            else if (word == "serialize")
                loop.serialize = true;
            else if (word == "reversed")
                loop.reversed = true;
            else if (word == "vectorize")
                loop.vectorize = true;
            else if (word == "interruptible")
                loop.interruptible = true;
            else if (word == "heap_persists")
                loop.heap_persists = true;
            else if (word == "ordered")
                loop.ordered = true;
            else if (word == "flushes")
                loop.flushes = true;
            else if (word == "cells")
                loop.cells = true;
            else
                c.fail(
                    "expected name, block_dim, serialize, reversed, vectorize, interruptible, heap_persists, ordered, "
                    "flushes or cells");
        }
    }
    fn.loops.push_back(std::move(loop));
    return fn.loops.size() - 1;
}

uint64_t Reader::immediate(Cursor &c, Op op, Type type) {
    switch (info(op).imm) {
    case Imm::none: return 0;
    case Imm::loop: return loop_attributes(c);
    case Imm::bits: return c.constant(type.elem);
    case Imm::scope: return uint64_t(c.one_of(scope_names));
    case Imm::level:
    case Imm::part:
    case Imm::place_axis: {
        c.expect('!');
        uint64_t place = c.number();
        if (place > UINT32_MAX) c.fail("table index is too large");
        c.expect('.');
        return place * max_levels + c.number(max_levels - 1);
    }
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
    c.expect('!');
    return c.number();
}

void Reader::children(Value v, Op op, int indent, const std::vector<std::pair<std::string, Type>> &params,
                      int nesting) {
    BlockId first = block(indent, params, nesting + 1);
    fn[v].blocks[0] = first;
    if (op != Op::if_) return;
    BlockId second;
    if (pos < lines.size() && lines[pos].indent == indent && at().is_word_line("else")) {
        ++pos;
        second = block(indent, {}, nesting + 1);
    } else {
        second = fn.make_block();
        Inst inst;
        inst.op = Op::yield;
        Value y = fn.make(inst);
        fn[second].insts.push_back(y);
    }
    fn[v].blocks[1] = second;
}

void Reader::instruction(BlockId b, int nesting) {
    Cursor c = at();
    int indent = lines[pos].indent;
    std::vector<std::pair<std::string, Type>> results, params;
    if (c.peek() == '%') {
        results = definitions(c);
        c.expect('=');
    }
    std::string word = c.word();
    auto found = ops_by_name().find(word);
    if (found == ops_by_name().end()) c.fail(word.empty() ? "expected an instruction" : "unknown op `" + word + "`");
    Op op = found->second;
    Result rule = info(op).result;
    if (rule != Result::nothing && results.size() != 1) c.fail(word + " has one result");
    if (rule == Result::nothing && !results.empty() && !owns_block(op)) c.fail(word + " has no result");

    Inst inst;
    inst.op = op;
    if (rule != Result::nothing) inst.type = results[0].second;
    std::vector<Value> args = operands(c);
    inst.imm = immediate(c, op, inst.type);
    inst.args = fn.make_list(args);
    if (owns_block(op) && c.accept('(')) {
        if (op == Op::if_) c.fail("the blocks of an if have no parameters");
        params = definitions(c);
        c.expect(')');
    }
    if (c.accept('@')) {
        Span span;
        span.line = uint32_t(c.number(UINT32_MAX));
        c.expect(':');
        span.column = uint32_t(c.number(UINT32_MAX));
        span.end_line = span.line;
        span.end_column = span.column;
        inst.span = fn.intern_span(span);
    }
    c.expect_end();
    Value v = fn.make(inst);
    fn[b].insts.push_back(v);
    ++pos;
    if (owns_block(op)) children(v, op, indent, params, nesting);
    if (rule != Result::nothing)
        define(c, results[0].first, v);
    else
        for (auto &[name, type] : results) {
            Value r = fn.add_result(v, type);
            define(c, name, r);
        }
}

} // namespace

ParseResult parse(std::string_view text) {
    ParseResult result;
    try {
        std::vector<Line> lines = split_lines(text);
        size_t pos = 0;
        while (pos < lines.size()) {
            Reader reader{lines, pos, {}, {}};
            reader.function();
            pos = reader.pos;
            result.functions.push_back(std::move(reader.fn));
        }
    } catch (const Unreadable &u) {
        result.error = u.error;
    }
    return result;
}

} // namespace qd::ir
