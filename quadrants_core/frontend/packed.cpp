// Numbers of quant types: some bits of a word that other numbers share. The walk determines the word and the position among the numbers in
// it; the packed ops of the IR do the rest.
#include "frontend/packed.h"

#include "frontend/control.h"
#include "frontend/objects.h"

namespace qd::frontend {

using ir::Op;
using ir::Scalar;

namespace {

void read_list(PyObject *list, std::vector<int> &out) {
    PyRef fast = PyRef::steal(PySequence_Fast(list, "a list of integers"));
    for (Py_ssize_t i = 0; fast && i < PySequence_Fast_GET_SIZE(fast.get()); ++i)
        out.push_back(int(PyLong_AsLong(PySequence_Fast_GET_ITEM(fast.get(), i))));
}

/// Reads one component; false with an error set if it is malformed.
bool read_component(PyObject *answer, Packed &component, ir::Packing &packing) {
    int kind = 0, bits = 0, exponent_bits = 0, is_signed = 0, compute = 0, shift = 0, exponent_shift = 0;
    PyObject *cells = nullptr, *outer = nullptr, *shape = nullptr, *others = nullptr;
    if (!PyArg_ParseTuple(answer, "iiipdiiOOOiO", &kind, &bits, &exponent_bits, &is_signed, &packing.scale, &compute,
                          &shift, &cells, &outer, &shape, &exponent_shift, &others))
        return false;
    packing.kind = ir::Packing::Kind(kind);
    packing.is_signed = is_signed != 0;
    packing.bits = uint8_t(bits);
    packing.shift = uint8_t(shift);
    packing.exponent_bits = uint8_t(exponent_bits);
    packing.exponent_shift = uint8_t(exponent_shift);
    component.compute = Scalar(compute);
    read_list(cells, component.cells);
    read_list(outer, component.outer);
    read_list(shape, component.shape);
    PyRef list = PyRef::steal(PySequence_Fast(others, "a list of pairs"));
    for (Py_ssize_t i = 0; list && i < PySequence_Fast_GET_SIZE(list.get()); ++i) {
        int first = 0, digits = 0;
        if (!PyArg_ParseTuple(PySequence_Fast_GET_ITEM(list.get(), i), "ii", &first, &digits)) return false;
        packing.others.push_back({uint8_t(first), uint8_t(digits)});
    }
    return !PyErr_Occurred();
}

} // namespace

/// `_qd_packing_()` of a field: None, or for each component (kind, bits, exponent bits, signed, scale, compute type, shift, cells, outer,
/// shape, shift of the exponent, [(shift, digits)] of the numbers that share the exponent).
std::vector<Packed> PackedNumbers::components(const Node *node, PyObject *field) {
    PyRef answer = PyRef::steal(PyObject_CallMethodNoArgs(field, names()._qd_packing_));
    if (!answer) w_.python_failed(node);
    std::vector<Packed> out;
    if (answer.get() == Py_None) return out;
    PyRef list = PyRef::steal(PySequence_Fast(answer.get(), "_qd_packing_ gives a list"));
    if (!list) w_.python_failed(node);
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(list.get()); ++i) {
        Packed &component = out.emplace_back();
        component.packing = uint32_t(fn_.packings.size());
        ir::Packing &packing = fn_.packings.emplace_back();
        if (!read_component(PySequence_Fast_GET_ITEM(list.get(), i), component, packing)) w_.python_failed(node);
    }
    return out;
}

/// Emits a packed op on the word of a component, the position in the word, and `operands`.
ir::Value PackedNumbers::emit(Op op, const Ref &ref, int k, std::span<const ir::Value> operands) {
    const size_t comp = size_t(ref.comps[size_t(k)]);
    const Packed &component = ref.field->packed[comp];
    std::vector<ir::Value> indices; // indices of the word
    ir::Value position;             // position of the element in its word
    for (size_t axis = 0; axis < component.cells.size(); ++axis) {
        const ir::Value index = ref.indices[axis], cells = b_.i32(component.cells[axis]);
        const auto known = in_word_.find(index.id);
        const bool own = known != in_word_.end() && known->second.cells == component.cells[axis];
        if (component.outer[axis]) indices.push_back(own ? known->second.word : b_.div(index, cells));
        const ir::Value inner = own ? known->second.inner : b_.rem(index, cells);
        if (!position) {
            position = inner;
            continue;
        }
        const ir::Value rows = b_.mul(position, cells);
        position = b_.add(rows, inner);
    }
    if (component.cells.empty()) indices = ref.indices;
    if (!position) position = b_.i32(0);
    std::vector<ir::Value> args{b_.place(ref.field->places[comp], indices), position};
    args.insert(args.end(), operands.begin(), operands.end());
    return b_.emit(op, args, component.compute, component.packing);
}

ir::Value PackedNumbers::load(const Ref &ref, int k) { return emit(Op::packed_load, ref, k, {}); }

ir::Value PackedNumbers::volatile_load(const Ref &ref, int k) { return emit(Op::packed_volatile, ref, k, {}); }

void PackedNumbers::store(const Ref &ref, int k, ir::Value value) { emit(Op::packed_store, ref, k, std::array{value}); }

ir::Value PackedNumbers::update(const Ref &ref, int k, Op atomic, std::span<const ir::Value> operands) {
    return emit(ir::packed_op(atomic), ref, k, operands);
}

/// Loops over the elements of the word at the given indices: emits `body` with the `indices` of each element.
Flow PackedNumbers::each_in_word(const Packed &array, std::span<const ir::Value> word, std::vector<ir::Value> &indices,
                                 const std::function<Flow()> &body) {
    const size_t axis = indices.size();
    if (axis == array.cells.size()) return body();
    const bool outer = array.outer[axis] != 0;
    const std::span<const ir::Value> rest = word.subspan(outer ? 1 : 0);
    const ir::Value zero = b_.i32(0), cells = b_.i32(array.cells[axis]);
    if (array.cells[axis] == 1) {
        indices.push_back(outer ? word[0] : zero);
        const Flow flow = each_in_word(array, rest, indices, body);
        indices.pop_back();
        return flow;
    }
    const ir::Value loop = b_.for_(zero, cells, {}, {});
    const ir::BlockId inside = fn_[loop].blocks[0];
    body_in(w_, inside, [&] {
        const ir::Value number = fn_[inside].params[0];
        ir::Value index = number;
        if (outer) {
            const ir::Value first = b_.mul(word[0], cells);
            index = b_.add(first, number);
        }
        in_word_[index.id] = {outer ? word[0] : zero, number, array.cells[axis]};
        indices.push_back(index);
        const Flow flow = each_in_word(array, rest, indices, body);
        indices.pop_back();
        return flow;
    });
    return Flow::next;
}

} // namespace qd::frontend
