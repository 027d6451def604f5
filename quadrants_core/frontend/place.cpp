// Reading and writing places: variables, array elements, field members, and parts of them.
#include "frontend/place.h"

#include "frontend/bounds.h"
#include "frontend/gradients.h"
#include "frontend/objects.h"
#include "frontend/packed.h"
#include "frontend/parameters.h"
#include "frontend/struct_value.h"
#include "frontend/recursion.h"
#include "frontend/types.h"

#include <algorithm>

namespace qd::frontend {

using ir::Scalar;

Val Places::scalar_ref(ir::Value pointer, bool local) {
    auto ref = std::make_shared<Ref>();
    ref->pointer = pointer;
    ref->elem = fn_.type(pointer).elem;
    ref->local = local;
    ref->region = w_.region;
    return val::Place{std::move(ref)};
}

/// One component of a matrix place.
Val Places::element_ref(const Ref &whole, ir::Value pointer) {
    Val out = scalar_ref(pointer, whole.local);
    out.ref()->region = whole.region;
    return out;
}

Val component(const Val &v, int k) {
    const val::Matrix &matrix = v.matrix();
    return val::Scalar{matrix.comps[size_t(k)], matrix.elem};
}

Val Places::load(Val v) {
    switch (v.tag()) {
    case Tag::ref: {
        const Ref &ref = *v.ref();
        if (ref.ndim == 0) return scalar(w_, load_part(ref, 0));
        val::Matrix out{{}, ref.n, ref.m, ref.ndim, ref.elem};
        for (int k = 0; k < ref.n * ref.m; ++k) out.comps.push_back(load_part(ref, k));
        return out;
    }
    case Tag::structure:
        if (w_.structs.is_under_construction(v.structure().type))
            w_.fail_here(UserErrorKind::type,
                         "`" + type_text(w_, v) + "` is still being constructed and cannot be used as a value",
                         "store, pass or return it after `__init__` has finished");
        for (Val &member : v.structure().members) member = load(std::move(member));
        return v;
    case Tag::element:
        if (std::shared_ptr<Ref> &variable = v.element().variable) {
            v.element().number = load_part(*variable, 0);
            variable.reset();
        }
        return v;
    case Tag::none:
    case Tag::constant:
    case Tag::scalar:
    case Tag::matrix:
    case Tag::array:
    case Tag::bundle:
    case Tag::sequence: // its items may be places, which are loaded on use
    case Tag::dict:
    case Tag::loop:
    case Tag::method:
    case Tag::container:
    case Tag::relation:
    case Tag::shared:
    case Tag::triplet: break;
    }
    return v;
}

/// Loads the value that `node` denotes; a fault is reported at that node instead of the enclosing statement.
Val Places::read_place(const Node *node, const Val &place) {
    if (place.ref()->base == Ref::Base::variable) return load(place);
    AtNode at(w_, node);
    return load(place);
}

ir::Value Places::wide_index(ir::Value index) const {
    const auto wide = wide_indices_.find(index);
    return wide == wide_indices_.end() ? index : wide->second;
}

ir::Value Places::load_part(const Ref &ref, int k) {
    if (ref.field && ref.field->is_packed()) return w_.packed.load(ref, k);
    const ir::Value pointer = ref.ndim ? part_pointer(ref, k) : scalar_pointer(ref);
    return b_.load(pointer);
}

void Places::store_part(const Ref &ref, int k, ir::Value value) {
    if (ref.field && ref.field->is_packed()) return w_.packed.store(ref, k, value);
    const ir::Value pointer = ref.ndim ? part_pointer(ref, k) : scalar_pointer(ref);
    b_.store(pointer, value);
}

ir::Value Places::part_pointer(const Ref &ref, int k) {
    if (ref.shift) {
        const ir::Value known = b_.i32(ref.comps[size_t(k)]);
        const ir::Value component = b_.add(ref.shift, known);
        return indexed_pointer(ref, component);
    }
    const int comp = ref.base == Ref::Base::pointer ? 0 : ref.comps[size_t(k)];
    switch (ref.base) {
    case Ref::Base::pointer: return ref.pointer;
    case Ref::Base::variable: return ref.variable->parts[size_t(comp)];
    case Ref::Base::element: {
        const ir::Value c = b_.i32(comp);
        return b_.element(ref.array, ref.indices, c);
    }
    case Ref::Base::field: return b_.place(ref.field->places[size_t(comp)], ref.indices);
    }
    fail_internal("a place without a base");
}

namespace {

/// True if comps = first, first + step, ...
bool evenly_spaced(const std::vector<int> &comps, int &first, int &step) {
    first = comps.empty() ? 0 : comps[0];
    step = comps.size() > 1 ? comps[1] - comps[0] : 1;
    for (size_t i = 1; i < comps.size(); ++i)
        if (comps[i] - comps[i - 1] != step) return false;
    return true;
}

} // namespace

namespace {

/// The place of the whole cell that contains a member.
uint32_t cell_of(ir::Function &fn, uint32_t member) {
    ir::Place cell = fn.places[member];
    cell.elem = Scalar::u8;
    cell.level = true;
    cell.byte_offset = 0;
    for (size_t i = 0; i < fn.places.size(); ++i)
        if (fn.places[i].level && fn.places[i].tree == cell.tree && fn.places[i].levels == cell.levels &&
            fn.places[i].index_offset == cell.index_offset)
            return uint32_t(i);
    fn.places.push_back(std::move(cell));
    return uint32_t(fn.places.size() - 1);
}

/// True if equal indices lead to addresses at a fixed distance: from the level where the paths diverge, all levels are dense and alike.
bool at_fixed_distance(const ir::Place &a, const ir::Place &b) {
    if (a.tree != b.tree || a.elem != b.elem || a.index_offset != b.index_offset || a.levels.size() != b.levels.size())
        return false;
    bool parted = false;
    for (size_t l = 0; l < a.levels.size(); ++l) {
        const ir::PlaceLevel &x = a.levels[l], &y = b.levels[l];
        parted = parted || x.node != y.node;
        const bool dense = x.kind == ir::LevelKind::dense && y.kind == ir::LevelKind::dense;
        if (parted && (!dense || x.cell_bytes != y.cell_bytes || x.axes != y.axes)) return false;
    }
    return true;
}

long distance(const ir::Place &a, const ir::Place &b) {
    long bytes = long(b.byte_offset) - long(a.byte_offset);
    for (size_t l = 0; l < a.levels.size(); ++l) bytes += long(b.levels[l].start) - long(a.levels[l].start);
    return bytes;
}

} // namespace

/// The address of a component of the base whose number is known only at run time.
ir::Value Places::indexed_pointer(const Ref &ref, ir::Value component) {
    if (ref.base == Ref::Base::element) {
        const ir::Type type = fn_.type(ref.array);
        const ir::Value components = b_.i32(type.rows * type.cols);
        if (w_.parameters.array(ref.array).clamp) component = clamped(w_, component, components);
        return b_.element(ref.array, ref.indices, component);
    }
    ir::Value base;
    long stride = ir::size_of(ref.elem), start = 0;
    if (ref.base == Ref::Base::field) {
        // Any component may be meant, so the address is relative to the cell, not to the first component.
        stride = ref.field->stride;
        if (w_.request.mode == autodiff::Mode::none) {
            base = b_.place(cell_of(fn_, ref.field->places[0]), ref.indices);
            start = long(fn_.places[ref.field->places[0]].byte_offset);
        } else { // a companion starts elsewhere
            base = b_.place(w_.gradients.first_component(*ref.field), ref.indices);
        }
    } else {
        MatrixVar &var = *ref.variable;
        if (!var.array) {
            ir::Inst inst;
            inst.op = ir::Op::local;
            inst.type = ir::Type::pointer(ref.elem, ir::Space::private_);
            inst.imm = var.parts.size();
            inst.span = b_.span;
            var.array = fn_.make(inst);
        }
        base = var.array;
    }
    const ir::Value wide = b_.cast(component, Scalar::i64);
    const ir::Value size = b_.i64(stride);
    ir::Value bytes = b_.mul(wide, size);
    if (start != 0) {
        const ir::Value first_byte = b_.i64(start);
        bytes = b_.add(bytes, first_byte);
    }
    return b_.offset(base, bytes, ref.elem);
}

void Places::check_indexable(const Node *node, const Ref &ref) {
    if (ref.base == Ref::Base::field && (ref.field->stride == 0 || ref.field->is_packed()))
        w_.fail_type(node, "The components of this field are stored separately and cannot be indexed at run time",
                     "place them in one tree, or copy the element to a local first: `v = x[i]`, then `v[k]`");
}

ir::Value Places::part_pointer(const Node *node, const Ref &ref, ir::Value k) {
    int first = 0, step = 1;
    if (!evenly_spaced(ref.comps, first, step))
        w_.fail_type(node, "A swizzle cannot be indexed at run time",
                     "assign it to a variable first: `v = a.zyx`, then `v[i]`");
    if (step != 1) {
        const ir::Value factor = b_.i32(step);
        k = b_.mul(k, factor);
    }
    if (first != 0) {
        const ir::Value base = b_.i32(first);
        k = b_.add(k, base);
    }
    if (ref.shift) k = b_.add(k, ref.shift);
    check_indexable(node, ref);
    return indexed_pointer(ref, k);
}

void Places::settle_matrices() {
    for (MatrixVar &var : matrices_) {
        if (!var.array) continue;
        const Scalar elem = fn_.type(var.array).elem;
        std::vector<ir::Value> old = std::move(fn_[var.block].insts), list;
        size_t part = 0;
        for (const ir::Value v : old) {
            if (part < var.parts.size() && v == var.parts[part]) {
                if (part == 0) list.push_back(var.array);
                ir::Inst constant;
                constant.op = ir::Op::constant;
                constant.type = Scalar::i64;
                constant.imm = part * size_t(ir::size_of(elem));
                constant.span = fn_[v].span;
                const ir::Value bytes = fn_.make(constant);
                list.push_back(bytes);
                fn_[v].op = ir::Op::offset;
                fn_[v].imm = 0;
                const ir::Value operands[] = {var.array, bytes};
                fn_.set_args(v, operands);
                ++part;
            }
            list.push_back(v);
        }
        fn_[var.block].insts = std::move(list);
    }
}

std::shared_ptr<Ref> Places::make_matrix_variable(Scalar elem, int n, int m, int ndim) {
    MatrixVar &var = matrices_.emplace_back();
    var.block = w_.recursion.block_of_variables();
    auto ref = std::make_shared<Ref>();
    ref->base = Ref::Base::variable;
    ref->local = true;
    ref->region = w_.region;
    ref->elem = elem;
    ref->n = n;
    ref->m = m;
    ref->ndim = ndim;
    ref->variable = &var;
    for (int k = 0; k < n * m; ++k) {
        var.parts.push_back(w_.recursion.make_local(elem));
        ref->comps.push_back(k);
    }
    return ref;
}

Val Places::new_variable(const Node *node, const Val &given) {
    if (const val::Scalar *number = given.if_scalar()) {
        const ir::Value pointer = w_.recursion.make_local(number->elem);
        b_.store(pointer, number->v);
        return scalar_ref(pointer, true);
    }
    Val v = typed(w_, node, given);
    switch (v.tag()) {
    case Tag::scalar: return new_variable(node, v);
    case Tag::element: {
        val::Element &element = v.element();
        element.variable = new_variable(node, scalar(w_, element.number)).ref().ref;
        return v;
    }
    case Tag::matrix: {
        const val::Matrix &m = v.matrix();
        std::shared_ptr<Ref> ref = make_matrix_variable(m.elem, m.n, m.m, m.ndim);
        for (size_t k = 0; k < m.comps.size(); ++k) b_.store(ref->variable->parts[k], m.comps[k]);
        return val::Place{std::move(ref)};
    }
    case Tag::sequence:
    case Tag::dict:
    case Tag::structure:
        for (Val &item : v.parts())
            if (storable(item) && !item.is_static) item = new_variable(node, item);
        return v;
    case Tag::none:
    case Tag::constant:
    case Tag::array:
    case Tag::bundle:
    case Tag::loop:
    case Tag::method:
    case Tag::ref:
    case Tag::container:
    case Tag::relation:
    case Tag::shared:
    case Tag::triplet: break; // need no variable
    }
    return v;
}

bool Places::storable(const Val &v) {
    switch (v.tag()) {
    case Tag::ref:
    case Tag::scalar:
    case Tag::matrix:
    case Tag::sequence:
    case Tag::structure: return true;
    case Tag::constant: {
        if (is_number(v)) return true;
        const Kind kind = w_.objects.kind_of(v.object());
        return kind == Kind::matrix || kind == Kind::struct_;
    }
    case Tag::none:
    case Tag::array:
    case Tag::bundle:
    case Tag::dict:
    case Tag::loop:
    case Tag::method:
    case Tag::container:
    case Tag::element:
    case Tag::relation:
    case Tag::shared:
    case Tag::triplet: break;
    }
    return false;
}

/// True if a member of an instance needs no variable: it is one, or it is not a run-time value.
static bool is_settled(const Val &v) {
    if (v.is_structure() || v.is_sequence() || v.is_dict())
        return std::all_of(v.parts().begin(), v.parts().end(), is_settled);
    return v.is_static || !(v.is_scalar() || v.is_matrix() || is_number(v));
}

bool is_place(const Val &v) {
    const val::StructValue *structure = v.if_structure();
    return v.is_ref() || (structure && std::all_of(structure->members.begin(), structure->members.end(),
                                                   structure->type->cls ? is_settled : is_place));
}

void Places::store(const Node *node, const Ref &ref, const Val &given) {
    Val v = load(given);
    if (ref.ndim == 0) {
        if (!v.is_scalar() && !is_number(v))
            w_.fail_type(node, "cannot assign '" + type_text(w_, v) + "' to '" + ir::to_string(ref.elem) + "'");
        const Scalar from = scalar_type(w_, node, v);
        if (v.is_scalar() || ir::is_float(from)) check_narrowing(w_, node, ref.elem, from);
        const ir::Value converted = as(w_, node, v, ref.elem);
        store_part(ref, 0, converted);
        return;
    }
    if (!v.is_scalar() && !is_number(v)) v = to_matrix(w_, node, v);
    if (const val::Matrix *m = v.if_matrix(); m && (m->n != ref.n || m->m != ref.m || m->ndim != ref.ndim)) {
        const Val place = val::Place{std::make_shared<Ref>(ref)};
        w_.fail_type(node, "cannot assign '" + type_text(w_, v) + "' to '" + type_text(w_, place) + "'");
    }
    check_narrowing(w_, node, ref.elem, scalar_type(w_, node, v));
    for (int k = 0; k < ref.n * ref.m; ++k) {
        const Val part = v.is_matrix() ? component(v, k) : v;
        const ir::Value converted = as(w_, node, part, ref.elem);
        store_part(ref, k, converted);
    }
}

const FieldInfo *Places::field_info(const Node *node, PyObject *object) {
    if (const auto found = fields_.find(object); found != fields_.end()) return found->second.get();
    const Names &n = names();
    auto info = std::make_unique<FieldInfo>();
    info->object = object;
    const bool is_matrix = w_.objects.kind_of(object) == Kind::matrix_field;
    PyRef answer = PyRef::steal(PyObject_CallMethodNoArgs(object, is_matrix ? n._qd_places_ : n._qd_place_));
    if (!answer) w_.python_failed(node);
    std::vector<int> places;
    if (is_matrix) {
        info->n = int(attribute_int(object, n.n, 1));
        info->m = int(attribute_int(object, n.m, 1));
        info->element_dim = int(attribute_int(object, n.ndim, 1));
        PyRef list = PyRef::steal(PySequence_Fast(answer.get(), "_qd_places_ gives a list"));
        if (!list) w_.python_failed(node);
        for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(list.get()); ++i)
            places.push_back(int(PyLong_AsLong(PySequence_Fast_GET_ITEM(list.get(), i))));
    } else {
        places.push_back(int(PyLong_AsLong(answer.get())));
    }
    for (const int place : places) info->places.push_back(place_index(place));
    const ir::Place &first = fn_.places[info->places[0]];
    info->name = first.name;
    info->elem = first.elem;
    info->shape = first.shape;
    info->offset = first.index_offset;
    info->offset.resize(info->shape.size());
    info->stride = component_stride(info->places);
    info->packed = w_.packed.components(node, object);
    if (info->is_packed()) info->elem = info->packed[0].compute;
    if (info->is_packed() && !info->packed[0].shape.empty()) {
        info->shape = info->packed[0].shape;
        info->offset.assign(info->shape.size(), 0);
    }
    w_.objects.keep(PyRef::borrow(object));
    return fields_.emplace(object, std::move(info)).first->second.get();
}

