// Compile time: qd.static and related builtins, comprehensions. Expressions inside qd.static are walked like any other; Python combines the
// Python objects in them, and the result must be known at compile time.
#include "frontend/static.h"

#include "frontend/builtins.h"
#include "frontend/call.h"
#include "frontend/dict.h"
#include "frontend/expr.h"
#include "frontend/loops.h"
#include "frontend/matrix.h"
#include "frontend/objects.h"
#include "frontend/parameters.h"
#include "frontend/place.h"
#include "frontend/recursion.h"
#include "frontend/scope.h"
#include "frontend/types.h"

namespace qd::frontend {

static Val static_vector(Walk &w, const Node *node, const Val &v);
static Val comprehension_source(Walk &w, const Node *source);

void fail_static(Walk &w, const Node *node, const Val &v, Unrolled by) {
    if (by == Unrolled::comprehension)
        w.fail(node, UserErrorKind::compilation,
               "A comprehension runs at compile time: its ranges and conditions must be compile-time constants, "
               "instead of " +
                   type_text(w, v),
               "pass it as a `qd.template()` argument, or write a loop that stores into a field or ndarray");
    if (v.is_scalar() && w.parameters.is_runtime_number(v.scalar().v))
        w.fail(
            node, UserErrorKind::compilation,
            "Input to qd.static must be compile-time constants or global pointers; this attribute is a runtime kernel "
            "argument, because its class has template_primitives=False",
            "decorate the class with plain @qd.data_oriented, or drop qd.static");
    if (v.is_scalar() || v.is_matrix() || v.is_ref())
        w.fail(node, UserErrorKind::compilation,
               "Input to qd.static must be compile-time constants or global pointers, instead of " + type_text(w, v),
               "pass it as a `qd.template()` argument, or drop qd.static");
    w.fail(node, UserErrorKind::compilation,
           "Input to qd.static must be compile-time constants or global pointers, instead of " + type_text(w, v));
}

namespace {

bool is_compile_time(const Val &v) {
    switch (v.tag()) {
    case Tag::none:
    case Tag::constant:
    case Tag::bundle:
    case Tag::array:
    case Tag::sequence: // has a length whatever it contains
    case Tag::dict: return true;
    case Tag::loop: return v.loop().source->over != LoopSource::Over::target;
    case Tag::scalar:
    case Tag::matrix:
    case Tag::structure:
    case Tag::method:
    case Tag::container:
    case Tag::element:
    case Tag::relation:
    case Tag::shared:
    case Tag::triplet:
    case Tag::ref: return false;
    }
    return false;
}

} // namespace

/// Refuses keyword arguments for a handler that evaluates its arguments itself and takes none.
void refuse_keywords(Walk &w, const Call &call) {
    for (const Node *keyword : items_of(call.node, Field::keywords)) {
        PyObject *name = word_of(keyword, Field::arg);
        if (!name)
            w.fail_syntax(keyword, "`**` arguments are not supported in Quadrants kernels", "write the arguments out");
        w.fail_type(call.node,
                    std::string(call.row->name) + "() got an unexpected keyword argument '" + text(name) + "'");
    }
}

Val handlers::static_(Walk &w, const Call &call) {
    if (w.static_depth) w.fail_syntax(call.node, "'qd.static' cannot be nested");
    if (w.grouped_depth) w.fail_syntax(call.node, "'qd.static' is not allowed inside 'qd.grouped'");
    refuse_keywords(w, call);
    const Items args = items_of(call.node, Field::args);
    std::vector<Val> out;
    ++w.static_depth;
    for (const Node *arg : args) {
        Val v = args.size() == 1 ? eval(w, arg, Use::forwarded) : eval(w, arg);
        if (v.is_matrix() || (v.is_ref() && v.ref()->ndim)) v = args.size() == 1 ? static_vector(w, arg, v) : v;
        if (!is_compile_time(v)) fail_static(w, arg, v);
        out.push_back(std::move(v));
    }
    --w.static_depth;
    if (out.size() == 1) {
        out[0].is_static = true;
        return out[0];
    }
    Val tuple = tuple_of(std::move(out));
    tuple.is_static = true;
    return tuple;
}

/// The components of a vector, which can be iterated over because their number is known.
static Val static_vector(Walk &w, const Node *node, const Val &v) { return sequence_items(w, node, w.places.load(v)); }

Val handlers::static_assert_(Walk &w, const Call &call) {
    const Items args = items_of(call.node, Field::args);
    const Node *condition = args.size() ? args[0] : nullptr, *note = args.size() > 1 ? args[1] : nullptr;
    for (const Node *keyword : items_of(call.node, Field::keywords)) {
        PyObject *name = word_of(keyword, Field::arg);
        const Node *&taken = name && text(name) == "msg" ? note : condition;
        if (!name || taken || (text(name) != "cond" && text(name) != "msg"))
            w.fail_type(call.node, "static_assert() takes a condition `cond` and a message `msg`");
        taken = child(keyword, Field::value);
    }
    if (!condition) w.fail_type(call.node, "static_assert() takes a condition `cond` and a message `msg`");
    ++w.static_depth;
    const Val test = eval(w, condition);
    if (!test.is_constant()) w.fail_type(call.node, "Static assert with non-static condition");
    const bool holds = truth(w, condition, test.object());
    if (!holds) {
        std::string message = "Static assertion failed";
        if (note) {
            const Val detail = value(w, note);
            if (detail.is_constant() && PyUnicode_Check(detail.object())) message = text(detail.object());
        }
        w.fail(call.node, UserErrorKind::assertion, message);
    }
    --w.static_depth;
    return Val{};
}

namespace {

/// True if the run-time value `v` is an instance of `cls`.
bool is_instance_of(const Val &v, PyObject *cls, const BuiltinRow *row) {
    const auto is = [&](auto handler) { return row && row->handler == handler; };
    const int dims = shape_of(v).ndim;
    if (dims) return is(&handlers::new_matrix) || (is(&handlers::new_vector) && dims == 1);
    if (v.is_structure() && v.structure().type->cls)
        return PyType_Check(cls) && PyType_IsSubtype(reinterpret_cast<PyTypeObject *>(v.structure().type->cls.get()),
                                                     reinterpret_cast<PyTypeObject *>(cls));
    if (v.is_structure()) return is(&handlers::new_struct) || v.structure().type->object.get() == cls;
    if (!v.is_array()) return false;
    PyRef kind = attribute(cls, names()._qd_kind_), its_name = attribute(cls, names().__name__);
    if (!kind || !PyUnicode_Check(kind.get()) || text(kind.get()) != "ndarray" || !its_name) return false;
    static constexpr std::string_view by_elements[] = {"ScalarNdarray", "VectorNdarray", "MatrixNdarray"};
    const std::string called = text(its_name.get());
    return called == "Ndarray" || called == by_elements[v.array().element_dim];
}

/// Returns a Python number of the class that represents numbers of this type.
PyRef number_like(ir::Scalar elem) {
    if (elem == ir::Scalar::u1) return PyRef::borrow(Py_True);
    return PyRef::steal(ir::is_float(elem) ? PyFloat_FromDouble(1) : PyLong_FromLong(1));
}

[[noreturn]] void fail_class(Walk &w, const Call &call) {
    w.fail_type(call.node, "isinstance() arg 2 must be a class or a tuple of classes");
}

bool is_instance_in_python(Walk &w, const Call &call, PyObject *object, PyObject *classes) {
    const int answer = PyObject_IsInstance(object, classes);
    if (answer >= 0) return answer;
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) w.python_failed(call.node);
    PyErr_Clear();
    fail_class(w, call);
}

bool is_number_of(Walk &w, const Call &call, ir::Scalar elem, PyObject *cls) {
    const PyRef kind = attribute(cls, names()._qd_kind_);
    if (kind && !(PyUnicode_Check(kind.get()) && text(kind.get()) == "dtype")) return false; // qd.Vector, a struct type
    return is_instance_in_python(w, call, number_like(elem).get(), cls);
}

bool is_instance_of_any(Walk &w, const Call &call, const Val &v, const Val &classes) {
    const Val many = unpacked(w, call.node, classes);
    bool found = false;
    for (const Val &one : many.is_sequence() ? many.sequence().items : std::vector<Val>{many}) {
        if (one.is_sequence()) {
            found |= is_instance_of_any(w, call, v, one);
            continue;
        }
        if (!one.is_constant()) fail_class(w, call);
        found |= v.is_scalar() ? is_number_of(w, call, v.scalar().elem, one.object())
                               : is_instance_of(v, one.object(), w.objects.builtin_of(one.object()));
    }
    return found;
}

} // namespace

