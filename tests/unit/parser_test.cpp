// The parser of functions on text that is not Python: for any bytes it ends, stays within them, and agrees with CPython wherever both
// accept. tests/syntax compares the trees of valid text.
#include "python_interpreter.h"
#include "syntax/from_python.h"
#include "syntax/parser.h"

#include <fstream>
#include <random>
#include <sstream>

using namespace qd::syntax;

namespace {

/// Returns the functions of tests/syntax/functions.txt.
std::vector<std::string> odd_functions() {
    std::ifstream file(QD_TESTS_DIR "/syntax/functions.txt");
    std::vector<std::string> all(1);
    for (std::string line; std::getline(file, line);) {
        if (line == "====")
            all.emplace_back();
        else
            all.back() += line + "\n";
    }
    return all;
}

/// A copy that ends exactly with the text, so that a sanitizer detects reads beyond it.
struct Exact {
    explicit Exact(const std::string &text) : bytes(std::make_unique<char[]>(text.size())), size(text.size()) {
        std::copy(text.begin(), text.end(), bytes.get());
    }
    std::string_view view() const { return {bytes.get(), size}; }
    std::unique_ptr<char[]> bytes;
    size_t size;
};

/// Returns the function that CPython parses at the start of a text; null if it refuses the text or parses something else.
std::unique_ptr<Tree> by_python(const std::string &text) {
    const bool indented = text[0] == ' ' || text[0] == '\t';
    const std::string whole = (indented ? "if 1:\n" : "") + text;
    if (whole.find('\0') != std::string::npos) return nullptr;
    PyCompilerFlags flags{PyCF_ONLY_AST | PyCF_SOURCE_IS_UTF8 | PyCF_IGNORE_COOKIE, PY_MINOR_VERSION};
    PyObject *node = Py_CompileStringExFlags(whole.c_str(), "text", Py_file_input, &flags, -1);
    for (int depth = 0; node && depth <= int(indented); ++depth) {
        PyObject *body = PyObject_GetAttrString(node, "body");
        Py_DECREF(node);
        node = body && PyList_Check(body) && PyList_GET_SIZE(body) ? Py_NewRef(PyList_GET_ITEM(body, 0)) : nullptr;
        Py_XDECREF(body);
    }
    std::unique_ptr<Tree> tree = node ? from_python(node, indented) : nullptr;
    Py_XDECREF(node);
    PyErr_Clear();
    return tree && tree->root->kind == NodeKind::FunctionDef ? std::move(tree) : nullptr;
}

struct Counts {
    int accepted = 0, compared = 0;
};

void check(const std::string &text, Counts &counts) {
    const Exact copy(text);
    Tree tree;
    size_t length = 0;
    const Outcome outcome = parse_function(tree, copy.view(), 1, &length);
    ASSERT_FALSE(PyErr_Occurred()) << text;
    if (outcome != Outcome::parsed) return;
    counts.accepted++;
    ASSERT_LE(length, text.size());
    const std::unique_ptr<Tree> theirs = by_python(text);
    if (!theirs) return;
    counts.compared++;
    ASSERT_EQ(difference(theirs->root, tree.root), "") << text;
    Tree again;
    ASSERT_EQ(parse_function(again, copy.view().substr(0, length), 1), Outcome::parsed) << text;
    ASSERT_EQ(difference(again.root, tree.root), "") << text;
}

/// Deletes, repeats, inserts and replaces parts; deterministic for a seed.
std::string spoiled(std::string text, std::mt19937 &random) {
    static const char *const pieces[] = {
        "(",  ")",       "[",           "]",        "{",      "}",      ",",    ":",        "=",        ":=",
        "*",  "**",      ".",           "...",      " if ",   " else ", " in ", " not ",    " is ",     " and ",
        "\n", "\n    ",  "\n\t",        "\\\n",     "#",      "\"",     "'",    "\"\"\"",   "f'{",      "r'\\",
        "b'", "lambda:", " for x in y", "yield ",   "await ", "async ", "def",  ";",        "1",        "0x",
        "1_", "1e",      "1j",          "\xc3\xa9", "\xff",   "\f",     "\r",   "\x01",     "@",        "|",
        "<<", "!=",      "->",          "~",        "==",     "+=",     "as x", "match x:", "class A:", "\\",
    };
    const auto below = [&](size_t n) { return n ? size_t(random()) % n : 0; };
    for (size_t i = 0, n = 1 + below(4); i < n; ++i) {
        const size_t at = below(text.size() + 1);
        switch (below(6)) {
        case 0: text.erase(at, 1 + below(4)); break;
        case 1: text.insert(at, pieces[below(std::size(pieces))]); break;
        case 2: text.replace(at, std::min<size_t>(1, text.size() - at), pieces[below(std::size(pieces))]); break;
        case 3: text.resize(at); break;
        case 4: text.insert(below(text.size() + 1), text.substr(at, below(30))); break;
        case 5:
            if (at < text.size()) text[at] = char(below(256));
            break;
        }
    }
    return text;
}

TEST(Parser, corrupted_functions) {
    const std::vector<std::string> functions = odd_functions();
    ASSERT_GT(functions.size(), 25u);
    std::mt19937 random(7);
    Counts counts;
    for (int i = 0; i < 6000; ++i) {
        check(spoiled(functions[size_t(random()) % functions.size()], random), counts);
        if (HasFatalFailure()) return;
    }
    EXPECT_GT(counts.compared, 500);
    EXPECT_GT(counts.accepted, counts.compared);
}

TEST(Parser, every_beginning_of_a_function) {
    Counts counts;
    for (const std::string &text : odd_functions()) {
        for (size_t size = 0; size < text.size(); size += size < 200 ? 1 : 7) {
            check(text.substr(0, size), counts);
            if (HasFatalFailure()) return;
        }
    }
    EXPECT_GT(counts.compared, 50);
}

std::string repeated(const std::string &piece, int count) {
    std::string all;
    for (int i = 0; i < count; ++i) all += piece;
    return all;
}

Outcome outcome_of(const std::string &text, int first_line = 1) {
    const Exact copy(text);
    Tree tree;
    return parse_function(tree, copy.view(), first_line);
}

TEST(Parser, ends_on_deep_or_long_text) {
    for (const char *piece : {"(",         "[",       "{",      "-",      "~",       "not ",         "1+",
                              "a.b.",      "a()",     "a[0]",   "2**",    "lambda:", "1 if 1 else ", "a=",
                              "f(",        "*",       "a<",     "1 and ", "{a:",     "a:",           "yield ",
                              "for x in ", "(x for ", "if a: ", "@",      "with (",  "f'{"})
        EXPECT_NE(outcome_of("def f():\n  " + repeated(piece, 50000) + "\n"), Outcome::parsed) << piece;
    EXPECT_EQ(outcome_of("def f():\n  return " + repeated("a + ", 400) + "a\n"), Outcome::parsed);
    EXPECT_EQ(outcome_of("def f():\n  return " + repeated("(", 80) + "a" + repeated(")", 80) + "\n"), Outcome::parsed);
    EXPECT_EQ(outcome_of("def f():\n  if a: b\n" + repeated("  elif a: b\n", 100)), Outcome::parsed);
    EXPECT_EQ(outcome_of("def f():\n  if a: b\n" + repeated("  elif a: b\n", 50000)), Outcome::cannot);
    EXPECT_EQ(outcome_of("def f():\n  a = " + repeated("{", 60) + repeated("}", 60) + "\n"), Outcome::parsed);
}

TEST(Parser, reports_if_more_text_may_help) {
    for (const char *text :
         {"", "@a\n", "def f(", "def f():", "def f():\n", "def f():\n  (", "def f():\n  '''", "def f(): a + \\\n"})
        EXPECT_EQ(outcome_of(text), Outcome::open) << text;
    for (const char *text :
         {"x = 1", "def f:\n", "def f():\n  1e\n", "def f():\n  a b\n", "def f():\n    a\n  b\n", "def f():\na\n"})
        EXPECT_NE(outcome_of(text), Outcome::parsed) << text;
}

TEST(Parser, lines_start_at_the_given_number) {
    Tree tree;
    ASSERT_EQ(parse_function(tree, "  def f():\n    return f'{x}'\n\n\n  y", 10), Outcome::parsed);
    EXPECT_EQ(tree.root->at, (Extent{10, 2, 11, 17}));
    EXPECT_EQ(items_of(tree.root, Field::body)[0]->at, (Extent{11, 4, 11, 17}));
    const Node *text = child(items_of(tree.root, Field::body)[0], Field::value);
    EXPECT_EQ(text->at, (Extent{11, 11, 11, 17}));
    EXPECT_EQ(outcome_of("def f(): pass", -1), Outcome::cannot);
}

} // namespace
