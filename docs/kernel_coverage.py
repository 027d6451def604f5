"""Writes docs/kernel-coverage.md from what `make coverage` measured: which lines of this project's kernels and funcs ran.

python docs/kernel_coverage.py FOLDER > docs/kernel-coverage.md      # FOLDER holds the _qd_kcov.* files
"""

import ast
import pathlib
import re
import sys

import warnings

from quadrants._coverage.report import gather, ranges
from quadrants_jupyter.cell_coverage import is_kernel

ROOT = pathlib.Path(__file__).resolve().parents[1]
PARTS = {"examples": "examples", "tests/python": "tests/python", "notebooks": "notebooks"}

# Reasons why lines never ran or branches were never taken: file -> name of the kernel or func -> reason.
_SHARE = "no cell of the map ever wants to give more water than it holds; the notebook says so"
_STATIC = "removed by qd.static, which is what the test is about"
_REFUSED = "refused by the compiler, in a loop over such kernels or from a kernel that inlines it"
_PYTHON = "runs as Python, on the architecture `python`; the engine has no part in it"
_SIDE = "on the side of an expression that no value leads to"
_WRONG = "counts what is wrong: right code never gets there"
_MEASURED = "its time is measured, so it is not counted"
_T = "tests/python/"
REASONS = {
    _T + "coverage/test_line_and_branch_counts.py": {"work": "left out on purpose: the test is that it is reported"},
    _T + "language/test_funcs.py": {"f": "a branch that is not taken at compile time, which is what the test is about"},
    _T + "language/test_static.py": {"k": _STATIC},
    _T + "arguments/test_arguments.py": {"run": "refused: its class is not data-oriented"},
    _T + "arguments/test_data_oriented.py": {
        "f": "refused: its class is not data-oriented",
        "unrolled": _REFUSED,
        "chosen": _REFUSED,
    },
    _T + "arguments/test_dataclasses.py": {"k": _REFUSED, "more": _REFUSED},
    _T + "api/test_errors.py": {
        "inner": _REFUSED,
        "outer": "refused, at another level than where its name stands",
        "k": "never called: its attributes are asked for",
    },
    _T + "runtime/test_interrupt.py": {name: "its compilation is stopped; it is never to run" for name in ("unrolled", "giant")},
    _T + "options/test_options.py": {"a": _REFUSED, "b": _REFUSED},
    _T + "python_backend/test_python_backend.py": {name: _PYTHON for name in (
        "f", "unrolled", "product", "comprehension", "repeated", "identity", "zero", "any_array", "scalars", "vectors", "view",
        "first", "passes", "number", "constant", "vector", "normal", "method", "changes", "rank", "nested", "two")} | {"shifted": _REFUSED, "power": _REFUSED},
    _T + "python_backend/test_python_backend_builtins.py": {"k": _PYTHON},
    _T + "python_backend/test_python_backend_debug.py": {"k": _PYTHON, "changed": _SIDE, "first": _SIDE},
    _T + "language/test_real_funcs.py": {"collatz": "a limit that ends what would not end"},
    _T + "language/test_recursion.py": {name: _REFUSED for name in ("bump", "down", "over_cells", "shift")},
    _T + "storage/test_sparse_matrix.py": {name: "refused on the architecture `python`" for name in ("read", "product")},
    _T + "language/test_statements.py": {"k": _STATIC},
    _T + "runtime/test_streams.py": {"k": _PYTHON},
    _T + "storage/test_trees_dense.py": {"wrong": _WRONG, "nothing": "its fields are refused before it runs"},
    _T + "storage/test_trees_dynamic.py": {"wrong": _WRONG},
    _T + "storage/test_trees_life.py": {"of_scalars": _REFUSED, "of_vectors": _REFUSED},
    "examples/mpm88.py": {"step": "the ceiling of the box: nothing that falls gets there; the floor and both walls are reached"},
    "examples/path_tracer.py": {"trace": "the limit of 200 bounces: chance ends every path long before"},
    "notebooks/debugging.ipynb cell 9": {"classify": "the mistake that the notebook finds: a condition that cannot be true"},
    **{f"notebooks/performance.ipynb cell {n}": dict.fromkeys(names.split(), _MEASURED) for n, names in (
        (4, "mandelbrot"), (6, "spread"), (9, "smooth"), (12, "heron newton"), (14, "polynomial single double"), (16, "summed scattered"),
        (18, "along across"))},
    "notebooks/tour.ipynb cell 3": {"step": _SHARE},
    "notebooks/tour.ipynb cell 8": {"step": _SHARE},
}

HEAD = """# Coverage of this project's kernels

`make coverage` measures which lines of kernels and funcs ran in the examples (at their small size), in `tests/python` and in the
notebooks, and writes this page. Host lines are left out. A kernel that a test hands over to be refused, and says so with
`pytest.raises`, is not expected to run, and is counted apart.
"""


