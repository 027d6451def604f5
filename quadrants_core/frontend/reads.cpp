#include "frontend/reads.h"

#include "base/bytes.h"
#include "frontend/builtins.h"
#include "ir/serial.h"

#include <algorithm>
#include <cstring>
#include <unordered_set>

namespace qd::frontend {
namespace {

/// How much of an object its print says.
enum class Told : uint8_t {
    plain,   ///< all, and equal ones are the same
    whole,   ///< all
    parts,   ///< what it is made of are reads of their own
    outline, ///< what it is, no more
};

constexpr int deepest = 16; ///< nesting of tuples, lists and dicts

/// Types of which a value is all there is, or whose items the walk uses one by one.
bool is_transparent(PyObject *o) {
    PyTypeObject *t = Py_TYPE(o);
    return o == Py_None || t == &PyLong_Type || t == &PyFloat_Type || t == &PyUnicode_Type || t == &PyBool_Type ||
           t == &PyTuple_Type || t == &PyList_Type || t == &PyDict_Type || t == &PyRange_Type || t == &PySlice_Type ||
           t == &PyBytes_Type || t == &PyComplex_Type || t == &PyEllipsis_Type || t == &PyEnum_Type ||
           t == &PyZip_Type || t == &PyReversed_Type || t == &PyDictKeys_Type || t == &PyDictValues_Type ||
           t == &PyDictItems_Type || t == &PyCFunction_Type;
}

class Printer {
  public:
    explicit Printer(const std::function<ir::Place(int)> &place) : place_(place) {}
    Told print(PyObject *o, int depth = 0);
    std::string take() {
        constexpr size_t longest = 48;
        const std::vector<uint8_t> &all = out_.bytes;
        std::string text(all.begin(), all.end());
        if (text.size() <= longest) return text;
        Writer hashed;
        hashed.number('#');
        hashed.number(hash_bytes(all, 5));
        hashed.number(hash_bytes(all, 6));
        return {hashed.bytes.begin(), hashed.bytes.end()};
    }

  private:
    const std::function<ir::Place(int)> &place_;
    Writer out_;

