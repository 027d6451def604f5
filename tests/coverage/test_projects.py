"""A project's `pytest --cov` sees inside its kernels, however it is set up and run."""

import coverage
import pytest

from sample_project import ARCS, NEVER, PROGRAM, RAN


def check(report, branches):
    assert RAN <= set(report["executed_lines"]) and NEVER <= set(report["missing_lines"])
    assert ("missing_branches" in report) == branches
    if branches:
        assert [17, 20] in report["missing_branches"]
        executed = {tuple(arc) for arc in report["executed_branches"]}
        assert {(9, 10), (9, 11), (16, 17), (16, -14), (17, 18)} <= executed


def arcs_in(project):
    arcs = set()
    for name in project.files():
        data = coverage.CoverageData(basename=str(project.folder / name))
        data.read()
        arcs.update(data.arcs(str(project.kernels)) or ())
    return arcs


def test_branches(project):
    project.pytest("--cov=shapes", "--cov-branch", "--cov-report=", "tests")
    assert len(project.files()) == 1
    assert arcs_in(project) == ARCS
    check(project.of_kernels(), branches=True)
    assert "shapes/kernels.py" in project.run("-m", "coverage", "report", "--show-missing")
    project.run("-m", "coverage", "html", "-q")
    project.run("-m", "coverage", "xml", "-q")
    project.run("-m", "coverage", "lcov", "-q")
    assert "DA:18," in (project.folder / "coverage.lcov").read_text()


@pytest.mark.parametrize(
    "name, text, branches",
    [
        (".coveragerc", "[run]\nbranch = True\n", True),
        ("pyproject.toml", "[tool.coverage.run]\nbranch = true\n", True),
        ("setup.cfg", "[coverage:run]\nsource = shapes\n", False),
        ("pyproject.toml", "[tool.coverage.run]\nbranch = true\nparallel = true\n", True),
    ],
    ids=["coveragerc", "pyproject", "lines", "parallel"],
)
def test_settings_are_those_that_pytest_cov_resolves(project, name, text, branches):
    project.write(name, text)
    project.pytest("--cov=shapes", "--cov-report=", "tests")
    check(project.of_kernels(), branches)


def test_workers_of_xdist(project):
    project.pytest("--cov=shapes", "--cov-branch", "--cov-report=", "-n", "2", "--dist", "each", "tests")
    assert len(project.files()) == 2
    assert arcs_in(project) == ARCS
    check(project.of_kernels(), branches=True)


def test_relative_names_and_other_machines(project):
    settings = "[run]\nrelative_files = True\nbranch = True\n[paths]\nsource =\n    shapes\n    */elsewhere/shapes\n"
    project.write(".coveragerc", settings)
    project.pytest("--cov=shapes", "--cov-report=", "tests")
    (name,) = project.files()
    data = coverage.CoverageData(basename=str(project.folder / name))
    data.read()
    assert data.measured_files() == {"shapes/kernels.py"}
    foreign = coverage.CoverageData(basename=str(project.folder / "_qd_kcov.elsewhere"))
    foreign.add_arcs({"/builds/elsewhere/shapes/kernels.py": [(17, 20), (20, 21), (21, 16)]})
    foreign.write()
    report = project.of_kernels()
    assert NEVER <= set(report["executed_lines"]) and report["missing_branches"] == []


def test_opting_out(project):
    project.pytest("--cov=shapes", "--cov-report=", "tests", QD_KERNEL_COVERAGE="0")
    assert project.files() == []


def test_without_pytest_cov(project):
    project.pytest("tests")
    assert project.files() == []


def test_two_runs_side_by_side(project):
    """Each process has its file; what one run covers adds to the other."""
    for limit in ("small", "large"):
        only = ("tests", "-k", limit)
        project.pytest("--cov=shapes", "--cov-branch", "--cov-report=", *only, COVERAGE_FILE=f".coverage.{limit}")
    assert len(project.files()) == 2
    check(project.of_kernels(".coverage.small", ".coverage.large"), branches=True)


def test_programs_that_tests_start(project):
    call = "subprocess.check_call([sys.executable, 'program.py'])"
    project.write("tests/test_shapes.py", f"import subprocess, sys\n\ndef test_it():\n    {call}\n")
    project.write("program.py", PROGRAM)
    project.pytest("--cov=shapes", "--cov-branch", "--cov-report=", "tests")
    assert arcs_in(project) == ARCS


def test_coverage_run(project):
    project.write("program.py", PROGRAM)
    project.run("-m", "coverage", "run", "--branch", "--source=shapes", "program.py", QD_KERNEL_COVERAGE="1")
    check(project.of_kernels(), branches=True)
