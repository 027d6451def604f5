"""pytest --nbval --qd-cov: coverage of notebooks by cell and line, in both kernels, that merges with a test suite's."""

import json
import os
import subprocess
import sys

import coverage
import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

HELPERS = '''import quadrants as qd


@qd.kernel
def turn(x: qd.types.ndarray(qd.i32, ndim=1)):
    for i in x:
        if x[i] == -1000:
            x[i] = 7


def go(x):
    turn(x)
'''
SETUP = """%load_ext quadrants_jupyter
import quadrants as qd
import helpers
qd.init(arch=qd.cpu)
x = qd.ndarray(qd.i32, 4)"""
MAGIC = """%%qd_kernel --quiet
@qd.func
def clipped(v):
    r = v
    if v > 2:
        r = 2
        r += 0
    return r


@qd.kernel
def up(x: qd.types.ndarray(qd.i32, ndim=1), n: qd.i32):
    for i in x:
        x[i] += clipped(n)"""
HOST = """for i in range(2):
    if i > 7:
        up(x, 5)
    up(x, 1)
helpers.go(x)"""
PLAIN = """@qd.kernel
def plain(x: qd.types.ndarray(qd.i32, ndim=1)):
    for i in x:
        if x[i] > 100:
            x[i] = 0
        else:
            x[i] += 1


def host(a):
    if a:
        return 1
    return 2


plain(x); host(1)
print(x.to_numpy().sum() > 0)"""
AGAIN = MAGIC.replace("x[i] += clipped(n)", "x[i] -= clipped(n)")
CALL = "up(x, 1)"
SUMMARY = """
notebooks/demo.ipynb: 40 of 48 lines ran
  cell 1: 5 of 5
  cell 2: 9 of 11
  cell 3: 4 of 5
  cell 4: 10 of 12
  cell 5: 9 of 11
  cell 6: 1 of 1
  helpers.py: 2 of 3
never ran:
  demo.ipynb cell 2: 6-7
  demo.ipynb cell 3: 3
  demo.ipynb cell 4: 5, 13
  demo.ipynb cell 5: 6-7
  helpers.py: 8
"""


class Project:
    def __init__(self, folder):
        self.folder = folder
        (folder / "notebooks").mkdir()
        (folder / "helpers.py").write_text(HELPERS)

    def notebook(self, *texts):
        cells = [new_code_cell(text, execution_count=1, metadata={"tags": ["nbval-ignore-output"]}) for text in texts]
        nbformat.write(new_notebook(cells=cells), self.folder / "notebooks/demo.ipynb")

    def run(self, *command):
        environment = {**os.environ, "PYTHONPATH": str(self.folder), "ENABLE_QUADRANTS_HEADER_PRINT": "0"}
        for name in ("QD_KERNEL_COVERAGE", "_QD_KCOV_ARC"):
            environment.pop(name, None)
        done = subprocess.run([sys.executable, *command], cwd=self.folder, env=environment, capture_output=True, text=True, timeout=300)
        return done.returncode, done.stdout + done.stderr

    def nbval(self, *options):
        return self.run("-m", "pytest", "-q", "-p", "no:cacheprovider", "--nbval", "--nbval-cell-timeout", "120", *options, "notebooks")

    def report(self):
        """Returns name of the file without the digest of its text -> its part of coverage.py's report on all data."""
        status, said = self.run("-m", "coverage", "combine", "-q", "--keep", *(str(p) for p in self.folder.glob("_qd_kcov.*")))
        assert status == 0, said
        status, said = self.run("-m", "coverage", "json", "-q")
        assert status == 0, said
        found = json.loads((self.folder / "coverage.json").read_text())["files"]
        return {os.path.basename(name).rsplit("_", 1)[0] if "_cell_" in name else name: part for name, part in found.items()}


@pytest.fixture
def project(tmp_path):
    made = Project(tmp_path)
    made.notebook(SETUP, MAGIC, HOST, PLAIN, AGAIN, CALL)
    return made


