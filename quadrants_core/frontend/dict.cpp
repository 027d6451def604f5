// Dicts written in a kernel. Their keys are known at compile time, or at run time only: then each is a key of its own,
// which no look-up finds.
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
    const auto unknown = dict.extra->unknown_keys.find(i);
    return unknown == dict.extra->unknown_keys.end() ? wrap(w, dict.extra->keys[i]) : unknown->second;
}

/// A key that names a member.
PyRef known_key(Walk &w, const Node *node, const Val &dict, size_t i) {
    if (dict.extra->unknown_keys.count(i)) w.fail_type(node, "Names of struct members are strings");
    return dict.extra->keys[i];
}

/// The position of a key; none if the dict does not have it.
std::optional<size_t> find_key(Walk &w, const Node *node, const Val &dict, const Val &key) {
    if (!key.is_constant()) w.fail_type(node, "A dict cannot be asked for a key known only at run time");
    for (size_t i = 0; i < dict.items.size(); ++i) {
        if (dict.extra->unknown_keys.count(i)) continue;
        const int same = PyObject_RichCompareBool(dict.extra->keys[i].get(), key.object.get(), Py_EQ);
        if (same < 0) w.python_failed(node);
        if (same) return i;
    }
    return std::nullopt;
}

void put_in_dict(Walk &w, const Node *node, Val &dict, const Val &key, Val value) {
    if (key.is_constant()) {
        if (const std::optional<size_t> at = find_key(w, node, dict, key)) {
            dict.items[*at] = std::move(value);
            return;
        }
        dict.extra->keys.push_back(key.object);
    } else {
        if (key.tag != Tag::scalar) w.fail_type(node, "A key of a dict is a number or known at compile time");
        dict.extra->unknown_keys.emplace(dict.items.size(), key);
        dict.extra->keys.push_back({});
    }
    dict.items.push_back(std::move(value));
}

Val eval_dict(Walk &w, const Node *node) {
    const Items keys = items_of(node, Field::keys), values = items_of(node, Field::values);
    Val out;
    out.tag = Tag::dict;
    out.extra = std::make_shared<Extra>();
    for (size_t i = 0; i < keys.size(); ++i) {
        if (!keys[i]) { // **other
            const Val other = value(w, values[i]);
            if (other.tag != Tag::dict)
                w.fail_syntax(node, "`**` in a dict display needs a dict written in the kernel");
            for (size_t k = 0; k < other.items.size(); ++k)
                put_in_dict(w, node, out, key_of(w, other, k), other.items[k]);
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

Val dict_method(Walk &w, const Node *node, const Val &bound) {
    const std::string &name = bound.extra->name;
    const Val &dict = bound.extra->self;
    const Call call = arguments(w, node, false);
    AtNode at(w, node);
    const size_t least = name == "get" ? 1 : 0, most = name == "get" ? 2 : 0;
    if (call.args.size() < least || call.args.size() > most || !call.kwargs.empty())
        w.fail_type(node, "`" + name + "` of a dict takes " +
                              (most ? "a key and a value for where it is not" : "no argument"));
    if (name == "get") {
        if (const std::optional<size_t> found = find_key(w, node, dict, call.args[0])) return dict.items[*found];
        return call.args.size() > 1 ? call.args[1] : Val{};
    }
    Val out;
    out.tag = Tag::list;
    for (size_t i = 0; i < dict.items.size(); ++i) {
        Val pair;
        pair.tag = Tag::tuple;
        pair.items = {key_of(w, dict, i), dict.items[i]};
        out.items.push_back(name == "keys" ? pair.items[0] : name == "values" ? pair.items[1] : pair);
    }
    return out;
}

} // namespace qd::frontend
