// Compile time: qd.static and its relatives, comprehensions. Expressions inside qd.static are walked like any other;
// Python objects in them are combined by Python, and the result must be one.
#include "frontend/builtins.h"
#include "frontend/machine.h"

namespace qd::frontend {

void Walker::fail_static(const Node *node, const Val &v) {
    if (v.tag == Tag::scalar && lifted_.count(v.v.id))
        fail(node, UserErrorKind::compilation,
             "Input to qd.static must be compile-time constants or global pointers; this attribute is a runtime kernel "
             "argument, because its class has template_primitives=False",
             "decorate the class with plain @qd.data_oriented, or drop qd.static");
    if (v.tag == Tag::scalar || v.tag == Tag::matrix || v.tag == Tag::ref)
        fail(node, UserErrorKind::compilation,
             "Input to qd.static must be compile-time constants or global pointers, instead of " + type_text(v),
             "pass it as a `qd.template()` argument, or drop qd.static");
    fail(node, UserErrorKind::compilation,
         "Input to qd.static must be compile-time constants or global pointers, instead of " + type_text(v));
}

namespace {

bool is_compile_time(const Val &v) {
    switch (v.tag) {
    case Tag::none:
    case Tag::constant:
    case Tag::bundle:
    case Tag::array: return true;
    case Tag::tuple:
    case Tag::list:
    case Tag::dict:
        for (const Val &item : v.items)
            if (item.tag == Tag::scalar && item.v) continue; // a sequence has a length whatever it holds
        return true;
    case Tag::loop: return v.extra->over != Extra::Over::target;
    case Tag::scalar:
    case Tag::matrix:
    case Tag::record:
    case Tag::method:
    case Tag::container:
    case Tag::element:
    case Tag::relation:
    case Tag::triplet:
    case Tag::ref: return false;
    }
    return false;
}

} // namespace

/// Of a handler that evaluates its arguments itself, and has none by keyword.
void Walker::refuse_keywords(const Call &call) {
    for (const Node *keyword : items_of(call.node, Field::keywords)) {
        PyObject *name = word_of(keyword, Field::arg);
        if (!name)
            fail_syntax(keyword, "`**` arguments are not supported in Quadrants kernels", "write the arguments out");
        fail_type(call.node,
                  std::string(call.row->name) + "() got an unexpected keyword argument '" + text(name) + "'");
    }
}

Val Walker::static_(const Call &call) {
    if (static_depth_) fail_syntax(call.node, "'qd.static' cannot be nested");
    if (grouped_depth_) fail_syntax(call.node, "'qd.static' is not allowed inside 'qd.grouped'");
    refuse_keywords(call);
    const Items args = items_of(call.node, Field::args);
    std::vector<Val> out;
    ++static_depth_;
    for (const Node *arg : args) {
        Val v = args.size() == 1 ? eval_handed_on(arg) : eval(arg);
        if (v.tag == Tag::matrix || (v.tag == Tag::ref && v.ref->ndim))
            v = args.size() == 1 ? static_vector(arg, v) : v;
        if (!is_compile_time(v)) fail_static(arg, v);
        out.push_back(std::move(v));
    }
    --static_depth_;
    if (out.size() == 1) {
        out[0].is_static = true;
        return out[0];
    }
    Val tuple;
    tuple.tag = Tag::tuple;
    tuple.is_static = true;
    tuple.items = std::move(out);
    return tuple;
}

/// Components of a vector may be iterated over: their number is known.
Val Walker::static_vector(const Node *node, const Val &v) { return sequence_items(node, load(v)); }

Val Walker::static_assert_(const Call &call) {
    const Items args = items_of(call.node, Field::args);
    const Node *condition = args.size() ? args[0] : nullptr, *note = args.size() > 1 ? args[1] : nullptr;
    for (const Node *keyword : items_of(call.node, Field::keywords)) {
        PyObject *name = word_of(keyword, Field::arg);
        const Node *&taken = name && text(name) == "msg" ? note : condition;
        if (!name || taken || (text(name) != "cond" && text(name) != "msg"))
            fail_type(call.node, "static_assert() takes a condition `cond` and a message `msg`");
        taken = child(keyword, Field::value);
    }
    if (!condition) fail_type(call.node, "static_assert() takes a condition `cond` and a message `msg`");
    ++static_depth_;
    const Val test = eval(condition);
    if (!test.is_constant()) fail_type(call.node, "Static assert with non-static condition");
    const bool holds = truth(condition, test.object.get());
    if (!holds) {
        std::string message = "Static assertion failed";
        if (note) {
            const Val detail = value(note);
            if (detail.is_constant() && PyUnicode_Check(detail.object.get())) message = text(detail.object.get());
        }
        fail(call.node, UserErrorKind::assertion, message);
    }
    --static_depth_;
    return Val{};
}

namespace {

/// Whether `v`, which is computed at run time, is an instance of a class of the package.
bool is_instance_of(const Val &v, PyObject *cls, const BuiltinRow *row) {
    const std::string_view name = row ? row->name : "";
    const int dims = v.tag == Tag::matrix ? v.ndim : v.tag == Tag::ref ? v.ref->ndim : 0;
    if (dims) return name == "Matrix" || (name == "Vector" && dims == 1);
    if (v.tag == Tag::record) return name == "Struct" || v.record->object.get() == cls;
    if (v.tag != Tag::array) return false;
    PyRef kind = attribute(cls, names()._qd_kind_), its_name = attribute(cls, names().__name__);
    if (!kind || !PyUnicode_Check(kind.get()) || text(kind.get()) != "ndarray" || !its_name) return false;
    static constexpr std::string_view by_elements[] = {"ScalarNdarray", "VectorNdarray", "MatrixNdarray"};
    const std::string called = text(its_name.get());
    return called == "Ndarray" || called == by_elements[v.element_dim];
}

} // namespace

/// isinstance(x, cls): of what is known at compile time Python tells; a vector is a qd.Vector and a qd.Matrix, a struct
/// a qd.Struct, an array a qd.Ndarray, and a number computed at run time nothing.
Val Walker::is_instance(const Call &call) {
    const Val &v = call.args[0], &cls = call.args[1];
    if (to_python(v)) {
        const auto is_told = [&](const Val &of) { return of.is_constant() && reads_.is_whole(of.object.get()); };
        if (!is_told(v) || !is_told(cls)) reads_.give_up();
        const int answer = PyObject_IsInstance(to_python(v).get(), to_python(cls).get());
        if (answer < 0) python_failed(call.node);
        return constant(PyRef::steal(PyBool_FromLong(answer)));
    }
    const Val many = unpacked(call.node, cls);
    bool found = false;
    for (const Val &one : many.is_sequence() ? many.items : std::vector<Val>{many}) {
        if (!one.is_constant()) fail_type(call.node, "isinstance() arg 2 must be a class or a tuple of classes");
        found |= is_instance_of(v, one.object.get(), builtin_of(one.object.get()));
    }
    return constant(PyRef::steal(PyBool_FromLong(found)));
}

Val Walker::static_print(const Call &call) {
    Call plain;
    plain.node = call.node;
    ++static_depth_;
    for (const Node *arg : items_of(call.node, Field::args)) {
        const Val v = eval(arg);
        PyRef object = to_python(v);
        const std::string words = object ? "" : "<" + type_text(v) + ">";
        plain.args.push_back(
            object ? constant(object)
                   : constant(PyRef::steal(PyUnicode_FromStringAndSize(words.data(), Py_ssize_t(words.size())))));
    }
    for (const Node *keyword : items_of(call.node, Field::keywords)) {
        if (!word_of(keyword, Field::arg)) fail_syntax(keyword, "`**` arguments are not supported by qd.static_print");
        plain.kwargs.emplace_back(word_of(keyword, Field::arg), eval(child(keyword, Field::value)));
    }
    PyObject *print = PyDict_GetItemString(PyEval_GetBuiltins(), "print");
    call_python(call.node, print, plain);
    --static_depth_;
    return Val{};
}

// Comprehensions: run at compile time over anything of known length; the elements may be run-time values.

void Walker::run_comprehension(Items generators, size_t at, bool cut, const std::function<void()> &body) {
    if (at == generators.size()) {
        body();
        return;
    }
    const Node *source = child(generators[at], Field::iter);
    if (cut) flat_calls(source);
    const Val over = comprehension_source(source);
    std::vector<Val> items = over.tag == Tag::loop ? static_items(source, over) : sequence_items(source, over).items;
    Scope around(*this);
    if (cut) items = kept_items(source, std::move(items));
    for (const Val &item : items) {
        Scope scope(*this);
        bind_static(child(generators[at], Field::target), item);
        bool kept = true;
        for (const Node *test : items_of(generators[at], Field::ifs)) {
            const Val v = value(test);
            if (!v.is_constant()) fail_static(test, v);
            kept = kept && truth(test, v.object.get());
        }
        if (kept) run_comprehension(generators, at + 1, cut, body);
    }
}

Val Walker::comprehension_source(const Node *source) {
    const Val v = eval(source);
    return v.tag == Tag::ref ? load(v) : v;
}

Val Walker::eval_comprehension(const Node *node, NodeKind kind, bool cut) {
    Val out;
    out.tag = kind == NodeKind::DictComp ? Tag::dict : Tag::list;
    if (kind == NodeKind::DictComp) out.extra = std::make_shared<Extra>();
    const Node *const element = child(node, kind == NodeKind::DictComp ? Field::value : Field::elt);
    run_comprehension(items_of(node, Field::generators), 0, cut, [&] {
        const Val key = kind == NodeKind::DictComp ? value(child(node, Field::key)) : Val{};
        if (cut) flat_calls(element);
        Val item = value(element);
        if (cut && storable(item)) item = new_variable(element, item);
        if (kind == NodeKind::DictComp)
            put_in_dict(node, out, key, std::move(item));
        else
            out.items.push_back(std::move(item));
        if (cut) machine_->values[node] = out; // live while the next ones are computed
    });
    return out;
}

} // namespace qd::frontend
