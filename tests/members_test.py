"""No class of the core or the package has more than 40 members, but for a list of exceptions.

A member is a declaration in the class: data and functions, one for each declarator. Nested types, friends, `using` and the expansion of a
table (`#include "x.def"`) do not count. """

import ast
import re
from pathlib import Path

from cpp_source import TYPE, block_end, declarations, plain

CORE = Path(__file__).resolve().parent.parent / "quadrants_core"
MOST = 40

CLASS = re.compile(r"(?<!enum )\b(?:class|struct)\s+([\w:]+)(?:\s+final)?\s*(?::[^:;{][^;{]*)?\{")
NO_MEMBER = re.compile(r"(?:friend|using|typedef|static_assert|template\s*<[^;{]*>\s*friend)\b")


def declarators(declaration):
    """Returns the number of members in a declaration without a body."""
    flat = declaration
    for pair in (r"\([^()]*\)", r"\{[^{}]*\}", r"\[[^\[\]]*\]", r"<[^<>]*>"):
        while (shorter := re.sub(pair, "", flat)) != flat:
            flat = shorter
    return 1 + flat.count(",")


def members(body):
    """Returns the number of members of a class with this body."""
    count = 0
    for head, _, opening, end in declarations(body):
        if TYPE.match(head):  # nested, or declared in advance; a name after its block is a member
            tail = body[block_end(body, opening + 1) : end].strip(" \n;") if opening is not None else ""
            count += declarators(tail) if tail else 0
        elif not NO_MEMBER.match(head):
            count += 1 if opening is not None else declarators(head)
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
    "frontend/recursion.h: Recursion": (42, "one function per kind of statement of a recursive func"),
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
