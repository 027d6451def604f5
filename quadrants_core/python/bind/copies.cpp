#include "python/bind/copies.h"

#include "python/bind/mismatch.h"

#include <algorithm>

namespace qd::bind {
namespace {

struct Stretch {
    uint64_t begin, end;
    bool meets(const Stretch &other) const { return begin < other.end && other.begin < end; }
};

/// Returns the memory range of a contiguous array.
Stretch stretch_of(const char *data, uint64_t bytes) {
    const uint64_t begin = reinterpret_cast<uint64_t>(data);
    return {begin, begin + bytes};
}

bool is_array(const BoundParam &p) { return frontend::passes(p.kind) == frontend::Passes::array; }

bool same_view(const NumpyArray *a, const NumpyArray *b) {
    return a->data == b->data && a->ndim == b->ndim && a->elem() == b->elem() &&
           std::equal(a->shape, a->shape + a->ndim, b->shape) &&
           std::equal(a->strides, a->strides + a->ndim, b->strides);
}

/// True if the kernel may write to the argument: it may write to anything if it was never analysed.
bool writes(const Plan &plan, size_t argument) {
    const bool unknown = !plan.kernel && !runtime.checks_python;
    return unknown || plan.params[argument].written;
}

bool refuse(const Plan &plan, size_t argument, const std::string &other) {
    raise_mismatch("Argument " + plan.names[argument] + " shares memory with " + other +
                   ", and the kernel writes to it; it is in Fortran order, so it would have to be copied, and results "
                   "would be lost. Pass it as a C-contiguous array");
    return false;
}

} // namespace

Copies::Copies(const KernelObject *kernel, PyObject *const *args) : changed_(args, args + kernel->params->size()) {
    find_numpy();
    for (size_t i = 0; i < changed_.size() && !failed_; i++) {
        if ((*kernel->params)[i].form != ParamForm::array) continue;
        NumpyArray *a = as_numpy(changed_[i]);
        if (!a || a->c_contiguous() || !a->f_contiguous()) continue;
        const auto same =
            std::find_if(copies_.begin(), copies_.end(), [&](const Copy &c) { return same_view(c.original, a); });
        PyObject *made =
            same != copies_.end() ? Py_NewRef(same->made) : PyObject_CallMethod(changed_[i], "copy", "s", "C");
        failed_ = made == nullptr;
        if (!made) break;
        copies_.push_back({i, a, made});
        changed_[i] = made;
    }
}

Copies::~Copies() {
    for (const Copy &c : copies_) Py_DECREF(c.made);
}

bool Copies::may_run(const Plan &plan, const uint64_t *slots) const {
    for (const Copy &c : copies_) {
        if (!writes(plan, c.argument)) continue;
        if (!c.original->writeable()) {
            raise_unwriteable(plan.names[c.argument], reinterpret_cast<PyObject *>(c.original), Access::read_only);
            return false;
        }
        const Stretch own = stretch_of(c.original->data, array_bytes(plan.params[c.argument], slots));
        for (size_t i = 0; i < plan.params.size(); i++) {
            const BoundParam &p = plan.params[i];
            if (i == c.argument || !is_array(p)) continue;
            const auto copied =
                std::find_if(copies_.begin(), copies_.end(), [&](const Copy &other) { return other.argument == i; });
            if (copied != copies_.end() && copied->made == c.made) continue;
            const char *data =
                copied != copies_.end() ? copied->original->data : reinterpret_cast<const char *>(slots[p.slot]);
            if (own.meets(stretch_of(data, array_bytes(p, slots)))) return refuse(plan, c.argument, plan.names[i]);
        }
        for (const std::shared_ptr<TreeMemory> &tree : plan.trees)
            if (own.meets(stretch_of(reinterpret_cast<const char *>(tree->memory.address), tree->bytes)))
                return refuse(plan, c.argument, "a field that the kernel uses");
    }
    return true;
}

bool Copies::write_back(const Plan &plan) const {
    for (const Copy &c : copies_) {
        if (!writes(plan, c.argument)) continue;
        if (PyObject_SetItem(reinterpret_cast<PyObject *>(c.original), Py_Ellipsis, c.made) != 0) return false;
    }
    return true;
}

} // namespace qd::bind
