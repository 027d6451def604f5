"""The reference (docs/reference): every public name has a complete entry, and its examples are right."""

import ast
import doctest
import importlib
import importlib.util
import inspect
import re
import sys
from pathlib import Path

import pytest
import quadrants as qd

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "reference"
sys.path.insert(0, str(ROOT / "docs"))
import api  # noqa: E402
import reference_errors  # noqa: E402

MODULES = ["quadrants", *api.PARTS.values()]
CONTEXT = {"self", "cls"}


def entries(module):
    """Yields (name, definitions) of the functions and classes that a module's stub defines."""
    for name, (nodes, _) in api.public(module).items():
        if isinstance(nodes[0], (ast.FunctionDef, ast.ClassDef)):
            yield name, nodes


def methods(node):
    found = {}
    for n in node.body:
        if isinstance(n, ast.FunctionDef) and not n.name.startswith("_") and not any(ast.unparse(d) == "property" for d in n.decorator_list):
            found.setdefault(n.name, []).append(n)
    return found


def is_enum(node):
    return isinstance(node, ast.ClassDef) and any("num" in ast.unparse(base) for base in node.bases)


def lacks(text, names):
    """Returns those names that the text does not mention."""
    said = text.replace("`", "")
    return [n for n in names if not re.search(rf"(^|[\s,])\*{{0,2}}{re.escape(n.lstrip('*'))}(,[^\n]*)?: ", said, re.M)]


def problems(module):
    for name, nodes in entries(module):
        full = api.shown_name(module, name)
        text = api.doc(nodes)
        if is_enum(nodes[0]):
            if not text and not api.NOTES.get(name):
                yield f"{full}: no text"
            continue
        if not text:
            yield f"{full}: no docstring"
            continue
        if "Example:" not in text:
            yield f"{full}: no example"
        if isinstance(nodes[0], ast.FunctionDef):
            wanted = {p for node in nodes for p in api.parameters(node)}
            if full != "qd.init":  # in addition to its parameters it has the options, which the stub's text lists
                wanted = {p for p in wanted if not (p == "_layout" or p == "**keywords" and "keywords" not in text)}
                missing = lacks(text, wanted)
                if missing:
                    yield f"{full}: {', '.join(sorted(missing))}: not said"
            continue
        if issubclass(getattr(importlib.import_module(module), name), BaseException):
            continue
        attributes = [n.target.id for n in nodes[0].body if isinstance(n, ast.AnnAssign) and not n.target.id.startswith("_")]
        base = next((b for b in map(ast.unparse, nodes[0].bases) if b in dict(api.public("quadrants"))), None)
        inherited = api.doc(api.declared("quadrants")[base][0]) if base else ""
        known = set(re.findall(r"[\w]+", " ".join(re.findall(r"^    ([\w, ]+): ", text + "\n" + inherited, re.M))))
        missing = [a for a in attributes if a not in known]
        if missing:
            yield f"{full}: attributes {', '.join(missing)}: not said"
        for method, overloads in methods(nodes[0]).items():
            said = api.doc(overloads)
            if not said:
                yield f"{full}.{method}: no docstring"
                continue
            wanted = {p for node in overloads for p in api.parameters(node, True) if p != "**keywords" or "keywords" in said}
            missing = lacks(said, wanted)
            if missing:
                yield f"{full}.{method}: {', '.join(sorted(missing))}: not said"


# The known gaps of the reference; the list may only shrink.
KNOWN = set((Path(__file__).with_name("reference_gaps.txt")).read_text().splitlines())


def test_docstrings_are_complete():
    found = {problem for module in MODULES for problem in problems(module)}
    assert sorted(found - KNOWN) == []
    assert sorted(KNOWN - found) == [], "these are said now: take them from reference_gaps.txt"


def test_a_gap_is_detected():
    node = ast.parse('def f(alpha, beta):\n    """Text.\n\n    Args:\n        alpha: a.\n    """').body[0]
    assert lacks(ast.get_docstring(node), api.parameters(node)) == ["beta"]


def test_every_public_name_has_an_entry():
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES.glob("*.md"))
    headings = set(re.findall(r"^## `?([\w.]+)", text, re.M))
    missing = []
    for module in MODULES:
        live = importlib.import_module(module)
        names = getattr(live, "__all__", None) or [n for n in dir(live) if n.isidentifier() and not n.startswith("_")]
        for name in names:
            if not inspect.ismodule(getattr(live, name)) and api.shown_name(module, name) not in headings:
                missing.append(api.shown_name(module, name))
    assert missing == []


