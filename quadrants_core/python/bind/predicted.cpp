#include "python/bind/predicted.h"

#include "python/bind/binder.h"

#include <algorithm>

namespace qd::bind {
namespace {

/// Fills `bound` with the only parameter that the annotation allows; returns false if it leaves a choice.
bool bound_by_annotation(const ParamSpec &spec, BoundParam *bound) {
    bound->elem = resolve(spec.elem);
    switch (spec.form) {
    case ParamForm::scalar: return !spec.optional;
    case ParamForm::matrix: bound->kind = frontend::ParamKind::matrix; break;
    case ParamForm::array:
        bound->kind = frontend::ParamKind::array;
        if (spec.optional || spec.elem == ir::Scalar::none || spec.ndim < 0 || spec.element_dim < 0) return false;
        if (spec.rows == 0 || spec.cols == 0) return false; // elements of any shape
        bound->ndim = uint8_t(spec.ndim);
        bound->signature = signature_of(bound->elem, spec.ndim, spec.rows, spec.cols, spec.element_dim);
        break;
    case ParamForm::tensor:
    case ParamForm::buffer_view:
    case ParamForm::constant:
    case ParamForm::self:
    case ParamForm::structure:
    case ParamForm::bundle: return false;
    }
    bound->rows = uint16_t(spec.rows);
    bound->cols = uint16_t(spec.cols);
    bound->element_dim = uint8_t(spec.element_dim);
    return true;
}

/// True if an argument that an older definition accepted suits the annotation.
bool suits(const ParamSpec &spec, const BoundParam &from) {
    switch (spec.form) {
    case ParamForm::scalar: return from.kind == frontend::ParamKind::scalar && resolve(spec.elem) == from.elem;
    case ParamForm::matrix:
        return from.kind == frontend::ParamKind::matrix && resolve(spec.elem) == from.elem && spec.rows == from.rows &&
               spec.cols == from.cols && spec.element_dim == from.element_dim;
    case ParamForm::array:
        return from.kind == frontend::ParamKind::array &&
               (spec.elem == ir::Scalar::none || resolve(spec.elem) == from.elem) &&
               (spec.ndim < 0 || spec.ndim == from.ndim) &&
               (spec.element_dim < 0 ||
                (spec.element_dim == from.element_dim && spec.rows == from.rows && spec.cols == from.cols));
    case ParamForm::constant:
    case ParamForm::self:
        return from.kind == frontend::ParamKind::constant && (!from.weak || PyWeakref_GetObject(from.weak) != Py_None);
    case ParamForm::tensor:
    case ParamForm::buffer_view:
    case ParamForm::structure:
    case ParamForm::bundle: return false;
    }
    return false;
}

} // namespace

std::vector<std::vector<BoundParam>> predicted_params(const KernelObject *kernel, const KernelObject *before) {
    const std::vector<ParamSpec> &specs = *kernel->params;
    std::vector<std::vector<BoundParam>> all;
    if (before) {
        for (const std::shared_ptr<Plan> &plan : *before->plans) {
            bool fits = plan->generation == runtime.generation && plan->params.size() == specs.size();
            for (size_t i = 0; fits && i < specs.size(); i++) fits = suits(specs[i], plan->params[i]);
            if (fits) all.push_back(plan->params);
        }
    }
    if (!all.empty()) return all;
    std::vector<BoundParam> only(specs.size());
    for (size_t i = 0; i < specs.size(); i++) {
        if (!bound_by_annotation(specs[i], &only[i])) return all;
    }
    all.push_back(std::move(only));
    return all;
}

} // namespace qd::bind