/// The element of a field at these indices.
Val field_ref(const FieldInfo *info, std::vector<ir::Value> indices) {
    auto ref = std::make_shared<Ref>();
    ref->base = Ref::Base::field;
    ref->elem = info->elem;
    ref->n = info->n;
    ref->m = info->m;
    ref->ndim = info->element_dim;
    ref->indices = std::move(indices);
    ref->field = info;
    for (int k = 0; k < info->n * info->m; ++k) ref->comps.push_back(k);
    return val::Place{std::move(ref)};
}

uint32_t Places::place_index(int place) {
    const auto [at, is_new] = places_.try_emplace(place, uint32_t(fn_.places.size()));
    if (is_new) fn_.places.push_back(w_.request.place(place));
    return at->second;
}

long Places::component_stride(const std::vector<uint32_t> &places) const {
    const ir::Place &first = fn_.places[places[0]];
    if (places.size() < 2) return ir::size_of(first.elem);
    const long step = distance(first, fn_.places[places[1]]);
    for (size_t k = 0; k < places.size(); ++k) {
        const ir::Place &p = fn_.places[places[k]];
        if (!at_fixed_distance(first, p) || distance(first, p) != long(k) * step) return 0;
    }
    return step;
}

/// A variable that holds a value, so that it can be indexed. Host matrices and arguments of the kernel never change: their variable is made
/// once at the start of the task, outside its loops.
Val Places::indexed_value(const Node *node, const Val &v) {
    const auto is_argument = [&](ir::Value c) {
        return std::find(fn_.params.begin(), fn_.params.end(), c) != fn_.params.end();
    };
    const bool from_host = v.is_constant();
    const val::Matrix *matrix = v.if_matrix();
    const std::span<const ir::Value> comps = matrix ? std::span(matrix->comps) : std::span<const ir::Value>();
    if (!from_host && !std::all_of(comps.begin(), comps.end(), is_argument)) return new_variable(node, v);
    const uintptr_t key = from_host ? reinterpret_cast<uintptr_t>(v.object()) : comps[0].id;
    Val &table = tables_[{key, w_.region.id}];
    if (!table.is_none()) return table;
    const ir::BlockId block = std::exchange(b_.block, w_.region);
    b_.at = 0;
    table = new_variable(node, from_host ? to_matrix(w_, node, v) : v);
    b_.at = size_t(-1);
    b_.block = block;
    if (from_host) w_.objects.keep(v.constant().object);
    return table;
}

} // namespace qd::frontend