def test_every_name_of_the_index_exists():
    names = re.findall(r"^- \[`qd\.([\w.]+)`\]", (PAGES / "README.md").read_text(encoding="utf-8"), re.M)
    assert len(names) > 500
    missing = []
    for name in names:
        at = qd
        for part in name.split("."):
            at = getattr(at, part, missing)
        missing += [name] * (at is missing)
    assert missing == []


def test_pages_are_what_the_generator_makes():
    made = api.pages()
    assert {p.name for p in PAGES.glob("*.md")} == {*made, "options.md"}
    assert [name for name, text in made.items() if (PAGES / name).read_text(encoding="utf-8") != text] == [], "run `make reference`"


def examples():
    seen = set()
    for module in MODULES:
        for name, nodes in entries(module):
            parts = [(name, nodes)]
            if isinstance(nodes[0], ast.ClassDef):
                parts += [(f"{name}.{method}", overloads) for method, overloads in methods(nodes[0]).items()]
            for full, definitions in parts:
                text = api.doc(definitions)
                if ">>>" in text and text not in seen:
                    seen.add(text)
                    yield pytest.param(text, id=api.shown_name(module, full))


@pytest.fixture(autouse=True)
def leave_nothing():
    yield
    qd.reset()


@pytest.mark.parametrize("text", list(examples()))
def test_example(text, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("QD_LOG_LEVEL", "error")
    qd.init(arch=qd.cpu)
    test = doctest.DocTestParser().get_doctest(text, {"qd": qd, "__name__": "__main__"}, "example", None, 0)
    assert test.examples
    said = []
    flags = doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL | doctest.ELLIPSIS
    runner = doctest.DocTestRunner(optionflags=flags, verbose=False)
    # print() of the module writes to the current sys.stdout, which the runner replaces during the example
    runner.run(test, out=said.append)
    assert runner.failures == 0, "".join(said)


def test_every_error_has_a_topic_and_a_remedy():
    known = reference_errors.remedies()
    rows = list(reference_errors.cases())
    assert len(rows) > 300
    assert [case[0] for case in rows if reference_errors.topic_of(case[0]) is None] == []
    assert [case[0] for case in rows if not case[3] and case[0] not in known] == []
    assert sorted(set(known) - {case[0] for case in rows}) == []


def test_entries_of_errors_are_found_by_message_and_by_address():
    pages = {page.name: page.read_text(encoding="utf-8") for page in PAGES.glob("errors-*.md")}
    assert len(pages) == len(reference_errors.TOPICS) and max(text.count("\n") for text in pages.values()) < 1500
    contents = (PAGES / "errors.md").read_text(encoding="utf-8")
    for name, kind, said, *_ in reference_errors.cases():
        (page,) = [name_of_page for name_of_page, text in pages.items() if f"\n(error-{name.replace('_', '-')})=\n" in text]
        assert f"\n## {reference_errors.heading(said)}\n\n`{kind}`" in pages[page], name
        assert f"[{reference_errors.heading(said)}](errors-" in contents, name


def test_messages_are_listed_by_their_origin():
    parts = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", (PAGES / "errors.md").read_text(encoding="utf-8"), re.M | re.S))
    assert "Cannot break in the outermost loop" in parts["While a kernel is compiled"]
    assert "decorate it once" in parts["In Python code"] and "integer division by zero" in parts["While a kernel runs"]
    assert "Atomic add may lose precision" in parts["Warnings"]
    assert {"Options", "Errors of Quadrants", "Errors of the device"} < parts.keys()


def test_a_message_has_no_lines_of_the_program():
    text = 'QuadrantsSyntaxError: \nFile "p.py", line 7, in wrong:\ndef wrong(a: 3):\n             ^\nInvalid type: 3\nHint: write i32'
    assert reference_errors.message(text) == ("QuadrantsSyntaxError", "Invalid type: 3", "write i32")
    assert reference_errors.heading("a * b[0] with `x_1`") == r"a \* b\[0\] with `x_1`"


def anchors(page):
    text = page.read_text(encoding="utf-8")
    return {api.anchor(h) for h in re.findall(r"^#+ (.*)$", text, re.M)} | set(re.findall(r"^\((.*)\)=$", text, re.M))


def test_links_lead_somewhere():
    wrong = []
    for page in PAGES.glob("*.md"):
        for target, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)]*))?\)", page.read_text(encoding="utf-8")):
            to = page.parent / target if target else page
            if "://" not in target and not to.exists():
                wrong.append(f"{page.name}: {target}")
            elif anchor and anchor not in anchors(to):
                wrong.append(f"{page.name}: {target}#{anchor}")
    assert wrong == []