def shown_name(name):
    """A file as the page calls it; None for what tests write into folders of their own or hand to exec."""
    cell = re.search(r"_qd_kcov_sources/(notebooks/.*)_cell_(\d+)_[0-9a-f]{8}\.py$", name)
    if cell:
        return f"{cell[1]}.ipynb cell {cell[2]}"
    path = pathlib.Path(name) if pathlib.Path(name).is_absolute() else pathlib.Path.cwd() / name
    if not path.is_relative_to(ROOT):
        return None
    found = str(path.relative_to(ROOT))
    return found if found.startswith(tuple(f"{part}/" for part in PARTS)) else None


class Function:
    def __init__(self, node, file, refused):
        lines = set(range(node.body[0].lineno, node.end_lineno + 1))
        self.name, self.line, self.refused = node.name, node.lineno, refused
        self.statements = file.statements & lines
        self.missing = file.missing & lines
        self.partial = {line: file.marks(line) for line in file.partial if line in lines and line not in file.missing}

    @property
    def ran(self):
        return self.statements != self.missing


def _refused_names(tree):
    """Functions that are called where an error is expected: (function around them, name)."""
    found = set()
    for outer in ast.walk(tree):
        if not isinstance(outer, ast.FunctionDef):
            continue
        for block in ast.walk(outer):
            if isinstance(block, ast.With) and any("raises" in ast.unparse(item.context_expr) for item in block.items):
                for node in ast.walk(block):
                    if isinstance(node, ast.Name):
                        found.add((outer, node.id))
                    elif isinstance(node, ast.FunctionDef):
                        found.add((outer, node.name))
    return found


def functions_of(file):
    tree = ast.parse("\n".join(file.text))
    refused = _refused_names(tree)
    around = {}
    for outer in ast.walk(tree):
        for node in ast.walk(outer):
            if node is not outer:
                around.setdefault(node, []).append(outer)
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and is_kernel(node):
            is_refused = any((outer, node.name) in refused for outer in around[node])
            found.append(Function(node, file, is_refused))
    return sorted(found, key=lambda f: f.line)


def percent(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else "-"


def page(files):
    rows = {part: [] for part in PARTS}
    for file in files:
        name = shown_name(file.name)
        if name is None or not file.text:
            continue
        part = next(p for p in PARTS if name.startswith(p))
        functions = [f for f in functions_of(file) if f.statements]
        if functions:
            rows[part].append((name, functions))
    out = [HEAD, "| part | kernels and funcs | refused on purpose | lines | ran | |", "| :- | -: | -: | -: | -: | -: |"]
    for part in PARTS:
        expected = [f for _, functions in rows[part] for f in functions if f.ran or not f.refused]
        apart = sum(not f.ran and f.refused for _, functions in rows[part] for f in functions)
        lines, missing = (sum(len(getattr(f, what)) for f in expected) for what in ("statements", "missing"))
        out.append(f"| {part} | {len(expected)} | {apart} | {lines} | {lines - missing} | {percent(lines - missing, lines)} |")
    for part in PARTS:
        out += ["", f"## {part}", "", "| file | kernels and funcs | lines | ran | never ran | branches never taken |",
                "| :- | -: | -: | -: | :- | :- |"]
        for name, functions in sorted(rows[part], key=lambda row: [int(t) if t.isdigit() else t for t in re.split(r"(\d+)", row[0])]):
            expected = [f for f in functions if f.ran or not f.refused]
            lines = set().union(*(f.statements for f in expected)) if expected else set()
            missing = set().union(*(f.missing for f in expected)) if expected else set()
            partial = {line: text for f in expected for line, text in f.partial.items()}
            marks = "; ".join(f"{line} {text}" for line, text in sorted(partial.items()))
            out.append(f"| `{name}` | {len(expected)} | {len(lines)} | {percent(len(lines - missing), len(lines))} | {ranges(missing)} | {marks} |")
        why = [(name, f, REASONS.get(name, {}).get(f.name)) for name, functions in rows[part] for f in functions]
        unexpected = [f for _, f, _ in why if f.missing and (f.ran or not f.refused)]
        of_branches = [f for _, f, reason in why if reason and f.partial and part != "tests/python"]
        why = [row for row in why if row[1] in unexpected or row[1] in of_branches]
        if why:
            out += ["", "Why:", ""]
        for name, f, reason in why:
            lines = ranges(f.missing or f.partial)
            what = f"`{f.name}`, line{'s' * (not lines.isdigit())} {lines}" if f.ran else f"`{f.name}` as a whole"
            out.append(f"- `{name}`: {what}{': ' + reason if reason else ''}")
    return "\n".join(out) + "\n"


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # programs in folders of tests are gone by now
    sys.stdout.write(page(gather(sys.argv[1:])))