    Told tagged(char tag, Told told = Told::plain) {
        out_.number(tag);
        return told;
    }
    bool attribute_is_told(PyObject *o, const char *name);
    Told number(PyObject *o);
    Told items(PyObject *o, int depth);
    Told special(PyObject *o, Kind kind);
    Told field(PyObject *o, bool is_matrix);
    Told snode(PyObject *o);
    bool places(PyObject *owned, bool *sparse = nullptr);
    Told outline(PyObject *o, Kind kind);
    bool is_plain_enum(PyObject *o);
};

Told Printer::number(PyObject *o) {
    int overflow = 0;
    const long long small = PyLong_AsLongLongAndOverflow(o, &overflow);
    if (overflow) {
        tagged('I');
        out_.text(repr(o));
    } else {
        tagged('i');
        out_.number(small);
    }
    return Told::plain;
}

/// Members of an int enumeration that compute as ints do.
bool Printer::is_plain_enum(PyObject *o) {
    PyTypeObject *t = Py_TYPE(o);
    const PyNumberMethods *own = t->tp_as_number, *base = PyLong_Type.tp_as_number;
    return PyLong_Check(o) && own && own->nb_add == base->nb_add && own->nb_subtract == base->nb_subtract &&
           own->nb_multiply == base->nb_multiply && own->nb_true_divide == base->nb_true_divide &&
           own->nb_floor_divide == base->nb_floor_divide && own->nb_remainder == base->nb_remainder &&
           own->nb_power == base->nb_power && own->nb_and == base->nb_and && own->nb_or == base->nb_or &&
           own->nb_xor == base->nb_xor && own->nb_lshift == base->nb_lshift && own->nb_rshift == base->nb_rshift &&
           own->nb_negative == base->nb_negative && own->nb_invert == base->nb_invert &&
           own->nb_bool == base->nb_bool && own->nb_index == base->nb_index && own->nb_int == base->nb_int &&
           own->nb_float == base->nb_float && t->tp_richcompare == PyLong_Type.tp_richcompare;
}

Told Printer::items(PyObject *o, int depth) {
    if (depth > deepest) return Told::outline;
    const bool is_dict = PyDict_CheckExact(o), is_tuple = PyTuple_CheckExact(o);
    const Py_ssize_t size = is_dict ? PyDict_GET_SIZE(o) : is_tuple ? PyTuple_GET_SIZE(o) : PyList_GET_SIZE(o);
    tagged(is_dict ? '{' : is_tuple ? '(' : '[');
    out_.number(int64_t(size));
    Told all = Told::plain;
    const auto one = [&](PyObject *item) {
        const size_t before = out_.bytes.size();
        if (print(item, depth + 1) == Told::plain) return;
        out_.bytes.resize(before);
        tagged('?');
        all = Told::parts;
    };
    if (is_dict) {
        PyObject *key, *item;
        for (Py_ssize_t at = 0; PyDict_Next(o, &at, &key, &item);) {
            if (print(key, depth + 1) != Told::plain) return Told::outline;
            one(item);
        }
    } else {
        for (Py_ssize_t i = 0; i < size; i++) one(is_tuple ? PyTuple_GET_ITEM(o, i) : PyList_GET_ITEM(o, i));
    }
    return all;
}

Told Printer::print(PyObject *o, int depth) {
    PyTypeObject *t = Py_TYPE(o);
    if (o == Py_None) return tagged('N');
    if (t == &PyBool_Type) return tagged(o == Py_True ? 'T' : 'F');
    if (t == &PyLong_Type) return number(o);
    if (t == &PyFloat_Type) {
        tagged('f');
        out_.number(PyFloat_AS_DOUBLE(o));
        return Told::plain;
    }
    if (t == &PyUnicode_Type) {
        Py_ssize_t size = 0;
        const char *data = PyUnicode_AsUTF8AndSize(o, &size);
        if (!data) {
            PyErr_Clear();
            return Told::outline;
        }
        tagged('s');
        out_.text({data, size_t(size)});
        return Told::plain;
    }
    if (t == &PyTuple_Type || t == &PyList_Type || t == &PyDict_Type) return items(o, depth);
    if (PyRef number = plain_number(o)) {
        tagged('n', Told::whole);
        out_.text(t->tp_name);
        return print(number.get()) == Told::plain ? Told::whole : Told::outline;
    }
    if (t == &PyRange_Type)
        return attribute_is_told(o, "start") && attribute_is_told(o, "stop") && attribute_is_told(o, "step")
                   ? tagged('r')
                   : Told::outline;
    if (is_plain_enum(o)) {
        tagged('E');
        outline(reinterpret_cast<PyObject *>(t), Kind::foreign);
        number(o);
        return Told::whole;
    }
    if (const BuiltinRow *row = python_builtin(o)) {
        tagged('b');
        out_.text(row->name);
        return Told::whole;
    }
    if (t == &PyMethod_Type) return tagged('M', Told::parts);
    return special(o, kind_of_object(o));
}

/// Prints an attribute; false if its print does not say all.
bool Printer::attribute_is_told(PyObject *o, const char *name) {
    PyRef value = PyRef::steal(PyObject_GetAttrString(o, name));
    if (!value) {
        PyErr_Clear();
        return false;
    }
    return print(value.get()) <= Told::whole;
}

Told Printer::special(PyObject *o, Kind kind) {
    const auto told = [&](char tag, std::initializer_list<const char *> attributes) {
        tagged(tag);
        for (const char *name : attributes)
            if (!attribute_is_told(o, name)) return Told::outline;
        return Told::whole;
    };
    switch (kind) {
    case Kind::dtype: return told('d', {"_qd_scalar_"});
    case Kind::builtin: return told('B', {"_qd_name_"});
    case Kind::matrix_type: return told('V', {"n", "m", "ndim", "dtype"});
    case Kind::matrix: return told('X', {"n", "m", "ndim", "entries"});
    case Kind::ndrange: return told('R', {"bounds", "axes"});
    case Kind::ndarray_type: return told('A', {"scalar", "ndim", "element_dim", "rows", "cols", "boundary"});
    case Kind::template_: return tagged('t', Told::whole);
    case Kind::struct_type: return tagged('Y', Told::parts);
    case Kind::struct_field: return tagged('Z', Told::parts);
    case Kind::struct_: return tagged('W', Told::parts);
    case Kind::tensor: return tagged('Q', Told::parts);
    case Kind::buffer_view_type: return told('U', {"dtype", "element", "boundary"});
    case Kind::ref: return told('&', {"dtype"});
    case Kind::snode: return snode(o);
    case Kind::field:
    case Kind::matrix_field: return field(o, kind == Kind::matrix_field);
    case Kind::foreign:
    case Kind::func:
    case Kind::kernel:
    case Kind::ndarray:
    case Kind::data_oriented: break;
    }
    return outline(o, kind);
}

Told Printer::field(PyObject *o, bool is_matrix) {
    const Names &n = names();
    bool sparse = false;
    tagged('P');
    if (!places(PyObject_CallMethodNoArgs(o, is_matrix ? n._qd_places_ : n._qd_place_), &sparse)) return Told::outline;
    if (sparse) { // what its cells hold beside it
        PyRef level = PyRef::steal(PyObject_CallMethod(o, "parent", nullptr));
        PyErr_Clear();
        if (!level || snode(level.get()) != Told::whole) return Told::outline;
    }
    PyRef packing = PyRef::steal(PyObject_CallMethodNoArgs(o, n._qd_packing_));
    PyErr_Clear();
    if (!packing || print(packing.get()) != Told::plain) return Told::outline;
    if (is_matrix && (!attribute_is_told(o, "n") || !attribute_is_told(o, "m") || !attribute_is_told(o, "ndim")))
        return Told::outline;
    return Told::whole;
}

/// A level of a tree: its cells, and the members in them.
Told Printer::snode(PyObject *o) {
    tagged('L');
    const bool done = places(PyObject_CallMethodNoArgs(o, names()._qd_place_)) &&
                      places(PyObject_CallMethod(o, "_qd_member_places_", nullptr));
    return done ? Told::whole : Told::outline;
}

/// Prints the places that a number or a list of numbers names; false if one has no memory.
bool Printer::places(PyObject *owned, bool *sparse) {
    PyRef answer = PyRef::steal(owned);
    PyRef list = PyRef::steal(!answer                      ? nullptr
                              : PyLong_Check(answer.get()) ? Py_BuildValue("[O]", answer.get())
                                                           : PySequence_List(answer.get()));
    PyErr_Clear();
    if (!list) return false;
    out_.number(uint64_t(PyList_GET_SIZE(list.get())));
    try {
        for (PyObject *place : Items(list.get())) {
            ir::Place described = place_(int(PyLong_AsLong(place)));
            described.id = 0;
            if (sparse) *sparse |= ir::is_sparse(described);
            ir::write(out_, described);
        }
    } catch (const UserError &) { // it has no memory any more
        return false;
    }
    return true;
}

Told Printer::outline(PyObject *o, Kind kind) {
    const Names &n = names();
    const bool names_itself = PyType_Check(o) || PyFunction_Check(o) || PyCFunction_Check(o) || PyModule_Check(o);
    PyObject *of = names_itself ? o : reinterpret_cast<PyObject *>(Py_TYPE(o));
    tagged('o');
    out_.number(kind);
    out_.number(names_itself);
    out_.text(Py_TYPE(o)->tp_name);
    if (PyModule_Check(o)) {
        PyRef name = frontend::attribute(o, n.__name__);
        out_.text(name ? text(name.get()) : "");
        return Told::outline;
    }
    for (PyObject *part : {n.__module__, n.__qualname__}) {
        PyRef name = frontend::attribute(of, part);
        out_.text(name ? text(name.get()) : "");
    }
    // Functions and classes of the interpreter itself.
    const bool is_native =
        PyCFunction_CheckExact(o) ||
        (PyType_Check(o) && !PyType_HasFeature(reinterpret_cast<PyTypeObject *>(o), Py_TPFLAGS_HEAPTYPE));
    return is_native ? Told::whole : Told::outline;
}

PyRef defaults_of(PyObject *function) {
    PyRef defaults = PyRef::steal(PyObject_GetAttrString(function, "__defaults__"));
    PyErr_Clear();
    return defaults ? defaults : PyRef::borrow(Py_None);
}

} // namespace

std::string print_of(const Source &source, int64_t *lines) {
    const bool has_head = source.text.starts_with("if 1:\n");
    *lines = std::count(source.text.begin(), source.text.end(), '\n') - has_head;
    Writer w;
    w.text(source.file);
    w.text(source.name);
    w.number(int64_t(source.first_line));
    w.text(source.text);
    Writer hashed;
    hashed.number(hash_bytes(w.bytes, 7));
    hashed.number(hash_bytes(w.bytes, 8));
    return {hashed.bytes.begin(), hashed.bytes.end()};
}

// Recording

Reads::Reads(const Request &request) : request_(request) {
    Read read;
    read.print = print_of(request.source, &read.index);
    add(std::move(read), request.function);
    functions_[request.function] = 0;
    for (size_t i = 0; i < request.returns.size(); ++i)
        if (PyObject *type = request.returns[i].structure) note(Read::How::returns, 0, int64_t(i), "", type);
}

uint32_t Reads::add(Read read, PyObject *found) {
    list_.push_back(std::move(read));
    found_.push_back(PyRef::borrow(found));
    return uint32_t(list_.size() - 1);
}

uint32_t Reads::note(Read::How how, uint32_t parent, int64_t index, std::string key, PyObject *found) {
    auto place = std::tuple(how, parent, index, key);
    if (const auto before = places_.find(place); before != places_.end() && found_[before->second].get() == found)
        return before->second;
    Read read{how, parent, index, std::move(key), {}};
    Printer printer(request_.place);
    const auto known = known_.find(found);
    Told told = Told::plain;
    if (known != known_.end()) {
        read.print = "=" + std::to_string(known->second.read);
    } else {
        told = printer.print(found);
        read.print = printer.take();
    }
    const uint32_t id = add(std::move(read), found);
    places_[std::move(place)] = id;
    if (told == Told::plain) return id;
    known_[found] = {id, told == Told::whole || (told == Told::parts && !PyMethod_Check(found))};
    if (told == Told::parts) parts(id, found);
    if (told == Told::outline && is_transparent(found)) give_up();
    return id;
}

void Reads::parts(uint32_t read, PyObject *found) {
    using How = Read::How;
    if (PyMethod_Check(found)) {
        note(How::self, read, 0, "", PyMethod_GET_SELF(found));
        note(How::method, read, 0, "", PyMethod_GET_FUNCTION(found));
        return;
    }
    const auto members = [&](std::initializer_list<const char *> attributes) {
        for (const char *name : attributes) {
            PyRef value = PyRef::steal(PyObject_GetAttrString(found, name));
            PyErr_Clear();
            if (!value) return give_up();
            note(How::attribute, read, 0, name, value.get());
            use(value.get());
        }
    };
    const Kind kind = is_transparent(found) ? Kind::foreign : kind_of_object(found);
    if (kind == Kind::tensor) {
        if (PyRef inner = frontend::attribute(found, names()._impl))
            note(How::attribute, read, 0, "_impl", inner.get());
        return;
    }
    if (kind == Kind::struct_type) return members({"members", "methods"});
    if (kind == Kind::struct_field) return members({"dtype", "_fields"});
    if (kind == Kind::struct_) return members({"_type", "entries"});
    int64_t index = 0;
    if (PyDict_Check(found)) {
        PyObject *key, *item;
        for (Py_ssize_t at = 0; PyDict_Next(found, &at, &key, &item);) note(How::item, read, index++, "", item);
        return;
    }
    PyRef fast = PyRef::steal(PySequence_Fast(found, ""));
    for (Py_ssize_t i = 0; fast && i < PySequence_Fast_GET_SIZE(fast.get()); ++i)
        note(How::item, read, index++, "", PySequence_Fast_GET_ITEM(fast.get(), i));
}

void Reads::name(PyObject *function, PyObject *name, PyObject *found) {
    if (!complete_) return;
    const auto frame = functions_.find(function);
    if (frame == functions_.end()) return give_up();
    note(Read::How::name, frame->second, 0, text(name), found);
}

void Reads::attribute(PyObject *object, PyObject *name, PyObject *found) {
    last_ = object;
    if (!complete_) return;
    if (is_transparent(object) && !PyCFunction_Check(object)) return; // of a value: part of Python
    const auto known = known_.find(object);
    if (known == known_.end()) return give_up();
    note(Read::How::attribute, known->second.read, 0, text(name), found);
}

void Reads::param(size_t index, PyObject *value) {
    if (complete_) note(Read::How::param, 0, int64_t(index), "", value);
}

namespace {

/// What Read::index says of the key of a member.
enum KeyKind : int64_t { attribute_name, item_number, item_name };

std::string print_of(const Param &param) {
    Writer w;
    write(w, param);
    return {w.bytes.begin(), w.bytes.end()};
}

} // namespace

void Reads::member(int node, PyObject *key, bool item, const Param &found) {
    if (!complete_) return;
    Read read{Read::How::member, uint32_t(node), attribute_name, {}, print_of(found)};
    if (item) read.index = PyUnicode_CheckExact(key) ? item_name : item_number;
    if (read.index == item_number && !PyLong_CheckExact(key)) return give_up();
    read.key = read.index == item_number ? repr(key) : text(key);
    const uint32_t id = add(std::move(read), found.value);
    if (found.value) note(Read::How::value, id, 0, "", found.value);
}

void Reads::function(PyObject *func, PyObject *function, const Source &source) {
    if (!complete_) return;
    const auto known = known_.find(func);
    if (known == known_.end() || !function) return give_up();
    Read read{Read::How::function, known->second.read, 0, {}, {}};
    read.print = print_of(source, &read.index);
    const uint32_t id = add(std::move(read), function);
    functions_[function] = id;
    note(Read::How::defaults, id, 0, "", defaults_of(function).get());
}

void Reads::annotation(PyObject *function, PyObject *name, PyObject *found) {
    if (!complete_) return;
    const auto frame = functions_.find(function);
    if (frame == functions_.end()) return give_up();
    note(Read::How::annotation, frame->second, 0, text(name), found ? found : Py_None);
    if (found) use(found);
}

bool Reads::is_whole(PyObject *object) const {
    if (is_transparent(object) || python_builtin(object)) return true;
    const auto known = known_.find(object);
    return known != known_.end() ? known->second.whole : kind_of_object(object) == Kind::dtype;
}

void Reads::library(const char *name, PyObject *func) {
    if (complete_) note(Read::How::library, 0, 0, name, func);
}

PyRef library_func(const char *name) {
    PyRef module = PyRef::steal(PyImport_ImportModule("quadrants._linalg"));
    return PyRef::steal(module ? PyObject_GetAttrString(module.get(), name) : nullptr);
}

namespace {

bool is_plain(PyObject *object, int depth) {
    PyTypeObject *t = Py_TYPE(object);
    if (t == &PyTuple_Type || t == &PyList_Type) {
        PyObject **items = PySequence_Fast_ITEMS(object);
        return depth <= deepest && std::all_of(items, items + PySequence_Fast_GET_SIZE(object),
                                               [&](PyObject *item) { return is_plain(item, depth + 1); });
    }
    if (t == &PyDict_Type) {
        PyObject *key, *item;
        for (Py_ssize_t at = 0; PyDict_Next(object, &at, &key, &item);)
            if (depth > deepest || !is_plain(key, depth + 1) || !is_plain(item, depth + 1)) return false;
        return true;
    }
    return object == Py_None || t == &PyLong_Type || t == &PyFloat_Type || t == &PyUnicode_Type || t == &PyBool_Type ||
           t == &PyRange_Type;
}

} // namespace

bool is_plain(PyObject *object) { return is_plain(object, 0); }

// Comparing

namespace {

class Replay {
  public:
    Replay(const std::vector<Read> &reads, const World &world) : reads_(reads), world_(world) {}
    bool run() {
        found_.reserve(reads_.size());
        for (const Read &read : reads_) {
            if (read.how == Read::How::member) {
                if (!is_same_member(read)) return false;
                continue;
            }
            if (read.parent > found_.size()) return false;
            PyRef found = find(read);
            PyErr_Clear();
            if (!found || !is_same(read, found.get())) return false;
            found_.push_back(std::move(found));
        }
        return true;
    }

