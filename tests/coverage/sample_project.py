"""Sample projects whose tests and programs run in processes of their own, as users run them."""

import json
import os
import subprocess
import sys

import pytest

os.environ.setdefault("ENABLE_QUADRANTS_HEADER_PRINT", "0")

KERNELS = '''"""Kernels of the sample."""
import quadrants as qd


@qd.func
def clipped(v, limit):
    """Keeps v below limit."""
    result = v
    if v > limit:
        result = limit
    return result


@qd.kernel
def limit_all(x: qd.types.ndarray(qd.i32, ndim=1), limit: qd.i32):
    for i in x:
        if x[i] >= 0:
            x[i] = clipped(x[i], limit)
        else:
            x[i] = 0
            x[i] -= 1


def go(values, limit):
    import numpy as np

    x = np.array(values, np.int32)
    limit_all(x, limit)
    return x.tolist()
'''
TESTS = '''import pytest
import quadrants as qd
from shapes import kernels


@pytest.fixture(autouse=True)
def program():
    qd.init()


def test_small():
    assert kernels.go([1, 2, 3], 10) == [1, 2, 3]


def test_large():
    assert kernels.go([1, 20], 10) == [1, 10]
'''
PROGRAM = "import quadrants as qd\nfrom shapes import kernels\nqd.init()\nkernels.go([1, 20], 10)\n"
UNWANTED = [f"-pno:{name}" for name in ("cacheprovider", "playwright", "base_url", "nbval", "anyio")]
PYTEST = ["-m", "pytest", "-q", *UNWANTED]
# the lines that the tests reach, and those that they do not
RAN = {8, 9, 10, 11, 16, 17, 18}
NEVER = {20, 21}
ARCS = {(-5, 8), (8, 9), (9, 10), (9, 11), (10, 11), (11, -5), (-14, 16), (16, 17), (17, 18), (18, 16), (16, -14)}


on_both = pytest.mark.parametrize("project", ["interp", "x64"], indirect=True)


def environment(folder, arch="interp", **variables):
    """Returns the variables of a process of a user who works in the folder."""
    found = {k: v for k, v in os.environ.items() if not k.startswith(("COV", "QD_", "_QD_", "PYTEST", "GITHUB_", "CI_"))}
    found.update(QD_ARCH=arch, QD_OFFLINE_CACHE="0", PYTHONPATH=str(folder), PYTHONDONTWRITEBYTECODE="1",
                 PYTHONUNBUFFERED="1", ENABLE_QUADRANTS_HEADER_PRINT="0")  # fmt: skip
    found.update(variables)
    return found


class Project:
    def __init__(self, folder, arch):
        self.folder, self.arch = folder, arch
        self.kernels = self.write("shapes/kernels.py", KERNELS)
        self.write("shapes/__init__.py", "")
        self.write("tests/test_shapes.py", TESTS)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def start(self, *command, folder=None, **variables):
        """Starts a Python process as users do."""
        return subprocess.Popen([sys.executable, *command], cwd=folder or self.folder, text=True,
                                env=environment(self.folder, self.arch, **variables),
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)  # fmt: skip

    def run(self, *command, status=0, **keywords):
        return self.end(self.start(*command, **keywords), status)

    def end(self, process, status=0):
        """Returns the output of the process."""
        with process:
            try:
                said, _ = process.communicate(timeout=300)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
        assert process.returncode == status, said
        return said

    def pytest(self, *arguments, **keywords):
        return self.run(*PYTEST, *arguments, **keywords)

    def program(self, text, covered="1", **keywords):
        self.write("program.py", text)
        return self.run("program.py", QD_KERNEL_COVERAGE=covered, **keywords)

    def files(self, folder=None):
        return sorted(path.name for path in (folder or self.folder).glob("_qd_kcov.*"))

    def combined(self, *options):
        """Returns the report of `coverage json` on the kernels' file after combining host and kernel data."""
        commands = ["combine", "--append", *options, *self.files()], ["json", "-q", "-o", "report.json"]
        self.run("-c", f"from coverage.cmdline import main\nfor command in {commands}: assert not main(command)")
        return json.loads((self.folder / "report.json").read_text())

    def of_kernels(self, *options):
        files = self.combined(*options)["files"]
        (name,) = [name for name in files if name.endswith("kernels.py")]
        return files[name]
