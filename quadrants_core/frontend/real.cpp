// Real funcs: `return` inside branches and loops. The body is in a loop that runs once. A return stores its value and leaves the innermost
// loop; after every loop that contains a return, a flag decides whether to leave the next loop, too.
#include "frontend/real.h"

#include "frontend/annotations.h"
#include "frontend/assign.h"
#include "frontend/control.h"
#include "frontend/expr.h"
#include "frontend/funcs.h"
#include "frontend/objects.h"
#include "frontend/place.h"
#include "frontend/struct_value.h"

namespace qd::frontend {

/// A variable for a result of this type, initialised to zero.
Val result_place(Walk &w, const Node *node, PyObject *annotation) {
    if (PyTuple_Check(annotation)) {
        std::vector<Val> out;
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(annotation); ++i)
            out.push_back(result_place(w, node, PyTuple_GET_ITEM(annotation, i)));
        return tuple_of(std::move(out));
    }
    const Kind kind = w.objects.kind_of(annotation);
    if (!is_dtype(w, annotation) && kind != Kind::matrix_type && kind != Kind::struct_type)
        w.fail_syntax(node, "The return type is not supported now!");
    return w.places.new_variable(node, w.structs.zero_member(node, annotation));
}

void store_result(Walk &w, const Node *node, const Val &place, const Val &v) {
    if (place.is_sequence())
        store_sequence(w, node, place, v);
    else if (place.is_structure())
        w.structs.store_struct(node, place, v);
    else if (place.is_ref())
        w.places.store(node, *place.ref(), v);
}

Flow real_return(Walk &w, const Node *node) {
    RealFrame &real = *w.frames.back().real;
    const Node *source = child(node, Field::value);
    if (source) {
        const Val v = value(w, source);
        const bool nothing = v.is_constant() && v.object() == Py_None;
        if (!real.annotation && !nothing)
            w.fail_syntax(node,
                          "A kernel/function with a return value must be annotated with a return type, e.g. def func() "
                          "-> qd.f32");
        if (real.annotation) store_result(w, node, real.result, converted_result(w, node, real.annotation, v));
    }
    ++real.returns;
    const ir::Value yes = w.b.constant(ir::Scalar::u1, 1);
    w.b.store(real.returned, yes);
    w.b.break_();
    return Flow::stop;
}

/// Follows a loop of a real func that contains returns: leaves the enclosing loop too, if a return was executed.
void leave_if_returned(Walk &w, int returns_before) {
    const std::shared_ptr<RealFrame> &real = w.frames.back().real;
    if (!real || real->returns == returns_before) return;
    const ir::Value returned = w.b.load(real->returned);
    break_when(w, true, returned);
}

int returns_so_far(Walk &w) { return w.frames.back().real ? w.frames.back().real->returns : 0; }

Val real_body(Walk &w, FuncInfo &info) {
    const Node *tree = info.source.tree;
    auto real = std::make_shared<RealFrame>();
    real->annotation = info.returns.get();
    if (info.returns) real->result = result_place(w, tree, info.returns.get());
    real->returned = w.b.local(ir::Scalar::u1, 1);
    w.frames.back().real = real;
    ir::Loop once;
    const ir::Value loop = w.b.loop({}, once);
    body_in(w, w.fn[loop].blocks[0], [&] {
        if (block(w, items_of(tree, Field::body)) != Flow::stop) w.b.break_();
        return Flow::stop;
    });
    if (info.returns && !real->returns)
        w.fail(tree, UserErrorKind::compilation, "Function has a return type but does not have a return statement");
    if (!info.returns) return Val{};
    return loaded_result(w, real->result);
}

Val loaded_result(Walk &w, Val result) {
    if (!result.is_sequence()) return w.places.load(std::move(result));
    for (Val &item : result.sequence().items) item = loaded_result(w, std::move(item));
    return result;
}

} // namespace qd::frontend
