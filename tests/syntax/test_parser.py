"""The core's parser returns the same tree as CPython's, or leaves the text to it."""

import ast
import linecache
import sysconfig
from pathlib import Path

import pytest

import quadrants as qd
from quadrants import _native

from tests.syntax import corpus

ROOT = Path(__file__).resolve().parents[2]
OWN = ["examples", "tests/python", "tests/errors", "tests/coverage", "tests/fuzz", "quadrants_core/python", "benchmarks"]
LIBRARY = ["argparse.py", "ast.py", "dataclasses.py", "inspect.py", "typing.py", "json", "email", "asyncio"]
LIBRARY += ["locale.py", "statistics.py", "unittest", "threading.py", "logging", "pickle.py", "zipfile.py"]
ODD = (Path(__file__).parent / "functions.txt").read_text(encoding="utf-8").split("====\n")


def test_functions_of_this_repository():
    totals, differing, left = corpus.count(corpus.files_in(ROOT / folder for folder in OWN))
    print(dict(totals))
    assert not differing
    assert totals["same"] > 3000
    assert len(left) < totals["same"] / 200, left


def test_functions_of_the_standard_library():
    library = Path(sysconfig.get_path("stdlib"))
    totals, differing, left = corpus.count(corpus.files_in(library / name for name in LIBRARY))
    print(dict(totals))
    assert not differing
    assert totals["same"] > 2000
    assert len(left) < totals["same"] / 100, left


def test_a_difference_is_found(monkeypatch):
    text = "def f(x):\n    return x + 1\n"
    assert [outcome for outcome, *_ in corpus.compare(text)] == ["same"]
    parse = ast.parse
    monkeypatch.setattr(corpus.ast, "parse", lambda text: parse(text.replace("1", "2")))
    ((outcome, line, difference),) = corpus.compare(text)
    assert (outcome, line) == ("differs", 1) and difference.endswith("Constant.value: 2 or 1")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("text", ODD, ids=lambda text: text[text.index("def ") + 4 : text.index("(", text.index("def "))])
def test_odd_functions(text):
    core = _native.core()
    indented = text[0] in " \t"
    node = ast.parse("if 1:\n" + text).body[0].body[0] if indented else ast.parse(text).body[0]
    for tail in ("", "\n\nx = 1\n", "    # comment\n\ndef other():\n\treturn $\n"):
        lines = corpus.lines_of(text + tail)
        parsed = core.parse_function(lines, 0)
        assert parsed is not None
        assert core.convert_tree(node, 1 if indented else 0).difference(parsed[0]) == ""


LEFT = {
    "async": "async def f(): pass",
    "async inside": "def f():\n    async with a: pass",
    "await": "def f():\n    async def g(): await a",
    "match": "def f(a):\n    match a:\n        case 1: pass",
    "match of a tuple": "def f(a):\n    match (a, 1):\n        case 1: pass",
    "except*": "def f(a):\n    try: pass\n    except* A: pass",
    "named character": "def f(a):\n    return '\\N{EN DASH}'",
    "carriage returns": "def f(a):\r\n    return 1\r\n",
    "number and word": "def f(a):\n    return 1if a else 2",
    "deep": "def f(a):\n    return " + "-" * 300 + "a",
    "long chain": "def f(a):\n    return " + "+".join("a" * 700),
    "class": "class A:\n    def f(a): pass",
    "no function": "x = 1",
    "lambda": "f = lambda: 1",
}


@pytest.mark.parametrize("text", LEFT.values(), ids=LEFT)
def test_functions_left_to_python(text):
    assert _native.core().parse_function(corpus.lines_of(text), 0) is None


@pytest.mark.parametrize("start", [-1, 2, 10**9])
def test_a_missing_line(start):
    assert _native.core().parse_function(["def f():\n", "    pass\n"], start) is None


def test_lines_that_are_not_text():
    parse = _native.core().parse_function
    assert parse(["def f():\n", 3, "    pass\n"], 0) is None
    assert parse(["def f():\n", "    '\ud800'\n"], 0) is None
    assert parse([], 0) is None
    assert parse(("def f(): pass",), 0) is None


@pytest.mark.parametrize("line", ["x = 3", "'\\N{EN DASH}'"])
def test_kernels_run_with_either_parser(line):
    text = f"@qd.kernel\ndef k() -> qd.i32:\n    {line}\n    return 2\n"
    lines = corpus.lines_of(text)
    assert (_native.core().parse_function(lines, 0) is None) == ("DASH" in line)
    name = f"<text of {line}>"
    linecache.cache[name] = len(text), None, lines, name
    names = {"qd": qd, "__name__": "made"}
    exec(compile(text, name, "exec"), names)
    qd.init(arch="cpu", offline_cache=False)
    try:
        assert names["k"]() == 2
    finally:
        qd.reset()
