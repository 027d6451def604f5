"""Inside a kernel that nbval runs with --qd-cov: records which lines of the cells ran. Kernels are counted by the engine; lines outside
kernels by a trace function that traces only code of cells, unless another program traces. The text of every cell is stored under the name
of notebook and cell, and one data file of coverage.py contains both."""

import ast
import json
import linecache
import os
import re
import sys

CALL = '__import__("quadrants_jupyter.cell_coverage").cell_coverage'  # prefix of the code that the nbval side runs here
_folder = _notebook = None
_number = 0
_cells = {}  # file name of a cell's code -> number of the first cell with that code
_tracer = None


class _Tracer:
    """Records arcs between lines of the files in `arcs`, in the numbering of coverage.py. IPython runs a cell in pieces: their arcs are
    those of one module."""

    def __init__(self):
        self.arcs = {}  # file -> arcs
        self.ended = None  # (file, last line) of the piece that ended last

    def __call__(self, frame, event, arg):
        file = frame.f_code.co_filename
        if event != "call" or file not in self.arcs:
            return None
        arcs, code = self.arcs[file], frame.f_code
        of_module = code.co_name.startswith(("<module>", "<cell line"))
        start = last = -1 if of_module else -code.co_firstlineno
        if of_module and self.ended is not None and self.ended[0] == file:
            last, self.ended = self.ended[1], None
        elif code.co_flags & 0x2A0 and frame.f_lineno != code.co_firstlineno:  # a generator resumes
            last = frame.f_lineno

        def local(frame, event, arg):
            nonlocal last
            if event == "line":
                arcs.add((last, frame.f_lineno))
                last = frame.f_lineno
            elif event == "return" and code.co_code[frame.f_lasti] == _return:
                if of_module:
                    self.ended = file, last
                else:
                    arcs.add((last, start))
            return local

        return local

    def end_of_cell(self):
        if self.ended is not None:
            file, last = self.ended
            self.arcs[file].add((last, -1))
            self.ended = None


_return = __import__("dis").opmap["RETURN_VALUE"]


def start(folder, notebook, trace):
    """Starts recording cells. `notebook`: its path in reports."""
    global _folder, _notebook, _tracer
    from IPython import get_ipython

    _folder, _notebook = folder, notebook
    compiler = get_ipython().compile
    cache = compiler.cache

    def noted(text, *args, **kwargs):
        name = cache(text, *args, **kwargs)
        if text.startswith(CALL):
            return name
        _cells.setdefault(name, _number)
        if _tracer is not None:
            _tracer.arcs.setdefault(name, set())
        return name

    compiler.cache = noted
    if trace and sys.gettrace() is None:
        _tracer = _Tracer()
        sys.settrace(_tracer)


def begin(number):
    """Announces that the next code is that of this cell."""
    global _number
    _number = number
    if _tracer is not None:
        _tracer.end_of_cell()


def _name(number):
    return re.sub(r"\.ipynb$", "", _notebook) + f"_cell_{number}"


def _texts():
    """Returns {number: file name of the code that represents the cell}: the code that a magic ran, if its text is known, otherwise the
    cell."""
    return {number: file for file, number in _cells.items() if number}


def finish(path):
    """Writes the data of this process, and a report with their location to `path`."""
    global _tracer
    sys.settrace(None)
    if _tracer is not None:
        _tracer.end_of_cell()
    from quadrants._coverage import files

    files.enable(_folder)
    texts = _texts()
    for number, file in texts.items():
        files.names_of_sources[files.place_of(file)] = _name(number)
        if _tracer is not None:
            files.host_arcs.setdefault(files.place_of(file), set()).update(_tracer.arcs.get(file, ()))
    _add_copies(files)
    data = files.write_now()
    cells = []
    for number, file in sorted(texts.items()):
        text = "".join(linecache.getlines(file))
        inside, left_out = None if _tracer is not None else _lines_of_kernels(text), _uncounted(files, file)
        if left_out:
            inside = (set(range(1, len(text.splitlines()) + 1)) if inside is None else inside) - left_out
        only = None if inside is None else sorted(inside)
        cells.append({"number": number, "file": files.name_of(files.place_of(file)), "only": only})
    known = {cell["file"] for cell in cells}
    modules = [{"file": name, "only": _lines_in(place)} for place, name in files.files_of_kernels() if name not in known]
    report = {"notebook": _notebook, "data": data, "cells": cells, "modules": modules}
    with open(path, "w", encoding="utf-8") as out:
        json.dump(report, out)


def _add_copies(files):
    """Adds the arcs of kernels that were kept because an older cell has the same kernel: lines that ran there count as run here."""
    cells = sys.modules.get("quadrants_jupyter.cells")
    for file, older, first, last in cells.registry.copies if cells is not None else ():
        arcs = [arc for arc in files.arcs_of_kernels(files.place_of(older)) if all(first <= abs(n) <= last for n in arc)]
        files.host_arcs.setdefault(files.place_of(file), set()).update(arcs)


def _uncounted(files, file):
    """Returns the lines of kernels without coverage, and of funcs in the same cells that no counted kernel ran."""
    cells = sys.modules.get("quadrants_jupyter.cells")
    counted = {line for arc in files.arcs_of_kernels(files.place_of(file)) for line in arc}
    found = set()
    for of, first, last in cells.registry.uncounted if cells is not None else ():
        if of == file and counted.isdisjoint(range(first, last + 1)):
            found.update(range(first + 1, last + 1))
    return found


def _lines_in(path):
    return sorted(_lines_of_kernels("".join(linecache.getlines(path))))


def _lines_of_kernels(text):
    """Returns the lines of the bodies of kernels and funcs, recognised by their decorators."""
    found = set()
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return found
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and is_kernel(node):
            found.update(range(node.body[0].lineno, node.end_lineno + 1))
    return found


def is_kernel(node):
    """Returns True if the decorators of a definition make it a kernel or func."""
    names = {ast.unparse(decorator).split("(")[0].split(".")[-1] for decorator in node.decorator_list}
    return bool(names & {"kernel", "func", "real_func", "pyfunc", "pure"})
