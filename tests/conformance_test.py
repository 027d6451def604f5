"""docs/conformance.md: every row names its tests, and they exist."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROW = re.compile(r"^\| (.+) \| (done|refused|not yet) \|(.*)\|$")


def rows(text):
    """Returns (line number, statement, state, tests) of each row."""
    section_rows = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.startswith("|") or line.startswith(("| statement |", "| --- |")):
            continue
        match = ROW.match(line)
        assert match, f"line {number} is not `| statement | done, refused or not yet | tests |`: {line}"
        section_rows.append((number, match[1], match[2], re.findall(r"`([^`]+)`", match[3])))
    return section_rows


def missing(test):
    """Returns why the test does not exist; empty if it does."""
    path, _, name = test.partition("::")
    file = ROOT / path
    if not file.is_file():
        return f"{path} does not exist"
    if path.startswith("tests/errors/"):
        return "" if not name and file.with_suffix(".expected").is_file() else f"{path} is not the program of a golden error"
    if not re.search(rf"^(?:    )?(?:async )?def {re.escape(name.partition('[')[0])}\(", file.read_text(encoding="utf-8"), re.M):
        return f"{path} has no function {name}"
    return ""


def problems(text):
    found = []
    for number, statement, state, tests in rows(text):
        if (state != "not yet") != bool(tests):
            found.append(f"line {number}: '{statement}' is {state} and names {len(tests)} tests")
        found += [f"line {number}: {why}" for why in map(missing, tests) if why]
    return found


def test_the_table():
    text = (ROOT / "docs" / "conformance.md").read_text(encoding="utf-8")
    assert len(rows(text)) > 100
    assert problems(text) == []


def test_problems_are_found():
    bad = "| a | done |  |\n| b | done | `tests/conformance_test.py::nowhere` |\n| c | not yet | `tests/nowhere.py::f` |\n"
    assert len(problems(bad)) == 4
    assert len(problems("| d | refused |  |\n")) == 1 and problems(f"| e | refused | `tests/{Path(__file__).name}::rows` |\n") == []