@pytest.mark.parametrize("kernel", ["quadrants", "python3"])
def test_summary_and_data(project, kernel):
    status, said = project.nbval("--nbval-kernel-name", kernel, "--qd-cov")
    assert status == 0 and SUMMARY in said
    kept = sorted(p.name.rsplit("_", 1)[0] for p in (project.folder / "_qd_kcov_sources/notebooks").iterdir())
    assert kept == [f"demo_cell_{n}" for n in range(1, 7)]
    report = project.report()
    assert report["demo_cell_2"]["missing_lines"] == [6, 7] and report["demo_cell_4"]["missing_lines"] == [5, 13]
    assert "missing_branches" not in report["demo_cell_4"]
    status, said = project.run("-m", "quadrants.coverage", "report", "--include", "helpers.py")
    assert status == 0 and "25.0%  1, 4-5, 8, 11-12" in said  # coverage.py measures the host lines of modules


@pytest.mark.parametrize("kernel", ["quadrants", "python3"])
def test_excluded_kernels_are_not_counted(project, kernel):
    uncounted = MAGIC.replace("--quiet", "--quiet --no-coverage")
    project.notebook(SETUP, uncounted, CALL, uncounted.replace("def up", "def down") + "\nhere = 1\nif here == 2:\n    up(x, 1)")
    status, said = project.nbval("--nbval-kernel-name", kernel, "--qd-cov")
    assert status == 0, said
    assert "  cell 2: 4 of 4\n" in said and "never ran:\n  demo.ipynb cell 4: 17\n" in said, said


def test_branches_in_workers(project):
    (project.folder / ".coveragerc").write_text("[run]\nbranch = True\nrelative_files = True\n")
    status, said = project.nbval("--qd-cov", "--nbval-kernel-name", "quadrants", "-n", "1", "--dist", "loadfile")
    assert status == 0 and SUMMARY in said
    report = project.report()
    assert report["demo_cell_2"]["missing_branches"] == [[5, 6]]
    assert report["demo_cell_3"]["missing_branches"] == [[2, 3]]
    assert report["demo_cell_4"]["missing_branches"] == [[4, 5], [11, 13]]
    assert report["helpers.py"]["missing_branches"] == [[7, 8]]


def test_merges_with_a_test_suite(project):
    """The suite covers lines that the notebook does not; pytest-cov adds the host lines of modules."""
    (project.folder / "test_helpers.py").write_text(
        "import numpy as np\nimport quadrants as qd\nimport helpers\n\n\ndef test_turn():\n    qd.init(arch=qd.cpu)\n"
        "    x = np.array([-1000], np.int32)\n    helpers.go(x)\n    assert x[0] == 7\n"
    )
    status, said = project.run("-m", "pytest", "-q", "-p", "no:cacheprovider", "--cov=helpers", "--cov-report=", "test_helpers.py")
    assert status == 0, said
    data = coverage.CoverageData(basename=str(project.folder / ".coverage"))
    data.read()
    (measured,) = data.measured_files()
    assert measured.endswith("helpers.py")
    status, said = project.nbval("--nbval-kernel-name", "quadrants", "--qd-cov")
    assert status == 0, said
    project.run("-m", "coverage", "combine", "-q", "--append", "--keep", *(str(p) for p in project.folder.glob("_qd_kcov.*")))
    assert project.run("-m", "coverage", "report", "--include=helpers.py", "--fail-under=100")[0] == 0
    assert project.run("-m", "coverage", "report", "--include=*/demo_cell_2_*", "--fail-under=100")[0] == 2


def test_beside_pytest_cov(project):
    """coverage.py has the trace function then, so only the kernel lines of cells are measured."""
    project.notebook(SETUP, MAGIC, HOST, CALL, PLAIN)
    status, said = project.nbval("--nbval-kernel-name", "quadrants", "--qd-cov", "--cov=helpers", "--cov-report=")
    assert status == 0, said
    assert "demo.ipynb cell 2: 6-7\n  demo.ipynb cell 5: 5\n  helpers.py: 8\n" in said and "cell 3" not in said


def test_a_dying_kernel_is_reported(project):
    project.notebook("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)")
    command = ["--nbval-kernel-name", "quadrants", "--qd-cov", "--nbval-cell-timeout", "5"]
    status, said = project.nbval(*command)
    assert status == 1 and "notebooks/demo.ipynb: its kernel did not report its coverage" in said


def test_without_nbval(project):
    status, said = project.run("-m", "pytest", "-q", "-p", "no:cacheprovider", "--qd-cov", "notebooks")
    assert status == 4 and "--qd-cov measures notebooks" in said
