"""Writes docs/kernel-coverage.md from what `make coverage` measured: which lines of this project's kernels and funcs ran.

python docs/kernel_coverage.py FOLDER > docs/kernel-coverage.md      # FOLDER holds the _qd_kcov.* files
"""

import ast
import pathlib
import re
import sys

from quadrants._coverage_report import gather, ranges
from quadrants_jupyter.cell_coverage import is_kernel

ROOT = pathlib.Path(__file__).resolve().parents[1]
PARTS = {"examples": "examples", "tests/python": "tests/python", "notebooks": "notebooks"}

# What never ran, and why that is right: file -> name of the kernel or func -> reason.
REASONS = {}

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
        reasons = [(name, f) for name, functions in rows[part] for f in functions if f.missing and (f.ran or not f.refused)]
        explained = [(name, f, REASONS.get(name, {}).get(f.name)) for name, f in reasons]
        if explained:
            out += ["", "What never ran:", ""]
        for name, f, reason in explained:
            what = f"`{f.name}`, lines {ranges(f.missing)}" if f.ran else f"`{f.name}` as a whole"
            out.append(f"- `{name}`: {what}{': ' + reason if reason else ''}")
    return "\n".join(out) + "\n"


if __name__ == "__main__":
    sys.stdout.write(page(gather(sys.argv[1:])))
