#include "python/bind/field.h"

#include "python/bind/errors.h"
#include "python/bind/index.h"
#include "python/bind/ndarray.h"
#include "python/bind/scalar.h"

namespace qd::bind {
namespace {

std::vector<PlaceEntry> places;
PyTypeObject *place_type = nullptr;

struct PlaceObject {
    PyObject_HEAD;
    std::shared_ptr<TreeMemory> *memory;
    ir::Place *place;
    int id;
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

char *locate(PlaceObject *self, PyObject *key) {
    if (!check_alive(self)) return nullptr;
    const ir::Place &place = *self->place;
    const int dims = int(place.shape.size());
    int64_t idx[max_dims + 1];
    int n = read_indices(key, idx, max_dims, "qd.field");
    if (n < 0) return nullptr;
    if (dims == 0 && n == 1 && idx[0] == 0) n = 0;
    if (n != dims) {
        raise(ErrorClass::index,
              "Field with dim " + std::to_string(dims) + " accessed with indices of dim " + std::to_string(n));
        return nullptr;
    }
    int32_t at[max_dims];
    for (int i = 0; i < n; i++) {
        int64_t storage = idx[i] - place.index_offset[size_t(i)];
        if (storage < 0 || storage >= place.shape[size_t(i)]) {
            int64_t shape[max_dims];
            for (int k = 0; k < n; k++) shape[k] = place.shape[size_t(k)];
            raise(ErrorClass::bounds, "Accessing field (" + place.name + ") of size " + tuple_text(shape, n) +
                                          " with indices " + tuple_text(idx, n));
            return nullptr;
        }
        at[i] = int32_t(idx[i]);
    }
    return (*self->memory)->base + layout::address(place, at);
}

PyObject *get_item(PyObject *o, PyObject *key) {
    char *p = locate(self_of(o), key);
    return p ? from_memory(p, self_of(o)->place->elem) : nullptr;
}

int set_item(PyObject *o, PyObject *key, PyObject *value) {
    if (!value) {
        PyErr_SetString(PyExc_TypeError, "elements of a field cannot be deleted");
        return -1;
    }
    char *p = locate(self_of(o), key);
    if (!p) return -1;
    uint64_t slot;
    ir::Scalar elem = self_of(o)->place->elem;
    if (!to_slot(value, elem, &slot, true)) {
        PyErr_Format(PyExc_TypeError, "%R cannot be stored as %s", value, scalar_name(elem));
        return -1;
    }
    store_slot(p, elem, slot);
    return 0;
}

/// (address, [per index: [(extent, stride in bytes) per level, outermost first]])
PyObject *view(PyObject *o, PyObject *) {
    PlaceObject *self = self_of(o);
    if (!check_alive(self)) return nullptr;
    const ir::Place &place = *self->place;
    char *p = (*self->memory)->base + place.byte_offset;
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

PyMethodDef methods[] = {
    {"view", view, METH_NOARGS, "address and strides of the storage"},
    {nullptr, nullptr, 0, nullptr},
};

PyGetSetDef getset[] = {
    {"id", get_id, nullptr, nullptr, nullptr},
    {"scalar", get_scalar, nullptr, "the ir::Scalar", nullptr},
    {"alive", get_alive, nullptr, nullptr, nullptr},
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
    if (generation == runtime.generation && runtime.program) runtime.program->remove_tree(slot);
}

const PlaceEntry &place_entry(int id) {
    if (id < 0 || size_t(id) >= places.size()) fail_user(UserErrorKind::runtime, "This field has no memory any more");
    return places[size_t(id)];
}

void forget_places() { places.clear(); }

int FieldTree::add_node(int parent, int kind, const std::vector<std::pair<int, int>> &axes) {
    return tree_.add_node(parent, ir::LevelKind(kind), axes);
}

int FieldTree::add_member(int node, const std::string &name, int elem, const std::vector<int> &offset) {
    return tree_.add_member(node, name, ir::Scalar(elem), offset);
}

void FieldTree::finish() {
    auto memory = std::make_shared<TreeMemory>();
    uint64_t bytes = tree_.finish();
    memory->slot = runtime.program->add_tree(bytes ? bytes : 1);
    memory->base = runtime.program->tree_address(memory->slot);
    memory->generation = runtime.generation;
    memory_ = std::move(memory);
}

std::vector<std::pair<uint64_t, uint64_t>> FieldTree::node_bytes() const {
    std::vector<std::pair<uint64_t, uint64_t>> all;
    for (const layout::Node &node : tree_.nodes) all.emplace_back(node.cell_bytes, node.offset_in_parent);
    return all;
}

PyObject *FieldTree::place(int member) {
    int id = int(places.size());
    ir::Place place = tree_.place(member, memory_->slot, uint32_t(id));
    places.push_back({place, memory_});
    PyObject *o = place_type->tp_alloc(place_type, 0);
    if (!o) return nullptr;
    self_of(o)->memory = new std::shared_ptr<TreeMemory>(memory_);
    self_of(o)->place = new ir::Place(std::move(place));
    self_of(o)->id = id;
    return o;
}

bool add_place_type(PyObject *module) {
    place_type = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
    return place_type && PyModule_AddObjectRef(module, "Place", reinterpret_cast<PyObject *>(place_type)) == 0;
}

} // namespace qd::bind