  private:
    const std::vector<Read> &reads_;
    const World &world_;
    std::vector<PyRef> found_;
    std::unordered_set<PyObject *> seen_; ///< found, and told by more than their value

    PyRef find(const Read &read);
    PyRef item(PyObject *of, int64_t index);
    bool is_same_member(const Read &read);
    bool is_same(const Read &read, PyObject *found);
};

PyRef Replay::item(PyObject *of, int64_t index) {
    if (PyDict_CheckExact(of)) {
        PyObject *key, *item;
        for (Py_ssize_t at = 0; PyDict_Next(of, &at, &key, &item);)
            if (index-- == 0) return PyRef::borrow(item);
        return {};
    }
    if (PyTuple_CheckExact(of) && index < PyTuple_GET_SIZE(of)) return PyRef::borrow(PyTuple_GET_ITEM(of, index));
    if (PyList_CheckExact(of) && index < PyList_GET_SIZE(of)) return PyRef::borrow(PyList_GET_ITEM(of, index));
    return {};
}

PyRef Replay::find(const Read &read) {
    if (read.how == Read::How::kernel) return PyRef::borrow(world_.request.function);
    PyObject *of = read.parent < found_.size() ? found_[read.parent].get() : nullptr;
    if (!of) return {};
    const std::vector<Param> &params = world_.request.params;
    const std::vector<ReturnType> &returns = world_.request.returns;
    PyRef key = read.key.empty() ? PyRef() : PyRef::steal(PyUnicode_InternFromString(read.key.c_str()));
    switch (read.how) {
    case Read::How::kernel:
    case Read::How::member: break;
    case Read::How::param:
        return size_t(read.index) < params.size() ? PyRef::borrow(params[size_t(read.index)].value) : PyRef();
    case Read::How::returns:
        return size_t(read.index) < returns.size() ? PyRef::borrow(returns[size_t(read.index)].structure) : PyRef();
    case Read::How::value: return PyRef::borrow(of);
    case Read::How::name: return find_name(of, key.get());
    case Read::How::attribute: return PyRef::steal(PyObject_GetAttr(of, key.get()));
    case Read::How::item: return item(of, read.index);
    case Read::How::self: return PyMethod_Check(of) ? PyRef::borrow(PyMethod_GET_SELF(of)) : PyRef();
    case Read::How::method: return PyMethod_Check(of) ? PyRef::borrow(PyMethod_GET_FUNCTION(of)) : PyRef();
    case Read::How::function: return frontend::attribute(of, names().fn);
    case Read::How::annotation: {
        PyRef found = find_annotation(of, key.get());
        return found || PyErr_Occurred() ? found : PyRef::borrow(Py_None);
    }
    case Read::How::defaults: return defaults_of(of);
    case Read::How::library: return library_func(read.key.c_str());
    }
    return {};
}

bool Replay::is_same_member(const Read &read) {
    PyRef key = PyRef::steal(read.index == item_number ? PyLong_FromString(read.key.c_str(), nullptr, 10)
                                                       : PyUnicode_InternFromString(read.key.c_str()));
    try {
        const Param param = world_.request.member(int(read.parent), key.get(), read.index != attribute_name);
        if (print_of(param) != read.print) return false;
        found_.push_back(PyRef::borrow(param.value));
        return true;
    } catch (const UserError &) {
    } catch (const PythonError &) {
    }
    PyErr_Clear();
    return false;
}

bool Replay::is_same(const Read &read, PyObject *found) {
    if (read.how == Read::How::kernel) return world_.source(world_.kernel, read.index) == read.print;
    if (read.how == Read::How::function) {
        PyObject *func = found_[read.parent].get();
        return kind_of_object(func) == Kind::func && world_.source(func, read.index) == read.print;
    }
    if (read.print.starts_with('=')) {
        const size_t same = size_t(std::atoll(read.print.c_str() + 1));
        return same < found_.size() && found_[same].get() == found;
    }
    Printer printer(world_.request.place);
    const Told told = printer.print(found);
    if (PyErr_Occurred() || printer.take() != read.print) return false;
    return told == Told::plain || seen_.insert(found).second;
}

} // namespace

bool unchanged(const std::vector<Read> &reads, const World &world) { return Replay(reads, world).run(); }

void write(Writer &out, const Param &param) {
    // Taken apart by name: a member that is added must be said here as well.
    const auto &[name, kind, elem, ndim, rows, cols, element_dim, clamp, layout, value, leaf, node, position, lifted] =
        param;
    out.text(name);
    out.number(kind);
    out.number(elem);
    for (int n : {ndim, rows, cols, element_dim, leaf, node, position, int(clamp), int(lifted), int(value != nullptr)})
        out.number(n);
    out.array(layout);
}

void write(Writer &out, const std::vector<Read> &reads) {
    out.number(uint64_t(reads.size()));
    for (const Read &read : reads) {
        out.number(read.how);
        out.number(read.parent);
        out.number(read.index);
        out.text(read.key);
        out.text(read.print);
    }
}

std::vector<Read> read_reads(Reader &in) {
    std::vector<Read> reads(in.count());
    for (Read &read : reads) {
        read.how = in.number<Read::How>();
        read.parent = in.number<uint32_t>();
        read.index = in.number<int64_t>();
        read.key = in.text();
        read.print = in.text();
    }
    return reads;
}

} // namespace qd::frontend