/// isinstance(x, cls): Python decides for compile-time values. A vector is a qd.Vector and a qd.Matrix, a struct a qd.Struct, an array a
/// qd.Ndarray, a run-time number a bool, an int or a float.
Val handlers::is_instance(Walk &w, const Call &call) {
    const Val &v = call.args[0], &cls = call.args[1];
    if (const PyRef object = to_python(v)) {
        const PyRef classes = to_python(cls);
        if (!classes) fail_class(w, call);
        const auto is_covered = [&](const Val &of) { return of.is_constant() && w.dependencies.is_whole(of.object()); };
        if (!is_covered(v) || !is_covered(cls)) w.dependencies.give_up();
        return constant(PyRef::steal(PyBool_FromLong(is_instance_in_python(w, call, object.get(), classes.get()))));
    }
    return constant(PyRef::steal(PyBool_FromLong(is_instance_of_any(w, call, v, cls))));
}

Val handlers::static_print(Walk &w, const Call &call) {
    Call plain;
    plain.node = call.node;
    ++w.static_depth;
    for (const Node *arg : items_of(call.node, Field::args)) {
        const Val v = eval(w, arg);
        PyRef object = to_python(v);
        const std::string words = object ? "" : "<" + type_text(w, v) + ">";
        plain.args.push_back(
            object ? constant(object)
                   : constant(PyRef::steal(PyUnicode_FromStringAndSize(words.data(), Py_ssize_t(words.size())))));
    }
    for (const Node *keyword : items_of(call.node, Field::keywords)) {
        if (!word_of(keyword, Field::arg))
            w.fail_syntax(keyword, "`**` arguments are not supported by qd.static_print");
        plain.kwargs.emplace_back(word_of(keyword, Field::arg), eval(w, child(keyword, Field::value)));
    }
    PyObject *print = PyDict_GetItemString(PyEval_GetBuiltins(), "print");
    call_python(w, call.node, print, plain);
    --w.static_depth;
    return Val{};
}

