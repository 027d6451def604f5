// Runtime operations that are called by name: quadrants.lang.impl.call_internal("name", ...).
#include "frontend/arithmetic.h"
#include "frontend/builtins.h"
#include "frontend/call.h"
#include "frontend/format.h"
#include "frontend/types.h"

namespace qd::frontend {

namespace {

/// Stores three numbers on the heap of the thread, reads them in reverse order, and fails if they differ; returns 0.
Val test_stack(Walk &w, const Call &call) {
    if (call.args.size() > 1) w.fail_type(call.node, "In a call to the operation `test_stack`: it takes no arguments");
    constexpr int count = 3;
    const ir::Value entries = w.b.i64(count);
    const ir::Value capacity = w.b.emit(ir::Op::reserve, {entries}, {}, sizeof(int32_t));
    const auto entry = [&](int i) {
        const ir::Value begin = w.b.emit(ir::Op::stack, {capacity}, ir::Type::pointer(ir::Scalar::i32), 0);
        const ir::Value bytes = w.b.i64(i * int64_t(sizeof(int32_t)));
        return w.b.offset(begin, bytes, ir::Scalar::i32);
    };
    for (int i = 0; i < count; ++i) {
        const ir::Value at = entry(i);
        const ir::Value number = w.b.i32(7 * i + 1);
        w.b.store(at, number);
    }
    for (int i = count; i-- > 0;) {
        const ir::Value found = w.b.load(entry(i));
        const ir::Value number = w.b.i32(7 * i + 1);
        emit_assert(w, w.b.eq(found, number), {{{"a stack lost what was kept on it", -1}}}, {});
    }
    return scalar(w, w.b.i32(0));
}

} // namespace

/// Calls `test_stack` or `test_internal_func_args`, which computes (a + b) * n of f32, f32, i32 as an i32 and tests the checks of arguments
/// of such operations.
Val handlers::internal_call(Walk &w, const Call &call) {
    const Node *node = call.node;
    const Val &name = call.args[0];
    if (!name.is_constant() || !PyUnicode_Check(name.object()))
        w.fail_type(node, "`call_internal` takes the name of an operation first");
    const std::string wanted = text(name.object());
    if (wanted == "test_stack") return test_stack(w, call);
    if (wanted != "test_internal_func_args")
        w.fail(node, UserErrorKind::compilation, "There is no internal operation `" + wanted + "`",
               "choose one of: test_internal_func_args, test_stack");
    const ir::Scalar types[] = {ir::Scalar::f32, ir::Scalar::f32, ir::Scalar::i32};
    const std::string where = "In a call to the operation `" + wanted + "`:\n  ";
    std::string given;
    for (size_t i = 1; i < call.args.size(); ++i)
        given += (i > 1 ? ", " : "") + type_text(w, typed(w, node, call.args[i]));
    if (call.args.size() - 1 != std::size(types))
        w.fail_type(node, where + std::to_string(call.args.size() - 1) + " arguments were passed in but expected " +
                              std::to_string(std::size(types)) + " (called with argument types " + given + ")");
    ir::Value values[std::size(types)];
    for (size_t i = 0; i < std::size(types); ++i) {
        const ir::Scalar type = scalar_type(w, node, call.args[i + 1]);
        if (type != types[i])
            w.fail_type(node, where + "expected " + ir::to_string(types[i]) + " for argument #" +
                                  std::to_string(i + 1) + ", but got " + ir::to_string(type) +
                                  " (called with argument types " + given + ")");
        values[i] = as(w, node, call.args[i + 1], types[i]);
    }
    const ir::Value factor = as(w, node, scalar(w, values[2]), ir::Scalar::f32);
    const ir::Value product = emit2(w, ir::Op::mul, emit2(w, ir::Op::add, values[0], values[1]), factor);
    return scalar(w, as(w, node, scalar(w, product), ir::Scalar::i32));
}

} // namespace qd::frontend
