"""A project's `pytest --cov` measures its kernels, however it is set up and run."""

import json

import coverage
import pytest

from sample_project import ARCS, NEVER, PROGRAM, PYTEST, RAN, on_both


HOST = {2, 5, 6, 14, 15, 24}  # lines that run at import


def check(report, branches):
    assert HOST <= set(report["executed_lines"]), "what coverage.py measured itself is there too"
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


@on_both
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


@on_both
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


def table_of(said):
    """Returns file -> (statements, missing, lines that never ran) from the table that pytest-cov prints."""
    rows = [line.split(maxsplit=6) for line in said.splitlines() if line.startswith(("shapes/", "tests/", "TOTAL"))]
    return {row[0]: row[1:] for row in rows}


@on_both
def test_the_table_of_pytest_cov_is_right_by_itself(project):
    said = project.pytest("--cov=shapes", "--cov-branch", "--cov-report=term-missing", "tests")
    assert table_of(said)["shapes/kernels.py"][-1] == "20-21", said
    assert "88%" in table_of(said)["TOTAL"], said
    lines = project.pytest("--cov=shapes", "--cov-report=term-missing", "tests")
    assert table_of(lines)["shapes/kernels.py"][-1].endswith("20-21"), lines
    assert "Required test coverage of 85% reached" in project.pytest("--cov=shapes", "--cov-fail-under=85", "tests")


def test_the_table_with_workers_and_processes(project):
    project.write("program.py", PROGRAM.replace("[1, 20]", "[-1]"))
    project.write("tests/test_program.py", "import subprocess, sys\n\n\ndef test_it():\n    subprocess.check_call([sys.executable, 'program.py'])\n")
    for workers in ((), ("-n", "2")):
        said = project.pytest("--cov=shapes", "--cov-branch", "--cov-report=term-missing", *workers, "tests")
        assert table_of(said)["shapes/kernels.py"][:2] == ["19", "0"], said


def test_the_table_contains_only_measured_code(project):
    """--cov=shapes does not include the kernels of the tests themselves."""
    own = "\n\n@qd.kernel\ndef own() -> qd.i32:\n    return 3\n\n\ndef test_own():\n    assert own() == 3\n"
    project.write("tests/test_shapes.py", (project.folder / "tests/test_shapes.py").read_text() + own)
    said = project.pytest("--cov=shapes", "--cov-report=term-missing", "tests")
    assert sorted(table_of(said)) == ["TOTAL", "shapes/__init__.py", "shapes/kernels.py"], said


def test_a_new_run_removes_the_files_of_the_previous_one(project):
    run = ("--cov=shapes", "--cov-branch", "--cov-report=", "tests", "-k")
    project.program(PROGRAM)  # not from a run of pytest
    kept = project.files()
    project.pytest(*run, "large")
    (old,) = set(project.files()) - set(kept)
    project.pytest(*run, "small", "--cov-append")
    assert set(project.files()) > {old, *kept}
    project.pytest(*run, "nothing", status=5)
    assert project.files() == kept


@pytest.mark.parametrize("word", ["0", "false", "OFF"])
def test_opting_out(project, word):
    project.pytest("--cov=shapes", "--cov-report=", "tests", QD_KERNEL_COVERAGE=word)
    assert project.files() == []


def test_an_invalid_value_of_the_switch(project):
    said = project.pytest("--cov=shapes", "--cov-report=", "tests", QD_KERNEL_COVERAGE="perhaps", status=3)
    assert "Invalid QD_KERNEL_COVERAGE=perhaps" in said


def test_without_pytest_cov(project):
    project.pytest("tests")
    assert project.files() == []


def test_two_consecutive_runs_are_merged(project):
    """Each process has its own file, and the coverage of both runs is merged."""
    for limit in ("small", "large"):
        only = ("tests", "-k", limit)
        project.pytest("--cov=shapes", "--cov-branch", "--cov-report=", *only, COVERAGE_FILE=f".coverage.{limit}")
    assert len(project.files()) == 2
    check(project.of_kernels(".coverage.small", ".coverage.large"), branches=True)


def test_two_runs_at_once(project):
    """Neither run ends before both have started; they share the folder, and each writes its own files."""
    project.write(
        "tests/conftest.py",
        "import os, time\n\n\ndef pytest_sessionstart(session):\n    open(os.environ['MINE'], 'w').close()\n"
        "    while not os.path.exists(os.environ['OTHER']):\n        time.sleep(0.01)\n",
    )
    command = (*PYTEST, "--cov=shapes", "--cov-branch", "--cov-report=", "tests", "-k")
    names = ("small", "large"), ("large", "small")
    runs = [project.start(*command, mine, COVERAGE_FILE=f".coverage.{mine}", MINE=mine, OTHER=other) for mine, other in names]
    for run in runs:
        project.end(run)
    assert len(project.files()) == 2
    assert arcs_in(project) == ARCS
    check(project.of_kernels(".coverage.small", ".coverage.large"), branches=True)


