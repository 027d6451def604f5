#include "frontend/dependencies.h"

#include "frontend/fingerprint.h"

#include <algorithm>
#include <unordered_set>

namespace qd::frontend {
namespace {

PyRef defaults_of(PyObject *function) {
    PyRef defaults = PyRef::steal(PyObject_GetAttrString(function, "__defaults__"));
    PyErr_Clear();
    return defaults ? defaults : PyRef::borrow(Py_None);
}

} // namespace

std::string fingerprint_of(const Source &source, int64_t *lines) {
    *lines = std::count(source.text.begin(), source.text.end(), '\n');
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

/// "file\nfirst line\n", then four digits for each line.
static std::string lines_of(const Source &source) {
    std::string all = source.file + "\n" + std::to_string(source.first_line) + "\n";
    for (size_t at = 0; at < source.text.size();) {
        const size_t end = std::min(source.text.find('\n', at), source.text.size());
        const uint64_t hash = hash_bytes(as_bytes(std::string_view(source.text).substr(at, end - at)), 9);
        for (int digit = 12; digit >= 0; digit -= 4) all += "0123456789abcdef"[hash >> digit & 15];
        at = end + 1;
    }
    return all;
}

// Recording

Dependencies::Dependencies(const Request &request) : request_(request) {
    Dependency read;
    read.fingerprint = fingerprint_of(request.source, &read.index);
    add(std::move(read), request.function);
    functions_[request.function] = 0;
    for (size_t i = 0; i < request.returns.size(); ++i)
        if (PyObject *type = request.returns[i].structure) note(Dependency::How::returns, 0, int64_t(i), "", type);
}

uint32_t Dependencies::add(Dependency read, PyObject *found) {
    list_.push_back(std::move(read));
    found_.push_back(PyRef::borrow(found));
    return uint32_t(list_.size() - 1);
}

uint32_t Dependencies::note(Dependency::How how, uint32_t parent, int64_t index, std::string key, PyObject *found) {
    const PyRef held = PyRef::borrow(found); // a fingerprint may run Python code
    auto place = std::tuple(how, parent, index, key);
    if (stack_is_short()) { // endlessly nested lists
        give_up();
        return 0;
    }
    if (const auto before = places_.find(place); before != places_.end() && found_[before->second].get() == found)
        return before->second;
    Dependency read{how, parent, index, std::move(key), {}};
    Fingerprinter printer(request_);
    const auto known = known_.find(found);
    FingerprintExtent extent = FingerprintExtent::plain;
    if (known != known_.end()) {
        read.fingerprint = "=" + std::to_string(known->second.read);
    } else {
        extent = printer.fingerprint(found);
        read.fingerprint = printer.take();
    }
    const uint32_t id = add(std::move(read), found);
    places_[std::move(place)] = id;
    if (extent == FingerprintExtent::plain) return id;
    known_[found] = {id, extent == FingerprintExtent::whole ||
                             (extent == FingerprintExtent::parts && !PyMethod_Check(found))};
    if (extent == FingerprintExtent::parts) parts(id, found);
    if (extent == FingerprintExtent::outline && is_transparent(found)) give_up();
    return id;
}

void Dependencies::parts(uint32_t read, PyObject *found) {
    using How = Dependency::How;
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
    if (kind == Kind::struct_type) return members({"members", "methods", "unpacked"});
    if (kind == Kind::struct_field) return members({"dtype", "_fields"});
    if (kind == Kind::struct_) return members({"_type", "_entries"});
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

void Dependencies::name(PyObject *function, PyObject *name, PyObject *found) {
    if (!complete_) return;
    const auto frame = functions_.find(function);
    if (frame == functions_.end()) return give_up();
    note(Dependency::How::name, frame->second, 0, text(name), found);
}

void Dependencies::attribute(PyObject *object, PyObject *name, PyObject *found) {
    last_ = object;
    if (!complete_) return;
    if (is_transparent(object) && !PyCFunction_Check(object)) return; // an attribute of a value is part of Python
    const auto known = known_.find(object);
    if (known == known_.end()) return give_up();
    note(Dependency::How::attribute, known->second.read, 0, text(name), found);
}

void Dependencies::param(size_t index, PyObject *value) {
    if (complete_) note(Dependency::How::param, 0, int64_t(index), "", value);
}

namespace {

/// The meaning of Dependency::index for the key of a member.
enum KeyKind : int64_t { attribute_name, item_number, item_name };

std::string fingerprint_of(const Param &param) {
    Writer w;
    write(w, param);
    return {w.bytes.begin(), w.bytes.end()};
}

} // namespace

void Dependencies::member(int node, PyObject *key, bool item, const Param &found) {
    if (!complete_) return;
    Dependency read{Dependency::How::member, uint32_t(node), attribute_name, {}, fingerprint_of(found)};
    if (item) read.index = PyUnicode_CheckExact(key) ? item_name : item_number;
    if (read.index == item_number && !PyLong_CheckExact(key)) return give_up();
    read.key = read.index == item_number ? repr(key) : text(key);
    const uint32_t id = add(std::move(read), found.value);
    if (found.value) note(Dependency::How::value, id, 0, "", found.value);
}

void Dependencies::function(PyObject *func, PyObject *function, const Source &source) {
    if (!complete_) return;
    const auto known = known_.find(func);
    if (known == known_.end() || !function) return give_up();
    Dependency read{Dependency::How::function, known->second.read, 0, lines_of(source), {}};
    read.fingerprint = fingerprint_of(source, &read.index);
    const uint32_t id = add(std::move(read), function);
    functions_[function] = id;
    note(Dependency::How::defaults, id, 0, "", defaults_of(function).get());
}

void Dependencies::annotation(PyObject *function, PyObject *name, PyObject *found) {
    if (!complete_) return;
    const auto frame = functions_.find(function);
    if (frame == functions_.end()) return give_up();
    note(Dependency::How::annotation, frame->second, 0, text(name), found ? found : Py_None);
    if (found) use(found);
}

bool Dependencies::is_whole(PyObject *object) const {
    if (is_transparent(object) || python_builtin(object)) return true;
    const auto known = known_.find(object);
    return known != known_.end() ? known->second.whole : kind_of_object(object) == Kind::dtype;
}

void Dependencies::library(const char *name, PyObject *func) {
    if (complete_) note(Dependency::How::library, 0, 0, name, func);
}

PyRef library_func(const char *name) {
    PyRef module = PyRef::steal(PyImport_ImportModule("quadrants._language.linalg"));
    return PyRef::steal(module ? PyObject_GetAttrString(module.get(), name) : nullptr);
}

// Comparing

namespace {

class Replay {
  public:
    Replay(const std::vector<Dependency> &dependencies, const World &world)
        : dependencies_(dependencies), world_(world) {}
    bool run() {
        found_.reserve(dependencies_.size());
        for (const Dependency &read : dependencies_) {
            if (read.how == Dependency::How::member) {
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
    const std::vector<Dependency> &dependencies_;
    const World &world_;
    std::vector<PyRef> found_;
    std::unordered_set<PyObject *> seen_; ///< objects found so far, except plain ones: each must be a new one

    PyRef find(const Dependency &read);
    PyRef item(PyObject *of, int64_t index);
    bool is_same_member(const Dependency &read);
    bool is_same(const Dependency &read, PyObject *found);
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

PyRef Replay::find(const Dependency &read) {
    if (read.how == Dependency::How::kernel) return PyRef::borrow(world_.request.function);
    PyObject *of = read.parent < found_.size() ? found_[read.parent].get() : nullptr;
    if (!of) return {};
    const std::vector<Param> &params = world_.request.params;
    const std::vector<ReturnType> &returns = world_.request.returns;
    PyRef key = read.key.empty() ? PyRef() : PyRef::steal(PyUnicode_InternFromString(read.key.c_str()));
    switch (read.how) {
    case Dependency::How::kernel:
    case Dependency::How::member: break;
    case Dependency::How::param:
        return size_t(read.index) < params.size() ? PyRef::borrow(params[size_t(read.index)].value) : PyRef();
    case Dependency::How::returns:
        return size_t(read.index) < returns.size() ? PyRef::borrow(returns[size_t(read.index)].structure) : PyRef();
    case Dependency::How::value: return PyRef::borrow(of);
    case Dependency::How::name: return find_name(of, key.get());
    case Dependency::How::attribute: return PyRef::steal(PyObject_GetAttr(of, key.get()));
    case Dependency::How::item: return item(of, read.index);
    case Dependency::How::self: return PyMethod_Check(of) ? PyRef::borrow(PyMethod_GET_SELF(of)) : PyRef();
    case Dependency::How::method: return PyMethod_Check(of) ? PyRef::borrow(PyMethod_GET_FUNCTION(of)) : PyRef();
    case Dependency::How::function: return frontend::attribute(of, names().fn);
    case Dependency::How::annotation: {
        PyRef found = find_annotation(of, key.get());
        return found || PyErr_Occurred() ? found : PyRef::borrow(Py_None);
    }
    case Dependency::How::defaults: return defaults_of(of);
    case Dependency::How::library: return library_func(read.key.c_str());
    }
    return {};
}

bool Replay::is_same_member(const Dependency &read) {
    PyRef key = PyRef::steal(read.index == item_number ? PyLong_FromString(read.key.c_str(), nullptr, 10)
                                                       : PyUnicode_InternFromString(read.key.c_str()));
    try {
        const Param param = world_.request.member(int(read.parent), key.get(), read.index != attribute_name);
        if (fingerprint_of(param) != read.fingerprint) return false;
        found_.push_back(PyRef::borrow(param.value));
        return true;
    } catch (const UserError &) {
    } catch (const PythonError &) {
    }
    PyErr_Clear();
    return false;
}

bool Replay::is_same(const Dependency &read, PyObject *found) {
    if (read.how == Dependency::How::kernel) return world_.source(world_.kernel, read.index) == read.fingerprint;
    if (read.how == Dependency::How::function) {
        PyObject *func = found_[read.parent].get();
        return kind_of_object(func) == Kind::func && world_.source(func, read.index) == read.fingerprint;
    }
    if (read.fingerprint.starts_with('=')) {
        const size_t same = size_t(std::atoll(read.fingerprint.c_str() + 1));
        return same < found_.size() && found_[same].get() == found;
    }
    Fingerprinter printer(world_.request);
    const FingerprintExtent extent = printer.fingerprint(found);
    if (PyErr_Occurred() || printer.take() != read.fingerprint) return false;
    return extent == FingerprintExtent::plain || seen_.insert(found).second;
}

} // namespace

bool unchanged(const std::vector<Dependency> &dependencies, const World &world) {
    return Replay(dependencies, world).run();
}

void write(Writer &out, const Param &param) {
    // Destructured, so that a new member of Param must be added here, too.
    const auto &[name, kind, elem, ndim, rows, cols, element_dim, clamp, layout, value, leaf, node, position,
                 runtime_number, constant] = param;
    out.text(name);
    out.number(kind);
    out.number(elem);
    for (int n : {ndim, rows, cols, element_dim, leaf, node, position, int(clamp), int(runtime_number), int(constant),
                  int(value != nullptr)})
        out.number(n);
    out.array(layout);
}

void write(Writer &out, const std::vector<Dependency> &dependencies) {
    out.number(uint64_t(dependencies.size()));
    for (const Dependency &read : dependencies) {
        out.number(read.how);
        out.number(read.parent);
        out.number(read.index);
        out.text(read.key);
        out.text(read.fingerprint);
    }
}

std::vector<Dependency> read_dependencies(Reader &in) {
    std::vector<Dependency> dependencies(in.count());
    for (Dependency &read : dependencies) {
        read.how = in.number<Dependency::How>();
        read.parent = in.number<uint32_t>();
        read.index = in.number<int64_t>();
        read.key = in.text();
        read.fingerprint = in.text();
    }
    return dependencies;
}

} // namespace qd::frontend
