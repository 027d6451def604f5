"""Ratchets: constructs that the core should avoid may only become fewer. The tables list the exceptions with their counts; a change that
lowers a count updates it here."""

import ast
import re
import subprocess
from pathlib import Path

from cpp_source import NAMESPACE, TYPE, block_end, declarations, plain

ROOT = Path(__file__).resolve().parent.parent
CORE = ROOT / "quadrants_core"
SOURCES = sorted(p for p in CORE.rglob("*") if p.suffix in (".h", ".cpp", ".def", ".inc"))
FILE_LINES = 700
FUNCTION_LINES = 60
DEFAULT = re.compile(r"^\s*default:", re.MULTILINE)


def text(path):
    return path.read_text(encoding="utf-8")


# With `default:` the compiler does not warn where a new op, node or kind is not handled yet. These switches are over numbers, over tables
# of other projects, over tokens, or over letters of options.
DEFAULTS = {
    "backends/cpu/elf.cpp": 1,
    "codegen/llvm/cpu/x86.cpp": 1,
    "syntax/atoms.cpp": 1,
    "syntax/blocks.cpp": 1,
    "syntax/expressions.cpp": 3,
    "syntax/statements.cpp": 2,
    "tools/execute.cpp": 1,
    "tools/shrink.cpp": 1,
}


def over_the_limit(counts, limit):
    return {str(path.relative_to(CORE)): n for path, n in counts.items() if n > limit}


def test_there_is_something_to_check():
    assert len(SOURCES) > 200


def test_switches_are_complete():
    assert over_the_limit({path: len(DEFAULT.findall(text(path))) for path in SOURCES}, 0) == DEFAULTS


def written():
    """Returns the files that are written by hand: sources of the core, the kernel, the package, the inspector and the front end."""
    folders = ("quadrants_core", "kernel", "inspector", "jupyter", "widgets", "labextension/src")
    names = subprocess.run(["git", "ls-files", "--", *folders], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    return [ROOT / name for name in names if name.endswith((".h", ".cpp", ".def", ".inc", ".py", ".ts")) and (ROOT / name).exists()]


# Files over the limit, and why they are not split.
LONG_FILES = {
    "quadrants_core/python/quadrants/_language/matrix.py": "one class whose methods are the operators that Python looks up in it",
    "quadrants_core/python/quadrants/_python_backend/actions.py": "one function per operation of a kernel, as Python runs it",
    "quadrants_core/python/quadrants/_storage/field.py": "one class and its docstrings, which are the reference of fields",
    "quadrants_core/python/quadrants/_trees/snode.py": "one class and its docstrings, which are the reference of trees",
}


def test_files_are_short():
    long = {str(path.relative_to(ROOT)) for path in written() if len(text(path).splitlines()) > FILE_LINES}
    assert long == set(LONG_FILES)


# Functions over the limit, and why they are not split.
LONG_FUNCTIONS = {
    "inspector/view/adstack_pane.cpp: AdstackPane::draw": "an immediate-mode pane, drawn from top to bottom",
    "inspector/view/lines_pane.cpp: LinesPane::body": "an immediate-mode pane, drawn from top to bottom",
    "inspector/view/points_and_tables.cpp: ViewsPane::table": "an immediate-mode pane, drawn from top to bottom",
    "inspector/view/views_pane.cpp: ViewsPane::one": "an immediate-mode pane, drawn from top to bottom",
    "inspector/view/widgets.cpp: Widgets::one": "a switch over the kinds of widgets",
    "quadrants_core/autodiff/partials.cpp: Terms::real": "a switch with one derivative per case",
    "quadrants_core/codegen/llvm/emit.cpp: Emitter::for_op": "the blocks of one loop, which refer to each other",
    "quadrants_core/frontend/call.cpp: call_object": "a switch over the kinds of objects that can be called",
    "quadrants_core/frontend/foreign.cpp: call_each": "the kinds of functions of Python, in the order in which they are tried",
    "quadrants_core/frontend/format.cpp: format_call": "the grammar of format strings, in the order of its characters",
    "quadrants_core/frontend/graph.cpp: Graphs::checkpoint": "checks of a call, each with its message",
    "quadrants_core/frontend/matrix.cpp: method": "a table of the methods of matrices",
    "quadrants_core/ir/verify_types.cpp: Checker::operand": "a switch with one rule per kind of operand",
    "quadrants_core/python/bind/module.cpp: define_program": "a list of bindings",
    "quadrants_core/python/quadrants/_python_backend/actions.py: call": "the kinds of objects that can be called, in the order in which they are tried",
    "quadrants_core/python/quadrants/_storage/ndarray.py: _classes": "one class and its docstrings, made when NumPy is first needed",
}


def functions(source):
    """Yields (name, lines) of each C++ function with a body outside of other functions."""
    return _functions(plain(source))


def _functions(text):
    for head, begin, opening, end in declarations(text):
        if opening is None:
            continue
        if TYPE.match(head) or NAMESPACE.match(head):
            yield from _functions(text[opening + 1 : block_end(text, opening + 1) - 1])
        elif name := re.search(r"([\w:~]+|operator[^\w\s]+)\s*\(", head):
            yield name.group(1), text.count("\n", begin, end) + 1


def python_functions(source):
    """Yields (name, lines without decorators and docstring) of each Python function."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            first = node.body[1] if ast.get_docstring(node) and len(node.body) > 1 else node.body[0]
            yield node.name, node.end_lineno - first.lineno + 1


def test_functions_are_short():
    long, seen = set(), 0
    for path in written():
        if path.suffix in (".py", ".cpp", ".h"):
            for name, lines in (python_functions if path.suffix == ".py" else functions)(text(path)):
                seen += 1
                if lines > FUNCTION_LINES:
                    long.add(f"{path.relative_to(ROOT)}: {name}")
    assert seen > 8000
    assert long == set(LONG_FUNCTIONS)


def test_functions_are_measured():
    source = """
    namespace a {
    struct B : C { // struct D {
        B() : x{1}, y(2) {
            x = 1;
        }
        int x = 0;
    };
    [[gnu::noinline]] std::vector<int> B::get(
        int n) const {
        if (n) { return {}; }

        return {1};
    }
    const int list[] = {1,
                        2};
    }
    """
    assert list(functions(source)) == [("B", 3), ("B::get", 6)]


# Code that moves, merges or repeats instructions checks ir::is_movable. These files need less: they evaluate in place, search for unused
# instructions, or follow dependencies.
PURE = {"autodiff/activity.cpp": 2, "autodiff/crossing.cpp": 1, "autodiff/refuse.cpp": 1, "passes/dce.cpp": 1, "passes/fold.cpp": 1}


def test_passes_move_only_movable_instructions():
    passes = [path for path in SOURCES if path.parent.name in ("passes", "autodiff")]
    assert over_the_limit({path: text(path).count("Effect::pure") for path in passes}, 0) == PURE
    assert sum(text(path).count("is_movable(") for path in passes) > 8