ENDINGS = {
    "exit": "pid = os.fork()\nif pid == 0:\n    kernels.go([1, 20], 10)\n    os._exit(0)\nassert os.waitpid(pid, 0)[1] == 0",
    "exception": "kernels.go([1, 20], 10)\nraise KeyError('x')",
    "fork": "run(multiprocessing.get_context('fork'))",
    "spawn": "run(multiprocessing.get_context('spawn'))",
    "program": "subprocess.check_call([sys.executable, 'program.py'])",
    "program that exits": "subprocess.check_call([sys.executable, '-c', program + 'import os; os._exit(0)'])",
    "program that fails": "assert subprocess.call([sys.executable, '-c', program + 'raise KeyError()']) == 1",
}
ENDING = """import multiprocessing, os, subprocess, sys
import quadrants as qd
from shapes import kernels

program = open("program.py").read()

def child():
    qd.init()
    kernels.go([1, 20], 10)

def run(context):
    process = context.Process(target=child)
    process.start()
    process.join()
    assert process.exitcode == 0

def test_it():
    qd.init()
"""


@on_both
@pytest.mark.parametrize("ending", ENDINGS)
def test_processes_of_tests(project, ending):
    project.write("program.py", PROGRAM)
    lines = "".join(f"    {line}\n" for line in ENDINGS[ending].splitlines())
    project.write("tests/test_shapes.py", ENDING + lines)
    status = 1 if ending == "exception" else 0
    project.pytest("--cov=shapes", "--cov-branch", "--cov-report=", "tests", status=status)
    assert arcs_in(project) == ARCS
    check(project.of_kernels(), branches=True)


def test_coverage_run(project):
    project.write("program.py", PROGRAM)
    project.run("-m", "coverage", "run", "--branch", "--source=shapes", "program.py", QD_KERNEL_COVERAGE="1")
    check(project.of_kernels(), branches=True)


CONTEXTS = {
    "test_small|run": {8, 9, 11, 16, 17, 18},
    "test_large|run": {8, 9, 10, 11, 16, 17, 18},
}


def contexts_of(project, names):
    """Returns context -> lines of the kernels that ran in it."""
    program = ("import coverage, json, sys; data = coverage.CoverageData(); data.read(); "
               "(file,) = [f for f in data.measured_files() if f.endswith('kernels.py')]; out = {}\n"
               "for line, found in data.contexts_by_lineno(file).items():\n"
               "    for one in found: out.setdefault(one, []).append(line)\nprint(json.dumps(out))")
    found = json.loads(project.run("-c", program))
    of = {name: next((set(lines) for one, lines in found.items() if one.endswith(name)), set()) for name in names}
    return {name: lines & (RAN | NEVER) for name, lines in of.items()}, found


@pytest.mark.parametrize("counts", ["1", "0"])
@pytest.mark.parametrize("options", [["--cov-branch"], [], ["-n", "2"]])
def test_lines_of_kernels_know_their_test(project, options, counts):
    project.pytest("--cov=shapes", "--cov-context=test", *options, QD_COVERAGE_COUNTS=counts)
    found, every = contexts_of(project, CONTEXTS)
    assert found == CONTEXTS
    assert not set(every.get("", [])) & RAN, "what ran in a test ran there alone"


def test_dynamic_contexts_of_coverage(project):
    project.write(".coveragerc", "[run]\nsource = shapes\ndynamic_context = test_function\ncontext = all\n")
    calls = "def test_small():\n    kernels.go([1, 2, 3], 10)\n\ndef test_large():\n    kernels.go([1, 20], 10)\n\ntest_small()\ntest_large()\n"
    project.write("program.py", "import quadrants as qd\nfrom shapes import kernels\nqd.init()\n" + calls)
    project.run("-m", "coverage", "run", "program.py", QD_KERNEL_COVERAGE="1", COVERAGE_CORE="ctrace")
    project.run("-m", "quadrants.coverage", "combine")
    found, _ = contexts_of(project, ["test_small", "test_large"])
    assert found == {name.split("|")[0]: lines for name, lines in CONTEXTS.items()}


def test_contexts_that_a_program_switches(project):
    project.write("program.py", """import coverage
host = coverage.Coverage(source=["shapes"], branch=True)
host.start()
import quadrants as qd
from shapes import kernels
qd.init()
host.switch_context("test_small|run")
kernels.go([1, 2, 3], 10)
host.switch_context("test_large|run")
kernels.go([1, 20], 10)
qd.coverage.clear()
qd.reset()
qd.init()
host.switch_context("again")
kernels.go([1], 10)
host.stop()
host.save()
""")
    project.run("program.py", QD_KERNEL_COVERAGE="1")
    project.run("-m", "quadrants.coverage", "combine")
    found, _ = contexts_of(project, [*CONTEXTS, "again"])
    assert found == {**CONTEXTS, "again": CONTEXTS["test_small|run"]}
