"""Instructions between a call from Python and its end, counted by callgrind: unlike times, the same on every run.

A limit is raised only together with the reason."""

import os
import re
import shutil
import subprocess
import sys

import pytest
import quadrants

PROGRAM = """
import sys
import quadrants as qd

Array = qd.types.ndarray(qd.f32, ndim=1)

@qd.kernel
def empty():
    pass

@qd.kernel
def six(a: Array, b: Array, c: Array, d: Array, e: Array, f: Array):
    pass

qd.init(arch="interp", offline_cache=False)
arrays = [qd.ndarray(qd.f32, 4) for _ in range(6)]
for _ in range(int(sys.argv[1])):
    empty()
    six(*arrays)
"""
CALLS = 1000
LIMIT = 1300  # an empty kernel without arguments and one with six ndarrays, together


def counted(path, calls):
    package = os.path.dirname(os.path.dirname(quadrants.__file__))
    environment = {**os.environ, "ENABLE_QUADRANTS_HEADER_PRINT": "0", "PYTHONPATH": package}
    inside = "--toggle-collect=*namespace)::call(_object*"  # the vectorcall of a kernel
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", inside, sys.executable, "-S"]
    done = subprocess.run([*command, str(path), str(calls)], env=environment, capture_output=True, text=True, check=True)
    return int(re.search(r"Collected : (\d+)", done.stderr).group(1))


@pytest.fixture(params=["cpu"], autouse=True)
def arch(request):
    """No program in this process: the counted ones are others."""
    return request.param


@pytest.mark.skipif(not shutil.which("valgrind"), reason="needs valgrind")
def test_instructions_of_a_launch(tmp_path):
    program = tmp_path / "launches.py"
    program.write_text(PROGRAM)
    per_call = (counted(program, 1 + CALLS) - counted(program, 1)) / CALLS
    print(per_call)
    assert 100 < per_call < LIMIT
