"""Each other .py file here is an invalid program; the .expected file next to it has the warnings and the error that its user sees, on
qd.python too. QD_BLESS=1 rewrites them."""

import os
import pathlib
import re
import runpy
import warnings

import pytest
import quadrants as qd

here = pathlib.Path(__file__).parent
programs = sorted(p for p in here.glob("*.py") if p.name != pathlib.Path(__file__).name)


def is_refused_by_cpus(program):
    """The interpreter has subgroups, which these programs use."""
    return program.stem.startswith(("simt_", "tile_", "outer_", "algorithms_on_", "prefix_sum_on_"))


def is_wrong_on_lanes(program):
    """Architectures without subgroups refuse these programs for another reason."""
    return program.stem.startswith("on_lanes_")


def outcome(program):
    """Returns the warnings, then the class of the error and its text, without the folder of the program."""
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


def init(monkeypatch, arch):
    monkeypatch.setenv("QD_ARCH", arch)
    qd.init()


@pytest.fixture(autouse=True)
def interpreter(monkeypatch):
    """The messages do not depend on the backend; this one needs no compiler."""
    init(monkeypatch, "interp")
    yield
    qd.reset()


@pytest.mark.parametrize("program", programs, ids=lambda p: p.stem)
def test_error_of_python(program, monkeypatch):
    """The error is the same when kernels run as Python, except that trees are dense there."""
    init(monkeypatch, "python")
    compared = "x64" if is_refused_by_cpus(program) else "interp"
    got = outcome(program).replace("arch python", f"arch {compared}").replace("Arch.python", f"Arch.{compared}")
    if is_wrong_on_lanes(program):
        assert "it needs a GPU backend" in got or "requires a GPU backend" in got
    elif program.stem.startswith("derivative_"):
        assert "QuadrantsRuntimeError: Derivatives of kernels need an architecture that compiles them" in got
    elif level := re.search(r"\.(pointer|dynamic|bitmasked)\(", program.read_text()):
        assert got == f"QuadrantsRuntimeError: {level[1].capitalize()} SNode is not supported on this backend.\n"
    else:
        assert got == program.with_suffix(".expected").read_text()


@pytest.mark.parametrize("program", programs, ids=lambda p: p.stem)
def test_error(program, monkeypatch):
    if is_refused_by_cpus(program):
        init(monkeypatch, "cpu")
    got = outcome(program)
    expected = program.with_suffix(".expected")
    if os.environ.get("QD_BLESS") == "1":
        expected.write_text(got)
    assert not got.startswith("no error") and "Internal error" not in got, got
    assert expected.exists(), f"{expected.name} is missing; QD_BLESS=1 writes it"
    assert got == expected.read_text(), f"{program.name}: the message changed; QD_BLESS=1 accepts it"
