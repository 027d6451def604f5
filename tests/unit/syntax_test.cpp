// The tree of a function: built by hand, compared, and converted from the tree of Python's own parser.
#include "python_interpreter.h"
#include "syntax/from_python.h"

using namespace qd::syntax;

namespace {

std::unique_ptr<Tree> converted(const std::string &text, int shift = 0) {
    PyCompilerFlags flags{PyCF_ONLY_AST, PY_MINOR_VERSION};
    PyObject *module = Py_CompileStringFlags(text.c_str(), "text", Py_file_input, &flags);
    if (!module) {
        PyErr_Print();
        return nullptr;
    }
    PyObject *body = PyObject_GetAttrString(module, "body");
    std::unique_ptr<Tree> tree = from_python(PyList_GET_ITEM(body, 0), shift);
    Py_DECREF(body);
    Py_DECREF(module);
    return tree;
}

std::string dumped(const std::string &text) { return dump(converted(text)->root, false); }

TEST(Tree, slots_follow_the_table) {
    EXPECT_EQ(fields_of(NodeKind::Assign).size(), 2u);
    EXPECT_EQ(slot_table[size_t(NodeKind::Assign)][size_t(Field::value)], 1);
    EXPECT_EQ(slot_table[size_t(NodeKind::Assign)][size_t(Field::id)], no_slot);
    EXPECT_EQ(fields_of(NodeKind::arguments).size(), 7u);
    EXPECT_TRUE(fields_of(NodeKind::Pass).empty());
}

TEST(Tree, nodes_own_their_parts) {
    Tree tree;
    const Node *name = tree.make(NodeKind::Name, {1, 0, 1, 1}, {tree.word("x")});
    const Node *one = tree.make(NodeKind::Constant, {1, 4, 1, 5}, {tree.keep(PyLong_FromLong(1))});
    const Node *assign = tree.make(NodeKind::Assign, {1, 0, 1, 5}, {tree.list(std::array{name}), one});
    EXPECT_EQ(items_of(assign, Field::targets)[0], name);
    EXPECT_EQ(child(assign, Field::value), one);
    EXPECT_EQ(child(assign, Field::op), nullptr);
    EXPECT_TRUE(items_of(assign, Field::body).empty());
    EXPECT_EQ(PyLong_AsLong(constant_of(one)), 1);
    EXPECT_EQ(constant_of(name), nullptr);
    EXPECT_EQ(dump(assign, true), "Assign(targets=[Name(id='x')@1:0-1:1], value=Constant(value=1)@1:4-1:5)@1:0-1:5");
}

TEST(Tree, holds_more_than_one_block) {
    Tree tree;
    std::vector<const Node *> nodes;
    for (int i = 0; i < 20000; ++i) nodes.push_back(tree.make(NodeKind::Pass, {i, 0, i, 4}));
    const List *list = tree.list(nodes); // larger than a block
    nodes.push_back(tree.make(NodeKind::Pass, {7, 0, 7, 4}));
    ASSERT_EQ(list->items().size(), 20000u);
    for (int i = 0; i < 20000; ++i) ASSERT_EQ(list->items()[size_t(i)]->at.line, i);
}

TEST(FromPython, names_are_interned_and_places_are_those_of_python) {
    const auto tree = converted("x = é_name\n");
    const Node *value = child(tree->root, Field::value);
    EXPECT_EQ(word_of(value, Field::id), PyUnicode_InternFromString("é_name"));
    EXPECT_EQ(value->at, (Extent{1, 4, 1, 11}));
    EXPECT_EQ(converted("\n\nx = 1\n", 2)->root->at, (Extent{1, 0, 1, 5}));
}

TEST(FromPython, statements) {
    EXPECT_EQ(dumped("def f(a, /, b: t = 1, *c, d, e=2, **g) -> r:\n    return\n"),
              "FunctionDef(name='f', args=arguments(posonlyargs=[arg(arg='a')], args=[arg(arg='b', "
              "annotation=Name(id='t'))], vararg=arg(arg='c'), kwonlyargs=[arg(arg='d'), arg(arg='e')], "
              "kw_defaults=[None, Constant(value=2)], kwarg=arg(arg='g'), defaults=[Constant(value=1)]), "
              "body=[Return()], decorator_list=[], returns=Name(id='r'))");
    EXPECT_EQ(dumped("x: t\n"), "AnnAssign(target=Name(id='x'), annotation=Name(id='t'))");
    EXPECT_EQ(dumped("x @= 1\n"), "AugAssign(target=Name(id='x'), op=MatMult(), value=Constant(value=1))");
    EXPECT_EQ(dumped("with a as b, c: pass\n"), "With(items=[withitem(context_expr=Name(id='a'), "
                                                "optional_vars=Name(id='b')), withitem(context_expr=Name(id='c'))], "
                                                "body=[Pass()])");
    EXPECT_EQ(dumped("global a, b\n"), "Global()");
    EXPECT_EQ(dumped("match a:\n    case 1: pass\n"), "Match()");
    EXPECT_EQ(dumped("try: pass\nexcept E as e: pass\n"),
              "Try(body=[Pass()], handlers=[ExceptHandler(type=Name(id='E'), name='e', body=[Pass()])], orelse=[], "
              "finalbody=[])");
}

TEST(FromPython, expressions) {
    EXPECT_EQ(dumped("{1: a, **b}\n"), "Expr(value=Dict(keys=[Constant(value=1), None], values=[Name(id='a'), "
                                       "Name(id='b')]))");
    EXPECT_EQ(dumped("f(*a, k=None, **b)\n"),
              "Expr(value=Call(func=Name(id='f'), args=[Starred(value=Name(id='a'))], keywords=[keyword(arg='k', "
              "value=Constant(value=None)), keyword(value=Name(id='b'))]))");
    EXPECT_EQ(dumped("a < b is not c\n"), "Expr(value=Compare(left=Name(id='a'), ops=[Lt(), IsNot()], "
                                          "comparators=[Name(id='b'), Name(id='c')]))");
    EXPECT_EQ(dumped("f'{a!r:>{n}}b'\n"),
              "Expr(value=JoinedStr(values=[FormattedValue(value=Name(id='a'), conversion=114, "
              "format_spec=JoinedStr(values=[Constant(value='>'), FormattedValue(value=Name(id='n'), "
              "conversion=-1)])), Constant(value='b')]))");
    EXPECT_EQ(dumped("a[1:, ::2]\n"), "Expr(value=Subscript(value=Name(id='a'), "
                                      "slice=Tuple(elts=[Slice(lower=Constant(value=1)), "
                                      "Slice(step=Constant(value=2))])))");
    EXPECT_EQ(dumped("[a for a in b if c]\n"), "Expr(value=ListComp(elt=Name(id='a'), "
                                               "generators=[comprehension(target=Name(id='a'), iter=Name(id='b'), "
                                               "ifs=[Name(id='c')], is_async=0)]))");
    EXPECT_EQ(dumped("lambda: not a\n"), "Expr(value=Lambda(args=arguments(posonlyargs=[], args=[], kwonlyargs=[], "
                                         "kw_defaults=[], defaults=[]), body=UnaryOp(op=Not(), "
                                         "operand=Name(id='a'))))");
}

TEST(FromPython, refuses_objects_that_are_not_nodes) {
    EXPECT_EQ(from_python(Py_None), nullptr);
    EXPECT_TRUE(PyErr_ExceptionMatches(PyExc_TypeError));
    PyErr_Clear();
}

TEST(FromPython, keeps_its_objects_alone) {
    PyObject *text = PyUnicode_FromString("a constant that nothing else holds");
    {
        PyObject *constant =
            PyObject_CallFunction(PyObject_GetAttrString(PyImport_ImportModule("ast"), "Constant"), "O", text);
        const auto tree = from_python(constant);
        Py_DECREF(constant);
        EXPECT_EQ(constant_of(tree->root), text);
        EXPECT_EQ(Py_REFCNT(text), 2);
    }
    EXPECT_EQ(Py_REFCNT(text), 1);
    Py_DECREF(text);
}

TEST(Difference, finds_the_first_difference) {
    const auto a = converted("x = f(a, 1)\n"), same = converted("x = f(a, 1)\n");
    EXPECT_EQ(difference(a->root, same->root), "");
    EXPECT_EQ(difference(a->root, converted("x = f(b, 1)\n")->root),
              "Assign.value Call.args[0] Name.id: one is another word");
    EXPECT_EQ(difference(a->root, converted("x = f(a, True)\n")->root), "Assign @1:0-1:11 or @1:0-1:14");
    EXPECT_EQ(difference(a->root, converted("x = f(a, 2)\n")->root),
              "Assign.value Call.args[1] Constant.value: 1 or 2");
    EXPECT_EQ(difference(converted("1\n")->root, converted("a\n")->root), "Expr.value Constant or Name@1:0-1:1");
    EXPECT_EQ(difference(converted("a+b\n")->root, converted("a-b\n")->root), "Expr.value BinOp.op Add or Sub@0:0-0:0");
}

TEST(Walk, meets_every_node_once_and_parents_first) {
    const auto tree = converted("def f(a):\n    x = [a + 1 for a in {1: b, **c}]\n");
    std::string seen;
    each_node(tree->root, [&](const Node *node) { seen += std::string(kind_name(node->kind)) + " "; });
    EXPECT_EQ(seen,
              "FunctionDef arguments arg Assign Name ListComp BinOp Name Constant comprehension Name Dict Constant "
              "Name Name ");
}

} // namespace