// Comprehensions run at compile time over anything of known length; the elements may be run-time values.

/// True if the conditions of a comprehension hold.
static bool is_kept(Walk &w, const Node *generator) {
    bool kept = true;
    for (const Node *test : items_of(generator, Field::ifs)) {
        const Val v = value(w, test);
        if (!v.is_constant()) fail_static(w, test, v, Unrolled::comprehension);
        kept = kept && truth(w, test, v.object());
    }
    return kept;
}

static void run_comprehension(Walk &w, Items generators, size_t at, bool cut, const std::function<void()> &body) {
    if (at == generators.size()) {
        body();
        return;
    }
    const Node *source = child(generators[at], Field::iter);
    if (cut) w.recursion.lower_calls(source);
    const Val over = comprehension_source(w, source);
    std::vector<Val> items = over.is_loop() ? static_items(w, source, over, Unrolled::comprehension)
                                            : sequence_items(w, source, over).sequence().items;
    std::optional<Scope> around;
    if (cut) around.emplace(w);
    if (cut) items = w.recursion.stored_items(source, std::move(items));
    for (const Val &item : items) {
        std::vector<Binding> named; // by `:=`, which binds outside the comprehension
        {
            Scope scope(w);
            bind_static(w, child(generators[at], Field::target), item);
            const size_t first = w.scopes.size();
            if (is_kept(w, generators[at])) run_comprehension(w, generators, at + 1, cut, body);
            const auto bound = w.scopes.bindings().subspan(first);
            named.assign(bound.begin(), bound.end());
        }
        for (Binding &binding : named) w.scopes.add(std::move(binding));
    }
}

static Val comprehension_source(Walk &w, const Node *source) {
    const Val v = eval(w, source);
    return v.is_ref() ? w.places.load(v) : v;
}

Val eval_comprehension(Walk &w, const Node *node, NodeKind kind, bool cut) {
    Val out = kind == NodeKind::DictComp ? Val(val::Dict{{}, std::make_shared<DictKeys>()}) : list_of({});
    const Node *const element = child(node, kind == NodeKind::DictComp ? Field::value : Field::elt);
    run_comprehension(w, items_of(node, Field::generators), 0, cut, [&] {
        const Val key = kind == NodeKind::DictComp ? value(w, child(node, Field::key)) : Val{};
        if (cut) w.recursion.lower_calls(element);
        Val item = value(w, element);
        if (cut && w.places.storable(item)) item = w.places.new_variable(element, item);
        if (kind == NodeKind::DictComp)
            put_in_dict(w, node, out, key, std::move(item));
        else
            out.sequence().items.push_back(std::move(item));
        if (cut) w.recursion.keep_value(node, out); // live while the next ones are computed
    });
    return out;
}

} // namespace qd::frontend
