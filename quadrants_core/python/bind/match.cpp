#include "python/bind/match.h"

#include "python/bind/errors.h"
#include "python/bind/mismatch.h"

#include <algorithm>

namespace qd::bind {
namespace {

PyObject *get(PyObject *from, const Member &m) {
    if (m.key == grad_word() && !m.item && is_ndarray(from)) {
        PyObject *own = reinterpret_cast<NdarrayObject *>(from)->grad;
        return Py_NewRef(own ? own : Py_None);
    }
    return m.item ? PyObject_GetItem(from, m.key) : PyObject_GetAttr(from, m.key);
}

} // namespace

void Objects::drop() {
    while (end_ > owned_) Py_DECREF(all_[--end_]);
}

bool Objects::fetch(const Plan &plan, size_t count, PyObject *const *args) {
    drop();
    const size_t total = count + plan.members.size();
    if (total > room_) {
        far_ = std::make_unique_for_overwrite<PyObject *[]>(total);
        all_ = far_.get();
        room_ = total;
    }
    std::copy_n(args, count, all_);
    owned_ = end_ = count;
    for (const Member &m : plan.members) {
        PyObject *from = all_[m.parent];
        PyObject *found = get(from, m);
        if (m.gradient && found == Py_None && requires_gradient(from)) {
            Py_DECREF(found);
            found = gradient_of(from);
        }
        if (!found) {
            PyErr_Clear();
            return false;
        }
        all_[end_++] = found;
    }
    return true;
}

namespace {

Match refuse(const Plan &plan, size_t i, PyObject *arg, const std::string &type) {
    const BoundParam &p = plan.params[i];
    if (p.runtime_number && PyFloat_Check(arg)) {
        raise(ErrorClass::runtime_type, "a member that was an integer when the kernel was compiled is now " +
                                            repr(arg) + ": this would truncate it to " + type);
    } else {
        raise_unconvertible(p.argument, plan.names[i], arg, type);
    }
    return Match::error;
}

} // namespace

bool recall(const Plan &plan, PyObject *const *args, uint64_t *slots, Arrays *arrays) {
    for (const FrozenSlots &entry : plan.recent) {
        size_t same = 0;
        while (same < plan.frozen.size() && PyWeakref_GetObject(entry.instances[same]) == args[plan.frozen[same]])
            same++;
        if (same < plan.frozen.size()) continue;
        std::copy(entry.slots.begin(), entry.slots.end(), slots);
        arrays->bytes += entry.bytes;
        return true;
    }
    return false;
}

void remember(Plan &plan, PyObject *const *objects, const uint64_t *slots, uint64_t bytes) {
    constexpr size_t most = 4;
    for (const BoundParam &p : plan.params) {
        const bool changes = p.kind == frontend::ParamKind::array && !is_ndarray(unwrapped(objects[p.object]));
        if (changes && std::find(plan.frozen.begin(), plan.frozen.end(), p.argument) != plan.frozen.end()) return;
    }
    FrozenSlots entry;
    for (const uint16_t at : plan.frozen) {
        PyObject *weak = PyWeakref_NewRef(objects[at], nullptr);
        if (!weak) {
            PyErr_Clear();
            plan.immutable = false;
            break;
        }
        entry.instances.push_back(weak);
    }
    if (plan.immutable) {
        entry.slots.assign(slots, slots + plan.slots);
        entry.bytes = bytes;
        plan.recent.insert(plan.recent.begin(), std::move(entry));
    }
    while (plan.recent.size() > (plan.immutable ? most : 0)) {
        std::swap(entry, plan.recent.back());
        plan.recent.pop_back();
        for (PyObject *weak : entry.instances) Py_DECREF(weak);
        entry.instances.clear();
    }
    for (PyObject *weak : entry.instances) Py_DECREF(weak);
}

Match match(const Plan &plan, PyObject *const *objects, uint64_t *slots, Arrays *arrays, size_t first, size_t last) {
    last = std::min(last, plan.params.size());
    Access denied = Access::writeable;
    for (size_t i = first; i < last; i++) {
        const BoundParam &p = plan.params[i];
        PyObject *arg = objects[p.object];
        switch (p.kind) {
        case frontend::ParamKind::scalar:
            if (!to_slot_fast(arg, p.elem, slots + p.slot)) [[unlikely]]
                return refuse(plan, i, arg, scalar_name(p.elem));
            break;
        case frontend::ParamKind::buffer_view:
            if (Match f = match_view(p, arg, slots + p.slot, arrays); f != Match::yes) return f;
            break;
        case frontend::ParamKind::array:
            if (Match f = match_array(p, arg, slots + p.slot, arrays, &denied); f != Match::yes) [[unlikely]] {
                if (denied != Access::writeable) raise_unwriteable(plan.names[i], unwrapped(arg), denied);
                return f;
            }
            break;
        case frontend::ParamKind::constant:
            if (!same_constant(p, arg)) return Match::no;
            break;
        case frontend::ParamKind::bundle:
            if (reinterpret_cast<PyObject *>(Py_TYPE(arg)) != p.value) return Match::no;
            break;
        case frontend::ParamKind::structure:
            if (write_struct(*p.shape, arg, slots + p.slot)) break;
            raise_unlike(*p.shape, arg);
            return Match::error;
        case frontend::ParamKind::matrix:
            if (!write_components(p.elem, p.rows * p.cols, arg, slots + p.slot)) [[unlikely]]
                return refuse(plan, i, arg, type_text(p.elem, p.rows, p.cols, p.element_dim));
            break;
        }
    }
    return Match::yes;
}

} // namespace qd::bind
