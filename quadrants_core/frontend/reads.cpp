#include "frontend/reads.h"

#include "frontend/prints.h"

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

std::string print_of(const Source &source, int64_t *lines) {
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
    const PyRef held = PyRef::borrow(found); // printing it may run code of Python
    auto place = std::tuple(how, parent, index, key);
    if (stack_is_short()) { // lists in lists without end
        give_up();
        return 0;
    }
    if (const auto before = places_.find(place); before != places_.end() && found_[before->second].get() == found)
        return before->second;
    Read read{how, parent, index, std::move(key), {}};
    Printer printer(request_);
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
    Read read{Read::How::function, known->second.read, 0, lines_of(source), {}};
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
    PyRef module = PyRef::steal(PyImport_ImportModule("quadrants._language.linalg"));
    return PyRef::steal(module ? PyObject_GetAttrString(module.get(), name) : nullptr);
}

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
    Printer printer(world_.request);
    const Told told = printer.print(found);
    if (PyErr_Occurred() || printer.take() != read.print) return false;
    return told == Told::plain || seen_.insert(found).second;
}

} // namespace

bool unchanged(const std::vector<Read> &reads, const World &world) { return Replay(reads, world).run(); }

void write(Writer &out, const Param &param) {
    // Taken apart by name: a member that is added must be said here as well.
    const auto &[name, kind, elem, ndim, rows, cols, element_dim, clamp, layout, value, leaf, node, position, lifted,
                 constant] = param;
    out.text(name);
    out.number(kind);
    out.number(elem);
    for (int n : {ndim, rows, cols, element_dim, leaf, node, position, int(clamp), int(lifted), int(constant),
                  int(value != nullptr)})
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
