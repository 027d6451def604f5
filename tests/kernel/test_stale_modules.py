"""Kernels that were compiled with values of modules that have changed since: by an assignment in a cell, or by an edit of the file."""

import itertools
import os

import pytest

numbers = itertools.count(1)
HEAD = "import types\nimport quadrants as qd\n\n"
TAIL = "@qd.kernel\ndef own() -> qd.i32:\n    return {used}\n\n@qd.kernel\ndef other(x: qd.i32) -> qd.i32:\n    return x\n\ndef run():\n    return own()\n"

DATA = {  # definition, use, the changed definition, what is changed from a cell
    "number": ("C = 1", "C", "C = 2", "C"),
    "tuple": ("C = (1, 5)", "C[0]", "C = (2, 5)", "C"),
    "attribute": ("C = types.SimpleNamespace(n=1)", "C.n", "C = types.SimpleNamespace(n=2)", "C"),
    "attribute of an instance": ("class Held:\n    n = 5\nC = Held()\nC.n = 1", "C.n", "class Held:\n    n = 5\nC = Held()\nC.n = 2", "C.n"),
    "number that a function reads": ("C = 1\ndef reads():\n    return C", "reads()", "C = 2\ndef reads():\n    return C", "C"),
    "number that a func reads": ("C = 1\n@qd.func\ndef reads():\n    return C", "reads()", "C = 2\n@qd.func\ndef reads():\n    return C", "C"),
}
CODE = {
    "function": ("def f():\n    return 1", "f()", "def f():\n    return 2"),
    "func": ("@qd.func\ndef f():\n    return 1", "f()", "@qd.func\ndef f():\n    return 2"),
    "class": ("class f:\n    n = 1", "f.n", "class f:\n    n = 2"),
    "default": ("def f(n=1):\n    return n", "f()", "def f(n=2):\n    return n"),
}


@pytest.fixture(scope="module")
def session(kernel, tmp_path_factory):
    folder = tmp_path_factory.mktemp("modules")
    cell = kernel.run(f"import sys, types\nsys.path.insert(0, {str(folder)!r})\nimport warnings; warnings.simplefilter(\"ignore\")\nimport quadrants as qd\nqd.init(arch=qd.cpu, log_level=qd.ERROR)\n"
                      "%load_ext autoreload")
    assert cell.status == "ok", cell.error
    kernel.modules = folder
    yield kernel
    kernel.run("%autoreload 0")


class Module:
    """A module of the user; `m` in cells."""

    def __init__(self, session, text):
        self.session, self.name = session, f"stale_module_{next(numbers)}"
        self.file, self.edits = session.modules / f"{self.name}.py", 0
        self.file.write_text(text)
        cell = session.run(f"import {self.name} as m")
        assert cell.status == "ok", cell.error

    def edit(self, text):
        self.edits += 1
        self.file.write_text(text)
        os.utime(self.file, ns=(0, self.file.stat().st_mtime_ns + self.edits * 10**10))


def text_of(made, used):
    return HEAD + made + "\n\n" + TAIL.format(used=used)


def use_in_a_cell(session, used):
    names = {"C": "m.C", "reads": "m.reads", "f": "m.f"}
    word = next(name for name in ("reads", "C", "f") if name in used)
    cell = session.run(f"@qd.kernel\ndef here() -> qd.i32:\n    return {used.replace(word, names[word])}\nhere()")
    assert (cell.result, cell.text("stderr")) == ("1", "")
    return f"Cell In[{cell.reply['content']['execution_count']}]"


@pytest.mark.parametrize("case", DATA)
def test_values_that_a_cell_changes_are_told_once(session, case):
    made, used, _, target = DATA[case]
    session.run("%autoreload 0")
    Module(session, text_of(made, used))
    assert session.run("m.own(), m.own()").result == "(1, 1)"
    where = use_in_a_cell(session, used)
    value = {"tuple": "(2, 5)", "attribute": "types.SimpleNamespace(n=2)"}.get(case, "2")
    assert session.run(f"m.{target} = {value}").text("stderr") == ""
    for call in ("m.own()", "m.run()"):
        cell = session.run(call)
        shown = cell.text("stderr")
        if call == "m.own()":
            assert shown.startswith("own was compiled with ") and shown.endswith(". Pass C as an argument.\n")
            assert shown.startswith("own was compiled with C = 1; it is 2 now.") or "number" not in case
        assert cell.result == "1" and (call == "m.own()" or shown == ""), "told once"
    shown = session.run("here()").text("stderr")
    assert shown.startswith("here was compiled with ") and f". Run {where} again, or pass " in shown
    assert "number" not in case or ".C = 1; it is 2 now. Run" in shown
    assert session.run("here()").text("stderr") == ""
    assert session.run("m.other(4)").text("stderr") == ""


def test_kernels_called_by_functions_of_a_module_are_told(session):
    session.run("%autoreload 0")
    Module(session, text_of("C = 1", "C"))
    assert session.run("m.run()").result == "1"
    session.run("m.C = 2")
    assert "own was compiled with C = 1; it is 2 now" in session.run("m.run()").text("stderr")


def test_names_imported_from_a_module_are_told(session):
    session.run("%autoreload 0")
    module = Module(session, text_of("C = 1", "C"))
    session.run(f"from {module.name} import own")
    assert session.run("own()").result == "1"
    session.run("m.C = 2")
    assert "own was compiled with C = 1; it is 2 now. Pass C as an argument." in session.run("own()").text("stderr")


def test_what_stays_the_same_is_not_told(session):
    session.run("%autoreload 0")
    Module(session, text_of("C = 1\nD = 1", "C"))
    session.run("m.own()")
    use_in_a_cell(session, "C")
    session.run("m.C = 1\nm.D = 5\nqd.unrelated = 3")
    assert session.run("m.own(), here()").text("stderr") == ""


@pytest.mark.parametrize("case", [*DATA, *CODE])
def test_an_edited_file_is_compiled_again(session, case):
    made, used, again = (DATA.get(case) or CODE[case])[:3]
    session.run("%autoreload 2")
    module = Module(session, text_of(made, used))
    assert session.run("m.own(), m.other(4)").result == "(1, 4)"
    use_in_a_cell(session, used)
    module.edit(text_of(again, used))
    cell = session.run("m.own(), m.run(), here(), m.other(4)")
    assert (cell.result, cell.text("stderr")) == ("(2, 2, 2, 4)", "")
    assert session.run("m.own._specialisations(), m.other._specialisations()").result == "(1, 1)"
    session.run("%autoreload 0")
    module.edit(text_of(made, used))
    assert session.run("%autoreload now\nm.own(), m.run(), here()").result == "(1, 1, 1)"


def test_code_that_a_cell_replaces(session):
    session.run("%autoreload 0")
    Module(session, text_of("def f():\n    return 1", "f()"))
    session.run("m.own()")
    use_in_a_cell(session, "f()")
    session.run("def replaced():\n    return 2\nm.f = replaced")
    cell = session.run("m.own(), here()")
    assert (cell.result, cell.text("stderr")) == ("(2, 2)", "")
