"""The nbval plugin: updated and cleared outputs compare with what a notebook stores; a wrong reference still fails."""

import os
import pathlib
import subprocess
import sys

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

ROOT = pathlib.Path(__file__).parents[2]


def compare(tmp_path, code, outputs, plugin=True):
    cell = new_code_cell(code, execution_count=1, outputs=outputs)
    notebook = new_notebook(cells=[cell])
    notebook.metadata["kernelspec"] = {"name": "quadrants", "display_name": "Quadrants", "language": "python"}
    path = tmp_path / "case.ipynb"
    nbformat.write(notebook, path)
    ini = ["-c", str(ROOT / "tests/notebooks/pytest.ini")] if plugin else ["-c", os.devnull]
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "--nbval", "--nbval-cell-timeout", "60", *ini, str(path)],
                          cwd=ROOT, capture_output=True, text=True, timeout=120)
    return done.returncode == 0


def shown(text):
    return new_output("display_data", {"text/plain": text})


def printed(text):
    return new_output("stream", name="stdout", text=text)


UPDATE = "h = display('a', display_id=True); display('between'); h.update('b');"
CASES = [
    (UPDATE, [shown("'b'"), shown("'between'")], True),
    (UPDATE, [shown("'a'"), shown("'between'")], False),
    ("from IPython.display import clear_output\nprint('gone'); clear_output(); print('stays')", [printed("stays\n")], True),
    ("from IPython.display import clear_output\nfor i in range(3): print(i); clear_output(wait=True)\nprint('end')",
     [printed("end\n")], True),
    ("from IPython.display import clear_output\nprint('kept'); clear_output(wait=True)", [printed("kept\n")], True),
    ("print('x')", [printed("y\n")], False),
    ("from IPython.display import HTML, display\ndisplay(HTML('<i>2 tasks<span class=\"qd-time\"> (3 ms)</span></i>'))",
     [new_output("display_data", {"text/plain": "<IPython.core.display.HTML object>",
                                  "text/html": '<i>2 tasks<span class="qd-time"> (17 ms)</span></i>'})], True),
    ("from IPython.display import HTML, display\ndisplay(HTML('<i>2 tasks<span class=\"qd-time\"> (3 ms)</span></i>'))",
     [new_output("display_data", {"text/plain": "<IPython.core.display.HTML object>",
                                  "text/html": '<i>3 tasks<span class="qd-time"> (17 ms)</span></i>'})], False),
]


@pytest.mark.parametrize("code, outputs, passes", CASES)
def test_with_the_plugin(tmp_path, code, outputs, passes):
    assert compare(tmp_path, code, outputs) is passes


def test_without_the_plugin_an_update_cannot_pass(tmp_path):
    assert compare(tmp_path, UPDATE, CASES[0][1], plugin=False) is False
