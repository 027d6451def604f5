"""Compares the core's parser with CPython's, function by function, with all positions.

    python -m tests.syntax.corpus FOLDER_OR_FILE...     the functions of every .py file there
"""

import ast
import io
import sys
import warnings
from collections import Counter
from pathlib import Path

from quadrants import _native


def functions_of(tree):
    """Returns every `def` of a module, at any depth."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            yield node


def first_line(function):
    return min([function.lineno, *(d.lineno for d in function.decorator_list)])


def lines_of(text):
    """Returns the lines as in a file: only newlines end a line."""
    return io.StringIO(text, newline="\n").readlines()


def compare(text):
    """Yields (outcome, first line, difference) of each function; the outcome is `same`, `differs` or `left` (to CPython)."""
    core = _native.core()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = ast.parse(text)
    lines = lines_of(text)
    for function in functions_of(module):
        start = first_line(function) - 1
        parsed = core.parse_function(lines, start)
        if parsed is None:
            yield "left", start + 1, ""
            continue
        tree, used = parsed
        difference = core.convert_tree(function, start).difference(tree)
        if not difference and used.count("\n") < function.end_lineno - start:
            difference = "the text ends too early"
        yield "differs" if difference else "same", start + 1, difference


def count(files):
    """Returns (Counter of outcomes and lines, places of the differences, places of functions left to CPython)."""
    totals, differing, left = Counter(), [], []
    for file in files:
        try:
            text = Path(file).read_text(encoding="utf-8")
            for outcome, line, difference in compare(text):
                totals[outcome] += 1
                if outcome == "differs":
                    differing.append(f"{file}:{line}: {difference}")
                elif outcome == "left":
                    left.append(f"{file}:{line}")
        except (SyntaxError, UnicodeDecodeError):
            totals["files that are no Python 3.11"] += 1
    return totals, differing, left


def files_in(paths):
    for path in map(Path, paths):
        yield from sorted(path.rglob("*.py")) if path.is_dir() else [path]


def main(paths):
    totals, differing, left = count(files_in(paths))
    print("\n".join([*(f"left to CPython: {place}" for place in left), *differing, str(dict(totals))]))
    return bool(differing)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
