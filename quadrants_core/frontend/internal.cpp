// call_internal("name", ...): functions by which the checks of arguments can be tried. Their arguments have types of
// their own and are not converted.
#include "frontend/builtins.h"

#include <vector>

namespace qd::frontend {

using ir::Scalar;

namespace {

struct Internal {
    std::string_view name;
    std::vector<Scalar> params;
};

const Internal *find_internal(std::string_view name) {
    static const Internal all[] = {
        {"do_nothing", {}},
        {"test_internal_func_args", {Scalar::f32, Scalar::f32, Scalar::i32}},
    };
    for (const Internal &one : all)
        if (one.name == name) return &one;
    return nullptr;
}

} // namespace

Val Walker::internal_call(const Call &call) {
    PyObject *node = call.node;
    if (!call.args[0].is_constant() || !PyUnicode_Check(call.args[0].object.get()))
        fail_type(node, "call_internal takes the name of a function first");
    const std::string name = text(call.args[0].object.get());
    const Internal *function = find_internal(name);
    if (!function) fail(node, UserErrorKind::compilation, "There is no internal function `" + name + "`");
    const std::string where = "In a call to the operation `" + name + "`:\n  ";
    const size_t count = call.args.size() - 1;
    if (count != function->params.size())
        fail_type(node, where + std::to_string(count) + " arguments were passed in but expected " +
                            std::to_string(function->params.size()));
    std::vector<ir::Value> values;
    for (size_t i = 0; i < count; ++i) {
        const Val v = typed(node, call.args[i + 1]);
        if (v.tag != Tag::scalar || v.elem != function->params[i])
            fail_type(node, where + "expected " + ir::to_string(function->params[i]) + " for argument #" +
                                std::to_string(i + 1) + ", but got " + type_text(v));
        values.push_back(v.v);
    }
    if (values.empty()) return integer(0);
    const ir::Value sum = b_.add(values[0], values[1]);
    const ir::Value factor = convert(values[2], Scalar::f32);
    return scalar(convert(b_.mul(sum, factor), Scalar::i32));
}

} // namespace qd::frontend
