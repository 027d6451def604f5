// Real funcs: `return` inside of branches and loops. The body stands in a loop that runs once. A return stores its
// value, and leaves the innermost loop; after every loop of the body that holds a return a flag tells whether to go on
// leaving.
#include "frontend/walker.h"

namespace qd::frontend {

/// A variable for a result of this type, zero at first.
Val Walker::result_place(const Node *node, PyObject *annotation) {
    if (PyTuple_Check(annotation)) {
        Val out;
        out.tag = Tag::tuple;
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(annotation); ++i)
            out.items.push_back(result_place(node, PyTuple_GET_ITEM(annotation, i)));
        return out;
    }
    const Kind kind = kind_of(annotation);
    if (!is_dtype(annotation) && kind != Kind::matrix_type && kind != Kind::struct_type)
        fail_syntax(node, "The return type is not supported now!");
    return new_variable(node, zero_member(node, annotation));
}

void Walker::store_result(const Node *node, const Val &place, const Val &v) {
    if (place.is_sequence())
        store_sequence(node, place, v);
    else if (place.tag == Tag::record)
        store_record(node, place, v);
    else if (place.tag == Tag::ref)
        store(node, *place.ref, v);
}

Flow Walker::real_return(const Node *node) {
    RealFrame &real = *frames_.back().real;
    const Node *source = child(node, Field::value);
    if (source) {
        const Val v = value(source);
        const bool nothing = v.is_constant() && v.object.get() == Py_None;
        if (!real.annotation && !nothing)
            fail_syntax(node,
                        "A kernel/function with a return value must be annotated with a return type, e.g. def func() "
                        "-> qd.f32");
        if (real.annotation) store_result(node, real.result, converted_result(node, real.annotation, v));
    }
    ++real.returns;
    const ir::Value yes = b_.constant(ir::Scalar::u1, 1);
    b_.store(real.returned, yes);
    b_.break_();
    return Flow::stop;
}

/// After a loop of a real func that holds returns: leaves the next one too, if one of them was met.
void Walker::leave_if_returned(int returns_before) {
    const std::shared_ptr<RealFrame> &real = frames_.back().real;
    if (!real || real->returns == returns_before) return;
    const ir::Value returned = b_.load(real->returned);
    break_when(true, returned);
}

int Walker::returns_so_far() const { return frames_.back().real ? frames_.back().real->returns : 0; }

Val Walker::real_body(FuncInfo &info) {
    const Node *tree = info.source.tree;
    auto real = std::make_shared<RealFrame>();
    real->annotation = info.returns.get();
    if (info.returns) real->result = result_place(tree, info.returns.get());
    real->returned = b_.local(ir::Scalar::u1, 1);
    frames_.back().real = real;
    ir::Loop once;
    const ir::Value loop = b_.loop({}, once);
    body_in(fn_[loop].blocks[0], [&] {
        if (block(items_of(tree, Field::body)) != Flow::stop) b_.break_();
        return Flow::stop;
    });
    if (info.returns && !real->returns)
        fail(tree, UserErrorKind::compilation, "Function has a return type but does not have a return statement");
    if (!info.returns) return Val{};
    return loaded_result(real->result);
}

Val Walker::loaded_result(Val result) {
    if (!result.is_sequence()) return load(std::move(result));
    for (Val &item : result.items) item = loaded_result(std::move(item));
    return result;
}

} // namespace qd::frontend
