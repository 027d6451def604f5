#include "python/bind/field.h"

#include "engine/device_memory.h"
#include "engine/kept_code.h"
#include "engine/trees.h"
#include "python/bind/errors.h"
#include "python/bind/index.h"
#include "python/bind/memory.h"
#include "python/bind/ndarray.h"
#include "python/bind/plan.h"
#include "python/bind/scalar.h"
#include "python/bind/state.h"

#include "base/bytes.h"
#include "ir/serial.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace qd::bind {
namespace {

std::vector<PlaceEntry> places;
PyTypeObject *place_type = nullptr;

struct PlaceObject {
    PyObject_HEAD;
    std::shared_ptr<TreeMemory> *memory;
    ir::Place *place;
    int id;
    bool sparse, read, written; ///< the program has read or written an element
};

PlaceObject *self_of(PyObject *o) { return reinterpret_cast<PlaceObject *>(o); }

bool check_alive(PlaceObject *self) {
    if ((*self->memory)->generation == runtime.generation) [[likely]]
        return true;
    raise_dead("field");
    return false;
}

std::string tuple_text(const int64_t *v, int n) {
    std::string text = "(";
    for (int i = 0; i < n; i++) text += (i ? ", " : "") + std::to_string(v[i]);
    return text + (n == 1 ? ",)" : ")");
}

/// Returns the name that the program gives to the field at this place.
std::string title(PlaceObject *self) {
    PyObject *function = package_attr("quadrants._storage.naming", "of_place");
    PyObject *name = function ? PyObject_CallOneArg(function, reinterpret_cast<PyObject *>(self)) : nullptr;
    const char *words = name && PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : nullptr;
    const std::string found = words && *words ? words : self->place->name;
    Py_XDECREF(name);
    PyErr_Clear();
    return found;
}

/// Reads the indices of an element; returns false with an error set.
bool locate(PlaceObject *self, PyObject *key, int32_t *at) {
    int64_t idx[max_dims + 1];
    int n = read_indices(key, idx, max_dims, "qd.field"); // may run Python code
    if (n < 0 || !check_alive(self)) return false;
    const ir::Place &place = *self->place;
    const int dims = int(place.shape.size());
    if (dims == 0 && n == 1 && idx[0] == 0) n = 0;
    if (n != dims) {
        const std::string counts =
            "ield with dim " + std::to_string(dims) + " accessed with indices of dim " + std::to_string(n);
        raise(ErrorClass::bounds, n < dims ? "Slicing is not supported on qd.field: f" + counts : "F" + counts);
        return false;
    }
    for (int i = 0; i < n; i++) {
        const uint64_t storage = uint64_t(idx[i]) - uint64_t(place.index_offset[size_t(i)]); // negative: a large number
        if (storage >= uint64_t(place.shape[size_t(i)])) {
            int64_t shape[max_dims];
            for (int k = 0; k < n; k++) shape[k] = place.shape[size_t(k)];
            raise(ErrorClass::bounds, "Accessing field (" + title(self) + ") of size " + tuple_text(shape, n) +
                                          " with indices " + tuple_text(idx, n));
            return false;
        }
        at[i] = int32_t(idx[i]);
    }
    return true;
}

/// Registers the element reader or writer of the place with the program, which counts such helpers as it counts kernels.
void use_helper(PlaceObject *self, bool *noted, const char *name) {
    *noted = true;
    Writer w;
    w.text(name);
    ir::Place place = *self->place;
    place.id = 0;
    ir::write(w, place);
    runtime.program->kept_code().use_helper(name, {reinterpret_cast<const char *>(w.bytes.data()), w.bytes.size()},
                                            name + ("_" + std::to_string(self->place->id)));
}

PyObject *get_item(PyObject *o, PyObject *key) {
    PlaceObject *self = self_of(o);
    int32_t at[max_dims];
    if (!may_touch_memory("__getitem__") || !locate(self, key, at)) return nullptr;
    if (!self->read) [[unlikely]]
        use_helper(self, &self->read, "snode_reader");
    const ir::Place &place = *self->place;
    if (!self->sparse) {
        const HostBytes element((*self->memory)->memory, layout::address(place, at), uint64_t(ir::size_of(place.elem)));
        return element.data() ? from_memory(element.data(), place.elem) : nullptr;
    }
    uint64_t bits = 0;
    try {
        runtime.program->trees().read_element(place, at, &bits);
    } catch (...) {
        raise_current_exception();
        return nullptr;
    }
    return from_memory(&bits, place.elem);
}

int set_item(PyObject *o, PyObject *key, PyObject *value) {
    if (!value) {
        PyErr_SetString(PyExc_TypeError, "elements of a field cannot be deleted");
        return -1;
    }
    uint64_t slot;
    ir::Scalar elem = self_of(o)->place->elem;
    if (!to_slot(value, elem, &slot, true)) {
        PyErr_Format(PyExc_TypeError, "%R cannot be stored as %s", value, scalar_name(elem));
        return -1;
    }
    PlaceObject *self = self_of(o);
    int32_t at[max_dims];
    if (!may_touch_memory("__setitem__") || !locate(self, key, at)) return -1;
    runtime.elements_written++;
    if (!self->written) [[unlikely]]
        use_helper(self, &self->written, "snode_writer");
    const ir::Place &place = *self->place;
    if (!self->sparse) {
        const qd::runtime::Buffer &memory = (*self->memory)->memory;
        const uint64_t byte = layout::address(place, at);
        if (!memory.host) return upload(memory, byte, &slot, uint64_t(ir::size_of(elem))) ? 0 : -1;
        store_slot(memory.host + byte, elem, slot);
        return 0;
    }
    try {
        runtime.program->trees().write_element(place, at, &slot);
    } catch (...) {
        raise_current_exception();
        return -1;
    }
    return 0;
}

/// view() -> (address, [per index: [(extent, stride in bytes) per level, outermost first]])
PyObject *view(PyObject *o, PyObject *) {
    PlaceObject *self = self_of(o);
    if (!may_touch_memory("A copy or fill") || !check_alive(self)) return nullptr;
    const ir::Place &place = *self->place;
    const qd::runtime::Buffer &memory = (*self->memory)->memory;
    if (!memory.host) {
        PyErr_SetString(PyExc_ValueError, "the host cannot see the memory of this field");
        return nullptr;
    }
    char *p = memory.host + place.byte_offset;
    PyObject *axes = PyList_New(0);
    for (size_t i = 0; i < place.shape.size(); i++) {
        PyObject *pieces = PyList_New(0);
        for (const ir::PlaceLevel &level : place.levels) {
            for (const ir::PlaceAxis &axis : level.axes) {
                if (axis.axis != i) continue;
                PyObject *piece = Py_BuildValue("(nK)", Py_ssize_t(axis.extent),
                                                (unsigned long long)(axis.stride * level.cell_bytes));
                PyList_Append(pieces, piece);
                Py_XDECREF(piece);
            }
        }
        PyList_Append(axes, pieces);
        Py_XDECREF(pieces);
    }
    for (const ir::PlaceLevel &level : place.levels) p += level.start;
    return Py_BuildValue("(NN)", PyLong_FromVoidPtr(p), axes);
}

/// Calls visit(indices, address) for all elements of a dense tree. If the host cannot access them, it visits a copy of the range that
/// contains them, which is uploaded afterwards if `writes`.
template <class F> void each_dense_element(const PlaceObject &self, bool writes, F &&visit) {
    const ir::Place &place = *self.place;
    const qd::runtime::Buffer &memory = (*self.memory)->memory;
    uint64_t begin = place.byte_offset, last = 0;
    for (const ir::PlaceLevel &level : place.levels) {
        begin += level.start;
        for (const ir::PlaceAxis &axis : level.axes) last += uint64_t(axis.extent - 1) * axis.stride * level.cell_bytes;
    }
    std::string copy;
    char *stretch = memory.host ? memory.host + begin : nullptr;
    if (!stretch) {
        copy.resize(last + uint64_t(ir::size_of(place.elem)));
        runtime.program->memory().download(copy.data(), memory, begin, copy.size());
        stretch = copy.data();
    }
    int32_t at[max_dims];
    std::copy(place.index_offset.begin(), place.index_offset.end(), at);
    for (bool more = true; more;) {
        visit(at, stretch + (layout::address(place, at) - begin));
        more = false;
        for (size_t axis = place.shape.size(); axis-- > 0 && !more;) {
            more = ++at[axis] < place.index_offset[axis] + place.shape[axis];
            if (!more) at[axis] = place.index_offset[axis];
        }
    }
    if (writes && !memory.host) runtime.program->memory().upload(memory, begin, copy.data(), copy.size());
}

/// Calls f(offset in bytes into an array with these strides, address) for every element whose cell exists.
template <class F> PyObject *each_element(PyObject *o, const std::vector<Py_ssize_t> &steps, bool writes, F &&f) {
    PlaceObject *self = self_of(o);
    if (!may_touch_memory("A copy or fill") || !check_alive(self)) return nullptr;
    const ir::Place &place = *self->place;
    const auto visit = [&](const int32_t *indices, char *element) {
        Py_ssize_t at = 0;
        for (size_t i = 0; i < steps.size(); i++) at += (indices[i] - place.index_offset[i]) * steps[i];
        f(at, element);
    };
    try {
        if (self->sparse)
            runtime.program->trees().each_element(place, visit);
        else
            each_dense_element(*self, writes, visit);
    } catch (...) {
        raise_current_exception();
        return nullptr;
    }
    Py_RETURN_NONE;
}

/// copy_out(array), copy_in(array): copies the elements that exist to or from an array of the same shape and type.
PyObject *copy_elements(PyObject *o, PyObject *array, bool out) {
    const ir::Place &place = *self_of(o)->place;
    Py_buffer view;
    if (PyObject_GetBuffer(array, &view, out ? PyBUF_STRIDED : PyBUF_STRIDED_RO) != 0) return nullptr;
    const Py_ssize_t bytes = ir::size_of(place.elem);
    PyObject *done = nullptr;
    if (view.itemsize == bytes &&
        std::equal(place.shape.begin(), place.shape.end(), view.shape, view.shape + view.ndim))
        done = each_element(o, {view.strides, view.strides + view.ndim}, !out, [&](Py_ssize_t at, char *element) {
            char *other = static_cast<char *>(view.buf) + at;
            std::memcpy(out ? other : element, out ? element : other, size_t(bytes));
        });
    else
        PyErr_SetString(PyExc_ValueError, "expected an array of the same shape and dtype");
    PyBuffer_Release(&view);
    return done;
}
PyObject *copy_out(PyObject *o, PyObject *array) { return copy_elements(o, array, true); }
PyObject *copy_in(PyObject *o, PyObject *array) { return copy_elements(o, array, false); }

PyObject *fill(PyObject *o, PyObject *value) {
    const ir::Scalar elem = self_of(o)->place->elem;
    uint64_t slot;
    if (!to_slot(value, elem, &slot, true)) {
        PyErr_Format(PyExc_TypeError, "%R cannot be stored as %s", value, scalar_name(elem));
        return nullptr;
    }
    const std::vector<Py_ssize_t> steps(self_of(o)->place->shape.size());
    return each_element(o, steps, true, [&](Py_ssize_t, char *element) { store_slot(element, elem, slot); });
}

/// Removes the cells of a level and those below them.
PyObject *remove_cells(PyObject *o, PyObject *) {
    if (!may_touch_memory("deactivate_all") || !check_alive(self_of(o))) return nullptr;
    if (!self_of(o)->place->level) return PyErr_Format(PyExc_TypeError, "an element has no cells");
    try {
        runtime.program->trees().remove_cells(*self_of(o)->place);
    } catch (...) {
        raise_current_exception();
        return nullptr;
    }
    Py_RETURN_NONE;
}

PyObject *get_count(PyObject *o, void *) {
    if (!check_alive(self_of(o))) return nullptr;
    unsigned long long count = 0;
    if (!self_of(o)->sparse) { // all elements exist
        count = 1;
        for (const int32_t extent : self_of(o)->place->shape) count *= uint64_t(extent);
        return PyLong_FromUnsignedLongLong(count);
    }
    try {
        runtime.program->trees().each_element(*self_of(o)->place, [&](const int32_t *, char *) { ++count; });
    } catch (...) {
        raise_current_exception();
        return nullptr;
    }
    return PyLong_FromUnsignedLongLong(count);
}

PyObject *get_allocated(PyObject *o, void *) {
    PlaceObject *self = self_of(o);
    if (!check_alive(self)) return nullptr;
    const bool is_sparse_level = self->place->level && self->sparse;
    return PyLong_FromUnsignedLongLong(is_sparse_level ? runtime.program->trees().cells_allocated(*self->place) : 0);
}

PyObject *get_byte_offset(PyObject *o, void *) { return PyLong_FromUnsignedLongLong(self_of(o)->place->byte_offset); }

PyObject *get_shape(PyObject *o, void *) {
    const std::vector<int32_t> &shape = self_of(o)->place->shape;
    PyObject *tuple = PyTuple_New(Py_ssize_t(shape.size()));
    for (size_t i = 0; i < shape.size(); i++) PyTuple_SET_ITEM(tuple, Py_ssize_t(i), PyLong_FromLong(shape[i]));
    return tuple;
}

/// True if the host can access the elements in place, as one array.
PyObject *get_in_place(PyObject *o, void *) {
    return PyBool_FromLong(!self_of(o)->sparse && (*self_of(o)->memory)->memory.host);
}

/// Returns bytes that identify the place among all others, in every process.
PyObject *get_description(PyObject *o, void *) {
    Writer w;
    ir::Place place = *self_of(o)->place;
    place.id = 0;
    ir::write(w, place);
    return PyBytes_FromStringAndSize(reinterpret_cast<const char *>(w.bytes.data()), Py_ssize_t(w.bytes.size()));
}

PyObject *get_sparse(PyObject *o, void *) { return PyBool_FromLong(self_of(o)->sparse); }

PyObject *get_id(PyObject *o, void *) {
    if (!check_alive(self_of(o))) return nullptr;
    return PyLong_FromLong(self_of(o)->id);
}

PyObject *get_scalar(PyObject *o, void *) { return PyLong_FromLong(long(self_of(o)->place->elem)); }

PyObject *get_alive(PyObject *o, void *) {
    return PyBool_FromLong((*self_of(o)->memory)->generation == runtime.generation);
}

void destroy(PyObject *o) {
    PyTypeObject *type = Py_TYPE(o);
    delete self_of(o)->memory;
    delete self_of(o)->place;
    type->tp_free(o);
    Py_DECREF(type);
}

/// _accompany(gradient, dual, mark): each is a place or None
PyObject *accompany(PyObject *o, PyObject *const *args, Py_ssize_t n) {
    if (!check_alive(self_of(o))) return nullptr;
    PlaceEntry &entry = places[size_t(self_of(o)->id)];
    entry.joined = true;
    int *slots[] = {&entry.gradient, &entry.dual, &entry.mark};
    for (Py_ssize_t i = 0; i < n && i < 3; i++)
        *slots[i] = PyObject_TypeCheck(args[i], place_type) ? self_of(args[i])->id : -1;
    Py_RETURN_NONE;
}

PyMethodDef methods[] = {
    {"_accompany", reinterpret_cast<PyCFunction>(reinterpret_cast<void *>(accompany)), METH_FASTCALL,
     "where its gradient and its dual lie"},
    {"view", view, METH_NOARGS, "address and strides of the storage"},
    {"copy_out", copy_out, METH_O, "elements that exist -> an array"},
    {"copy_in", copy_in, METH_O, "an array -> elements that exist"},
    {"fill", fill, METH_O, "elements that exist become a value"},
    {"remove_cells", remove_cells, METH_NOARGS, "of a level: all its cells"},
    {nullptr, nullptr, 0, nullptr},
};

PyGetSetDef getset[] = {
    {"id", get_id, nullptr, nullptr, nullptr},
    {"scalar", get_scalar, nullptr, "the ir::Scalar", nullptr},
    {"alive", get_alive, nullptr, nullptr, nullptr},
    {"in_place", get_in_place, nullptr, "`view` shows the elements", nullptr},
    {"description", get_description, nullptr, "what tells it from all other places, as bytes", nullptr},
    {"sparse", get_sparse, nullptr, "some level on the way is not dense", nullptr},
    {"shape", get_shape, nullptr, "extents", nullptr},
    {"byte_offset", get_byte_offset, nullptr, "in the cell", nullptr},
    {"count", get_count, nullptr, "elements that exist", nullptr},
    {"allocated", get_allocated, nullptr, "of a level: cells or chunks that ever got memory", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyType_Slot slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void *>(destroy)},
    {Py_mp_subscript, reinterpret_cast<void *>(get_item)},
    {Py_mp_ass_subscript, reinterpret_cast<void *>(set_item)},
    {Py_tp_methods, methods},
    {Py_tp_getset, getset},
    {0, nullptr},
};

PyType_Spec spec = {"quadrants._lib.core.quadrants_python.Place", sizeof(PlaceObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

} // namespace

TreeMemory::~TreeMemory() {
    if (generation == runtime.generation && runtime.program) runtime.program->trees().remove(slot);
}

void TreeMemory::add_user(const std::shared_ptr<Plan> &plan) {
    if (!users_.empty() && users_.back().lock() == plan) return;
    if (users_.size() == users_.capacity()) std::erase_if(users_, [](const auto &user) { return user.expired(); });
    users_.push_back(plan);
}

void TreeMemory::destroy() {
    const std::vector<std::weak_ptr<Plan>> users = std::move(users_); // destroying the last plan may destroy the tree
    for (const std::weak_ptr<Plan> &user : users) {
        const std::shared_ptr<Plan> plan = user.lock();
        if (!plan) continue;
        plan->generation = 0;
        if (runtime.active_launches.load() == 0) plan->trees.clear();
    }
}

const PlaceEntry &place_entry(int id) {
    if (id < 0 || size_t(id) >= places.size())
        fail_user(UserErrorKind::runtime, "The memory of this field has been freed");
    return places[size_t(id)];
}

int companion_of(int id, autodiff::Mode mode) {
    if (!place_entry(id).joined) {
        PyObject *join = package_attr("quadrants._trees.snode", "join_companions");
        PyObject *done = join ? PyObject_CallNoArgs(join) : nullptr;
        Py_XDECREF(join);
        if (!done) throw frontend::PythonError{};
        Py_DECREF(done);
    }
    const PlaceEntry &own = place_entry(id);
    int other = -1;
    switch (mode) {
    case autodiff::Mode::none: break;
    case autodiff::Mode::forward: other = own.dual; break;
    case autodiff::Mode::reverse: other = own.gradient; break;
    case autodiff::Mode::validate: other = own.mark; break;
    }
    return other >= 0 && !places[size_t(other)].memory.expired() ? other : -1;
}

void forget_places() { places.clear(); }

namespace {

void need(bool ok, const char *what) {
    if (!ok) throw std::invalid_argument(what);
}

template <class List> bool has_item(const List &list, int at) { return at >= 0 && size_t(at) < list.size(); }

} // namespace

PyObject *FieldTree::make_place(ir::Place place) {
    const int id = int(places.size());
    place.id = uint32_t(id);
    places.push_back({place, memory_});
    PyObject *o = place_type->tp_alloc(place_type, 0);
    if (!o) return nullptr;
    self_of(o)->memory = new std::shared_ptr<TreeMemory>(memory_);
    self_of(o)->sparse = ir::is_sparse(place);
    self_of(o)->place = new ir::Place(std::move(place));
    self_of(o)->id = id;
    return o;
}

int FieldTree::add_node(int parent, int kind, const std::vector<std::pair<int, int>> &axes, uint32_t chunk) {
    need(!memory_, "the tree is finished");
    need(has_item(tree_.nodes, parent), "no such level");
    need(kind >= 0 && kind <= int(ir::LevelKind::dynamic), "no such kind of level");
    for (const auto &[axis, extent] : axes) need(axis >= 0 && axis < max_dims && extent > 0, "no such axis");
    return tree_.add_node(parent, ir::LevelKind(kind), axes, chunk);
}

int FieldTree::add_member(int node, const std::string &name, int elem, const std::vector<int> &offset) {
    need(!memory_, "the tree is finished");
    need(has_item(tree_.nodes, node), "no such level");
    need(elem > 0 && elem <= int(ir::Scalar::f64), "no such type");
    need(offset.size() <= size_t(max_dims), "too many offsets");
    return tree_.add_member(node, name, ir::Scalar(elem), offset);
}

void FieldTree::finish() {
    need(!memory_, "the tree is finished");
    auto memory = std::make_shared<TreeMemory>();
    uint64_t bytes = tree_.finish();
    std::vector<ir::Place> levels;
    for (size_t node = 1; node < tree_.nodes.size(); node++) levels.push_back(tree_.level_place(int(node), 0, 0));
    memory->bytes = bytes ? bytes : 1;
    memory->slot = runtime.program->trees().add(memory->bytes, levels);
    memory->memory = runtime.program->trees().memory(memory->slot);
    memory->generation = runtime.generation;
    memory_ = std::move(memory);
}

std::vector<std::pair<uint64_t, uint64_t>> FieldTree::node_bytes() const {
    std::vector<std::pair<uint64_t, uint64_t>> all;
    for (const layout::Node &node : tree_.nodes) all.emplace_back(node.cell_bytes, node.offset_in_parent);
    return all;
}

void FieldTree::destroy() {
    if (memory_) memory_->destroy();
}

uint32_t FieldTree::slot() const {
    need(memory_ != nullptr, "the tree is not finished");
    return memory_->slot;
}

PyObject *FieldTree::place(int member) {
    need(memory_ != nullptr, "the tree is not finished");
    need(has_item(tree_.members, member), "no such member");
    return make_place(tree_.place(member, memory_->slot, 0));
}

PyObject *FieldTree::level(int node) {
    need(memory_ != nullptr, "the tree is not finished");
    need(has_item(tree_.nodes, node), "no such level");
    return make_place(tree_.level_place(node, memory_->slot, 0));
}

bool add_place_type(PyObject *module) {
    place_type = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
    return place_type && PyModule_AddObjectRef(module, "Place", reinterpret_cast<PyObject *>(place_type)) == 0;
}

} // namespace qd::bind
