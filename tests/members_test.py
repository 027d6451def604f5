"""No class of the core or the package has more than 40 members, but for a list of exceptions.

A member is a declaration in the class: data and functions, one for each declarator. Nested types, friends, `using` and the expansion of a
table (`#include "x.def"`) do not count. """

import ast
import re
from pathlib import Path

CORE = Path(__file__).resolve().parent.parent / "quadrants_core"
MOST = 40

COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.DOTALL)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
CLASS = re.compile(r"(?<!enum )\b(?:class|struct)\s+(?:__attribute__\(\(.*?\)\)\s+|alignas\([^)]*\)\s+)?([\w:]+)(?:\s+final)?\s*(?::[^:;{][^;{]*)?\{")
NO_MEMBER = re.compile(r"(?:friend|using|typedef|static_assert|template\s*<[^;{]*>\s*friend)\b")
TYPE = re.compile(r"(?:template\s*<.*>\s*)?(?:class|struct|union|enum)\b[^()=]*$", re.DOTALL)
LABEL = re.compile(r"^\s*(?:public|private|protected)\s*:")


def plain(text):
    """Returns the source without comments, contents of literals, and directives."""
    return DIRECTIVE.sub("", COMMENT.sub(lambda m: " " if m.group().startswith("/") else '""', text))


def block_end(text, start):
    """Returns the position after the brace that closes the one before `start`."""
    depth = 1
    for i in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[i], 0)
        if not depth:
            return i + 1
    return len(text)


def declarators(declaration):
    """Returns the number of members in a declaration without a body."""
    flat = declaration
    for pair in (r"\([^()]*\)", r"\{[^{}]*\}", r"\[[^\[\]]*\]", r"<[^<>]*>"):
        while (shorter := re.sub(pair, "", flat)) != flat:
            flat = shorter
    return 1 + flat.count(",")


def members(body):
    """Returns the number of members of a class with this body."""
    count, i, item = 0, 0, ""
    while i < len(body):
        if LABEL.match(item + body[i]):
            item, i = "", i + 1
        elif body[i] == ";":
            text = item.strip()
            if text and not NO_MEMBER.match(text) and not TYPE.match(text):
                count += declarators(text)
            item, i = "", i + 1
        elif body[i] == "{":
            end = block_end(body, i + 1)
            head = item.strip()
            if NO_MEMBER.match(head) or TYPE.match(head):
                item = ""  # a nested type; a name after it would be a member
                tail = re.match(r"\s*(\w[^;]*)?;", body[end:])
                count += declarators(tail.group(1)) if tail and tail.group(1) else 0
                end += tail.end() if tail else 0
            elif re.search(r"\)\s*(?:const|noexcept|override|final|mutable|&|\s|->[^{]*|:[^:][^{]*)*$", head) or "operator" in head:
                rest = re.match(r"\s*[,{]", body[end:])  # a member initialiser with braces comes before the function's body
                if rest:
                    item += "()"
                else:
                    count, item = count + 1, ""
                    end += len(re.match(r"\s*;?", body[end:]).group())
            else:
                item += "{}"  # the initialiser of a variable
            i = end
        else:
            item, i = item + body[i], i + 1
    return count


def classes(text):
    """Yields (name, number of members) of every class that the source defines."""
    text = plain(text)
    for found in CLASS.finditer(text):
        yield found.group(1), members(text[found.end() : block_end(text, found.end()) - 1])


def sizes():
    found = {}
    for path in sorted(p for p in CORE.rglob("*") if p.suffix in (".h", ".cpp")):
        for name, count in classes(path.read_text(encoding="utf-8")):
            place = f"{path.relative_to(CORE)}: {name}"
            found[place] = max(count, found.get(place, 0))
    return found


# Classes over the limit, with their members and why they are not split. The numbers may only shrink.
LARGE = {
    "autodiff/replay.h: Replay": (60, "one walk that copies a kernel and notes what its reverse needs"),
    "backends/interp/walk_state.h: Walk": (60, "the interpreter: one function per family of operations"),
    "frontend/recursion.h: Recursion": (43, "one function per kind of statement of a recursive func"),
    "ir/function.h: Function": (50, "the tables of a function, and how they are read and made"),
    "passes/fold.h: Fold": (53, "one function per family of operations"),
    "passes/vectorize_emit.h: LaneEmitter": (60, "one function per family of operations"),
    "passes/vectorize_plan.h: Planner": (55, "one analysis whose facts depend on each other"),
    "runtime/disk_cache.h: DiskCache": (42, "the kinds of files of one cache"),
    "syntax/grammar.h: ExpressionRules": (41, "one function per rule of Python's grammar"),
    "tools/random_generator.h: Generator": (44, "one function per kind of statement that is drawn"),
    "tools/random_smooth.cpp: SmoothGenerator": (45, "one function per kind of statement that is drawn"),
}


def test_classes_are_small():
    found = sizes()
    assert len(found) > 300
    assert {name: count for name, count in found.items() if count > MOST} == {name: count for name, (count, _) in LARGE.items()}


PACKAGE = CORE / "python" / "quadrants"

# The same of classes of Python: functions and class attributes.
LARGE_IN_PYTHON = {
    "_language/matrix.py: Matrix": (61, "the operators and methods that Python looks up in a class"),
    "_python_backend/rewrite.py: _Rewriter": (62, "one method per node of Python's syntax tree"),
    "_storage/field.py: Field": (42, "the operators and methods that Python looks up in a class"),
    "_windows/gui.py: GUI": (44, "Taichi's interface of a window, which programs depend on"),
}


def test_classes_of_python_are_small():
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                count = sum(isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Assign, ast.AnnAssign)) for part in node.body)
                found[f"{path.relative_to(PACKAGE)}: {node.name}"] = count
    assert len(found) > 100
    assert {name: count for name, count in found.items() if count > MOST} == {name: count for name, (count, _) in LARGE_IN_PYTHON.items()}


def test_members_are_counted():
    text = """
    struct A : B<int, long> { // struct C {
        int a = 0, b[2] = {1, 2};
        std::map<int, long> c; /* int x; */
        explicit A(int n) : a(n), b{1, 2} { if (n) { a = 1; } }
        A() = default;
        template <class T> void each(const T &visit) const { visit(a, b); }
        bool operator==(const A &) const = default;
        auto last() const -> decltype(c) { return c; }
        using D = int;
        friend class E;
        enum class F { x, y };
        struct G { int inside; } g;
      private:
        static constexpr const char *text = "int no; {";
    #define ROW(x) int x;
    #include "rows.def"
    };
    """
    assert dict(classes(text)) == {"A": 10, "G": 1}
    assert members(plain("int a; A(int n) : a(n), b{1, 2} { if (n) { a = 1; } } int b;")) == 3
