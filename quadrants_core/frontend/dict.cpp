// Dicts written in a kernel. A key is known at compile time or only at run time; a run-time key is always a new key, which no look-up
// finds.
#include "frontend/dict.h"

#include "frontend/call.h"
#include "frontend/expr.h"

#include <algorithm>
#include <string_view>

namespace qd::frontend {
namespace {

constexpr std::string_view methods[] = {"keys", "values", "items", "get"};

} // namespace

Val key_of(Walk &w, const Val &dict, size_t i) {
    const DictKeys &keys = *dict.dict().keys;
    const auto unknown = keys.unknown.find(i);
    return unknown == keys.unknown.end() ? wrap(w, keys.known[i]) : unknown->second;
}

/// The key that names a struct member; fails for a run-time key.
PyRef known_key(Walk &w, const Node *node, const Val &dict, size_t i) {
    const DictKeys &keys = *dict.dict().keys;
    if (keys.unknown.count(i)) w.fail_type(node, "Names of struct members must be strings");
    return keys.known[i];
}

/// The position of a key; nothing if the dict does not contain it.
std::optional<size_t> find_key(Walk &w, const Node *node, const Val &dict, const Val &key) {
    if (!key.is_constant()) w.fail_type(node, "A dict cannot be indexed with a key known only at run time");
    const DictKeys &keys = *dict.dict().keys;
    for (size_t i = 0; i < dict.dict().values.size(); ++i) {
        if (keys.unknown.count(i)) continue;
        const int same = PyObject_RichCompareBool(keys.known[i].get(), key.object(), Py_EQ);
        if (same < 0) w.python_failed(node);
        if (same) return i;
    }
    return std::nullopt;
}

void put_in_dict(Walk &w, const Node *node, Val &given, const Val &key, Val value) {
    val::Dict &dict = given.dict();
    if (key.is_constant()) {
        if (const std::optional<size_t> at = find_key(w, node, given, key)) {
            dict.values[*at] = std::move(value);
            return;
        }
        dict.keys->known.push_back(key.constant().object);
    } else {
        if (!key.is_scalar()) w.fail_type(node, "A key of a dict must be a number or known at compile time");
        dict.keys->unknown.emplace(dict.values.size(), key);
        dict.keys->known.push_back({});
    }
    dict.values.push_back(std::move(value));
}

Val eval_dict(Walk &w, const Node *node) {
    const Items keys = items_of(node, Field::keys), values = items_of(node, Field::values);
    Val out = val::Dict{{}, std::make_shared<DictKeys>()};
    for (size_t i = 0; i < keys.size(); ++i) {
        if (!keys[i]) { // **other
            const Val other = value(w, values[i]);
            if (!other.is_dict()) w.fail_syntax(node, "`**` in a dict display needs a dict written in the kernel");
            const std::vector<Val> &others = other.dict().values;
            for (size_t k = 0; k < others.size(); ++k) put_in_dict(w, node, out, key_of(w, other, k), others[k]);
            continue;
        }
        const Val key = value(w, keys[i]);
        put_in_dict(w, keys[i], out, key, value(w, values[i]));
    }
    return out;
}

bool is_dict_method(PyObject *name) {
    return std::find(std::begin(methods), std::end(methods), text(name)) != std::end(methods);
}

Val dict_method(Walk &w, const Val &bound, Call call) {
    const Node *node = call.node;
    const std::string &name = bound.method().bound->name;
    const Val &dict = bound.method().bound->self;
    const std::vector<Val> &values = dict.dict().values;
    AtNode at(w, node);
    const size_t least = name == "get" ? 1 : 0, most = name == "get" ? 2 : 0;
    if (call.args.size() < least || call.args.size() > most || !call.kwargs.empty())
        w.fail_type(node, "`" + name + "` of a dict takes " + (most ? "a key and a default value" : "no argument"));
    if (name == "get") {
        if (const std::optional<size_t> found = find_key(w, node, dict, call.args[0])) return values[*found];
        return call.args.size() > 1 ? call.args[1] : Val{};
    }
    std::vector<Val> out;
    for (size_t i = 0; i < values.size(); ++i) {
        const Val key = key_of(w, dict, i);
        out.push_back(name == "keys" ? key : name == "values" ? values[i] : tuple_of({key, values[i]}));
    }
    return list_of(std::move(out));
}

} // namespace qd::frontend
