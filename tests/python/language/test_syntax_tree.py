"""The core's copy of a syntax tree equals Python's own tree."""

import ast
from pathlib import Path

import pytest

import quadrants as qd
from quadrants import _native

LEFT_OUT = {"ctx", "kind", "simple", "type_comment"}  # they do not affect the meaning of a program
WITHOUT_FIELDS = (ast.Match, ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal)
FILES = sorted(Path(qd.__file__).parent.glob("*.py"))


def shown(value):
    if isinstance(value, list):
        return "[" + ", ".join("None" if item is None else shown(item) for item in value) + "]"
    if not isinstance(value, ast.AST):
        return repr(value)
    fields = [] if isinstance(value, WITHOUT_FIELDS) else [f for f in value._fields if f not in LEFT_OUT]
    given = [(f, getattr(value, f)) for f in fields]
    is_constant = isinstance(value, ast.Constant)
    inside = ", ".join(f"{f}={shown(v)}" for f, v in given if v is not None or is_constant)
    place = ""
    if hasattr(value, "lineno"):
        place = f"@{value.lineno}:{value.col_offset}-{value.end_lineno}:{value.end_col_offset}"
    return f"{type(value).__name__}({inside}){place}"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_copy_is_whole(file):
    core = _native.core()
    statements = ast.parse(file.read_text(encoding="utf-8")).body
    for statement in statements:
        assert core.convert_tree(statement, 0).dump() == shown(statement)


def test_objects_that_are_not_nodes_are_refused():
    with pytest.raises(TypeError, match="no node"):
        _native.core().convert_tree(3, 0)


def test_the_tree_of_a_method_has_its_position():
    class Holder:
        @qd.func
        def method(self, a):
            """Doc."""
            return a

    tree, _, first_line, name, text, _ = Holder.method._qd_source_.tree()
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    assert text.rstrip() == '        @qd.func\n        def method(self, a):\n            """Doc."""\n            return a'
    assert lines[first_line - 1] == "        @qd.func"
    assert (tree.kind, tree.name, tree.line, tree.end_line) == ("FunctionDef", "method", 2, 4)
    assert name.endswith("Holder.method")
