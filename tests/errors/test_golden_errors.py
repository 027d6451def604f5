"""Each other .py file here is a program that is wrong; the .expected file beside it holds the warnings and the error that
its user sees. QD_BLESS=1 rewrites them."""

import os
import pathlib
import runpy
import warnings

import pytest
import quadrants as qd

here = pathlib.Path(__file__).parent
programs = sorted(p for p in here.glob("*.py") if p.name != pathlib.Path(__file__).name)


def outcome(program):
    """Warnings, then the class of the error and its text, without the folder of the program."""
    lines = []
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            runpy.run_path(str(program))
            lines.append("no error")
        except Exception as error:
            lines.append(f"{type(error).__name__}: {error}")
    for w in reversed(seen):
        lines.insert(0, f"{w.category.__name__}, line {w.lineno}: {w.message}")
    return "\n".join(lines).replace(str(here) + os.sep, "").rstrip() + "\n"


@pytest.fixture(autouse=True)
def interpreter(monkeypatch):
    """The messages do not depend on the backend; this one needs no compiler."""
    monkeypatch.setenv("QD_ARCH", "interp")
    qd.init()
    yield
    qd.reset()


@pytest.mark.parametrize("program", programs, ids=lambda p: p.stem)
def test_error(program):
    got = outcome(program)
    expected = program.with_suffix(".expected")
    if os.environ.get("QD_BLESS") == "1":
        expected.write_text(got)
    assert not got.startswith("no error") and "Internal error" not in got, got
    assert expected.exists(), f"{expected.name} is missing; QD_BLESS=1 writes it"
    assert got == expected.read_text(), f"{program.name}: the message changed; QD_BLESS=1 accepts it"
