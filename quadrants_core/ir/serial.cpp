// One list of members serves both directions: `fields` below is called with a sink that writes or one that reads.
#include "ir/serial.h"

namespace qd::ir {
namespace {

struct Out {
    Writer &w;
    template <class T> void plain(const T &value) { w.number(value); }
    template <class T> void array(const std::vector<T> &list) { w.array(list); }
    void text(const std::string &s) { w.text(s); }
    template <class List, class Each> void list(List &items, const Each &each) {
        w.number(uint64_t(items.size()));
        for (auto &item : items) each(item);
    }
};

struct In {
    Reader &r;
    template <class T> void plain(T &value) { value = r.number<T>(); }
    template <class T> void array(std::vector<T> &list) { list = r.array<T>(); }
    void text(std::string &s) { s = r.text(); }
    template <class List, class Each> void list(List &items, const Each &each) {
        items.clear();
        items.resize(r.count());
        for (auto &item : items) each(item);
    }
};

// Structured bindings name every member, so a member added to a struct does not compile until it is serialised here.

template <class Sink, class PlaceT> void place_fields(Sink &s, PlaceT &p) {
    auto &[name, elem, tree, id, level_alone, levels, byte_offset, index_offset, shape] = p;
    s.text(name);
    s.plain(elem);
    s.plain(tree);
    s.plain(id);
    s.plain(level_alone);
    s.list(levels, [&](auto &level) {
        auto &[kind, start, cell_bytes, node, chunk, axes] = level;
        s.plain(kind);
        s.plain(start);
        s.plain(cell_bytes);
        s.plain(node);
        s.plain(chunk);
        s.list(axes, [&](auto &one) {
            auto &[axis, extent, divide, stride] = one;
            s.plain(axis);
            s.plain(extent);
            s.plain(divide);
            s.plain(stride);
        });
    });
    s.plain(byte_offset);
    s.array(index_offset);
    s.array(shape);
}

template <class Sink, class PackingT> void packing_fields(Sink &s, PackingT &p) {
    auto &[kind, is_signed, bits, shift, exponent_bits, exponent_shift, scale, others] = p;
    s.plain(kind);
    s.plain(is_signed);
    s.plain(bits);
    s.plain(shift);
    s.plain(exponent_bits);
    s.plain(exponent_shift);
    s.plain(scale);
    s.array(others);
}

template <class Sink, class LoopT> void loop_fields(Sink &s, LoopT &loop) {
    auto &[name, block_dim, serialize, reversed, vectorize, interruptible, heap_persists, ordered, flushes, cells] =
        loop;
    s.text(name);
    s.plain(block_dim);
    s.plain(serialize);
    s.plain(reversed);
    s.plain(vectorize);
    s.plain(interruptible);
    s.plain(heap_persists);
    s.plain(ordered);
    s.plain(flushes);
    s.plain(cells);
}

template <class Sink, class Fn> void fields(Sink &s, Fn &fn) {
    auto &[name, role, fast_math, debug, compile_flags, distinct_arrays, params, returns, body, bounds, range_at, graph,
           insts, blocks, pool, loops, places, packings, tables, messages, counters, subgraphs, spans, files, scopes,
           tmp_bytes, ret_bytes] = fn;
    s.text(name);
    s.plain(role);
    s.plain(fast_math);
    s.plain(debug);
    s.plain(compile_flags);
    s.plain(distinct_arrays);
    s.array(params);
    s.array(returns);
    s.plain(body);
    s.plain(bounds);
    s.plain(range_at);
    s.plain(graph);
    s.array(insts);
    s.list(blocks, [&](auto &block) {
        s.array(block.params);
        s.array(block.insts);
    });
    s.array(pool);
    s.list(loops, [&](auto &loop) { loop_fields(s, loop); });
    s.list(places, [&](auto &place) { place_fields(s, place); });
    s.list(packings, [&](auto &packing) { packing_fields(s, packing); });
    s.list(tables, [&](auto &table) {
        auto &[elem, values] = table;
        s.plain(elem);
        s.array(values);
    });
    s.list(messages, [&](auto &message) {
        s.list(message.pieces, [&](auto &piece) {
            s.text(piece.text);
            s.plain(piece.value);
        });
    });
    s.array(counters);
    s.array(subgraphs);
    s.array(spans);
    s.list(files, [&](auto &file) { s.text(file); });
    s.list(scopes, [&](auto &scope) { s.text(scope); });
    s.plain(tmp_bytes);
    s.plain(ret_bytes);
}

} // namespace

void write(Writer &out, const Function &fn) {
    Out sink{out};
    fields(sink, fn);
}

Function read(Reader &in) {
    Function fn;
    In sink{in};
    fields(sink, fn);
    return fn;
}

void write(Writer &out, const Place &place) {
    Out sink{out};
    place_fields(sink, place);
}

} // namespace qd::ir
