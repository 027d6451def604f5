"""Pages that nbconvert makes: counts are next to the code, and nbconvert reports no problems."""

import json
import pathlib
import re
import subprocess
import sys

import nbformat
import pytest
from nbconvert import HTMLExporter
from nbformat.v4 import new_code_cell, new_notebook
from quadrants_jupyter.looks import digest, level, short
from traitlets.config import Config

ROOT = pathlib.Path(__file__).parents[2]
CONFIG = json.loads((ROOT / "jupyter/etc/jupyter/jupyter_nbconvert_config.json").read_text())

CELL = """%%qd_kernel
import numpy as np

@qd.kernel
def halve(x: qd.types.ndarray(qd.f32, ndim=1)):
    for i in x:
        if x[i] > 0:
            x[i] /= 2
        else:
            x[i] = 7"""


def page(cells):
    notebook = new_notebook(cells=[new_code_cell(text, metadata=metadata) for text, metadata in cells])
    notebook.metadata["language_info"] = {"name": "python", "pygments_lexer": "ipython3"}
    return HTMLExporter(config=Config(CONFIG)).from_notebook_node(notebook)[0]


def marks(html):
    """Returns the mark and the line of each line with a mark."""
    lines = re.findall(r'class="qd-mark-count[^>]*>(.*?)</span>(.*)', html)
    plain = [(mark.strip(), re.sub("<[^>]*>", "", code).replace("&gt;", ">")) for mark, code in lines]
    return [one for one in plain if one[0]]


def kept(text, lines, **changed):
    return {"quadrants": {"coverage": {"version": 1, "label": "cell 1", "digest": digest(text), "lines": lines, **changed}}}


def test_data_that_a_cell_keeps():
    text = "\n\n" + CELL
    rows = [[8, 1200, 1200, None], [9, 1200, 1200, None, {"taken": 1200, "not_taken": 0}], [10, 340, 340, None], [12, 0, 0, None], [11, None, 0, None]]
    assert marks(page([(text, kept(text, rows))])) == [
        ("1.2k", "    for i in x:"), ("1.2k", "        if x[i] > 0: never false"), ("340", "            x[i] /= 2"),
        ("\u2013", "        else:"), ("never", "            x[i] = 7")]


def test_cells_share_a_scale():
    cells = [(text, kept(text, [[1, count, count, None]])) for text, count in (("a = 1", 10), ("b = 2", 1000))]
    html = page(cells)
    assert re.findall('class="(qd-mark-count[^"]*)"', html) == [
        f"qd-mark-count qd-mark-{level(10, 1000)}", "qd-mark-count qd-mark-60 qd-mark-busiest"]
    assert html.count("<style>\n.qd-mark-count") == 1 and "&lt;style" not in html
    assert f".qd-mark-{level(10, 1000)} {{ background-color: rgba(232,113,10,0.{level(10, 1000)}) }}" in html


@pytest.mark.parametrize("metadata", [
    {}, {"quadrants": 3}, {"quadrants": {"coverage": []}}, {"quadrants": {"shown": {"lines": [["<b>", "x", ["<i>"]]], "most": "many"}}},
    kept("other text", [[1, 5, 5, None]]), kept("a = 1", [[1, 5, 5, None]], version=2), kept("a = 1", "rows"),
    kept("a = 1", [["1", 5, 5, None], [1], 7, [1, "<b>", 5, None]]),
])  # fmt: skip
def test_data_of_an_unknown_form_or_of_another_text(metadata):
    html = page([("a = 1", metadata)])
    assert "qd-mark-count" not in html and ">1<" in html


def test_cells_of_kernels_are_highlighted():
    assert '<span class="k">for</span>' in page([(CELL, {})])


def test_numbers_are_as_short_as_in_the_gutter():
    assert [short(n) for n in (7, 999, 1000, 9949, 9950, 34_400, 999_499, 999_500, 5_600_000, 10**15, 10**18, 12 * 10**18)] == [
        "7", "999", "1k", "9.9k", "10k", "34k", "999k", "1M", "5.6M", "1P", "1E", "12E"]


@pytest.mark.parametrize("kernel", ["quadrants", "python3"])
def test_a_notebook_that_is_executed(kernel, tmp_path):
    cells = ["import quadrants as qd\nqd.init(arch=qd.cpu, offline_cache=False)\n%load_ext quadrants_jupyter", CELL,
             "halve(np.ones(1234, np.float32))", "%qd_coverage"]
    notebook = new_notebook(cells=[new_code_cell(text) for text in cells])
    notebook.metadata["kernelspec"] = {"name": kernel, "display_name": kernel, "language": "python"}
    path = tmp_path / "demo.ipynb"
    nbformat.write(notebook, path)
    command = [sys.executable, "-m", "nbconvert", "--to", "html", "--execute", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    assert "comm target" not in done.stderr, done.stderr
    assert "[Quadrants]" not in done.stdout
    assert ("1.2k", "            x[i] /= 2") in marks((tmp_path / "demo.html").read_text())


def test_servers_export_the_same():
    server = json.loads((ROOT / "jupyter/etc/jupyter/jupyter_server_config.d/quadrants_jupyter.json").read_text())
    assert server == CONFIG


def stored_values(**changed):
    value = {"kernel": "logistic", "name": "v", "type": "f64", "bytes": 8, "trips": 1000, "loop": 7, "choice": "keep"}
    return {**value, **changed}


def test_values_that_gradients_keep():
    keeps = [[9, 16000, [stored_values(), stored_values(name="w"), stored_values(choice="every 32-th")]]]
    html = page([(CELL, kept(CELL, [[7, 1200, 1200, None]], kept=keeps))])
    (said,) = re.findall(r'(.*)<span class="qd-mark-kept">(.*?)</span>', html)
    assert said[1] == "gradients keep 16kB: v in the loop of line 7, w in the loop of line 7" and "else" in said[0]
    assert html.count('class="qd-mark-kept"') == 1
    alone = page([(CELL, kept(CELL, [], kept=keeps))])
    assert alone.count('class="qd-mark-kept"') == 1, "no line of the cell was counted"
    listed = {"version": 1, "cells": [{"digest": digest(CELL), "lines": [], "kept": [{"number": 9, "bytes": 16000, "of": [stored_values()]}]}]}
    cell = new_code_cell(CELL)
    cell.outputs.append(nbformat.v4.new_output("display_data", {"application/vnd.quadrants.coverage+json": listed}))
    assert HTMLExporter(config=Config(CONFIG)).from_notebook_node(new_notebook(cells=[cell]))[0].count("gradients keep 16kB") == 1
    for damaged in ("text", [3], [[9, "1", []]], [[9, 1, [None]]], [[9, 1, 2]]):
        assert page([(CELL, kept(CELL, [[8, 1200, 1200, None]], kept=damaged))]).count("gradients keep") == (damaged == [[9, 1, [None]]])
