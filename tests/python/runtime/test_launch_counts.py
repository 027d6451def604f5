"""Instruction counts of calls from Python, by callgrind: unlike times, they are the same in every run.

A limit is raised only with a stated reason."""

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
CALLS = 3000
LIMIT = 950  # an empty kernel without arguments and one with six ndarrays, together


DATACLASSES = """
import dataclasses
import sys
import quadrants as qd

Array = qd.types.ndarray(qd.f32, ndim=1)
names = [f"a{i}" for i in range(60)]
Frozen = dataclasses.make_dataclass("Frozen", [(n, Array) for n in names], frozen=True)
Open = dataclasses.make_dataclass("Open", [(n, Array) for n in names])
TEXT = (
    "@qd.kernel\\ndef plain(" + ", ".join(n + ": Array" for n in names[:6]) + "):\\n    pass\\n"
    "@qd.kernel\\ndef frozen(s: Frozen):\\n" + "".join(f"    s.{n}\\n" for n in names) +
    "@qd.kernel\\ndef some(s: Open):\\n" + "".join(f"    s.{n}\\n" for n in names[:6])
)
exec(TEXT)

qd.init(arch="interp", offline_cache=False)
arrays = [qd.ndarray(qd.f32, 4) for _ in names]
arguments = {"plain": arrays[:6], "frozen": [Frozen(*arrays)], "some": [Open(*arrays)]}[sys.argv[2]]
kernel = globals()[sys.argv[2]]
for _ in range(int(sys.argv[1])):
    kernel(*arguments)
assert kernel._specialisations() == 1
"""
FROZEN_LIMIT = 3  # times a call with six plain ndarrays: 60 members of a frozen dataclass
SOME_LIMIT = 6  # the same: six members of sixty, of a dataclass that may change


LAUNCH = "*qd::bind::call_kernel(_object*"  # the vectorcall of a kernel


def counted(path, calls, *more, inside=LAUNCH):
    """Returns the instructions of a process, or of the calls of a function of the core."""
    package = os.path.dirname(os.path.dirname(quadrants.__file__))
    environment = {**os.environ, "PYTHONHASHSEED": "0", "ENABLE_QUADRANTS_HEADER_PRINT": "0", "PYTHONPATH": package}
    where = [f"--toggle-collect={inside}"] if inside else []
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *where, sys.executable, "-S"]
    count = [str(calls), *more]
    done = subprocess.run([*command, str(path), *count], env=environment, capture_output=True, text=True, check=True)
    return int(re.search(r"Collected : (\d+)", done.stderr).group(1))


@pytest.fixture(params=["cpu"], autouse=True)
def arch(request):
    """Starts no program in this process, since the counted programs run in others."""
    return request.param


@pytest.mark.skipif(not shutil.which("valgrind"), reason="needs valgrind")
def test_instructions_of_a_launch(tmp_path):
    program = tmp_path / "launches.py"
    program.write_text(PROGRAM)
    per_call = (counted(program, 1 + CALLS) - counted(program, 1)) / CALLS
    print(per_call)
    assert 100 < per_call < LIMIT


@pytest.mark.skipif(not shutil.which("valgrind"), reason="needs valgrind")
def test_instructions_of_a_launch_with_dataclasses(tmp_path):
    program = tmp_path / "dataclasses_launched.py"
    program.write_text(DATACLASSES)
    calls = {
        kind: (counted(program, 2 + CALLS, kind) - counted(program, 2, kind)) / CALLS for kind in ("plain", "frozen", "some")
    }
    print(calls)
    assert calls["frozen"] < FROZEN_LIMIT * calls["plain"]
    assert calls["some"] < SOME_LIMIT * calls["plain"]


GRADIENTS = """
import sys
import quadrants as qd

qd.init(arch="null", offline_cache=False)
Array = qd.types.ndarray(qd.f32, ndim=1)
a, b = [qd.ndarray(qd.f32, 4, needs_grad=True) for _ in range(2)]
x, y = [qd.field(qd.f32, shape=4, needs_grad=True) for _ in range(2)]

@qd.kernel
def arrays(a: Array, b: Array, n: qd.i32):
    for i in range(n):
        b[i] += a[i] * a[i]

@qd.kernel
def fields(n: qd.i32):
    for i in range(n):
        y[i] += x[i] * x[i]

@qd.data_oriented
class Model:
    def __init__(self):
        self.a, self.b = a, b

    @qd.kernel
    def method(self, n: qd.i32):
        for i in range(n):
            self.b[i] += self.a[i] * self.a[i]

model = Model()
kind = sys.argv[2]
if kind == "fields":
    for _ in range(int(sys.argv[1])):
        fields(0)
elif kind == "fields.grad":
    for _ in range(int(sys.argv[1])):
        fields.grad(0)
elif kind == "arrays":
    for _ in range(int(sys.argv[1])):
        arrays(a, b, 0)
elif kind == "arrays.grad":
    for _ in range(int(sys.argv[1])):
        arrays.grad(a, b, 0)
elif kind == "method":
    for _ in range(int(sys.argv[1])):
        model.method(0)
elif kind == "method.grad":
    for _ in range(int(sys.argv[1])):
        model.method.grad(0)
"""
# The instructions beyond the launch of the kernel: looking `grad` up, and passing two gradients in addition to two arrays. On the CPU they
# are less than half of the launch, which is some 450 instructions and the interpreter's own.
GRADIENT_LIMITS = {"fields": 200, "arrays": 800, "method": 1000}


@pytest.mark.skipif(not shutil.which("valgrind"), reason="needs valgrind")
@pytest.mark.parametrize("kind", GRADIENT_LIMITS)
def test_instructions_of_the_launch_of_a_gradient(tmp_path, kind):
    program = tmp_path / "gradients_launched.py"
    program.write_text(GRADIENTS)

    def beyond():
        calls = {name: (counted(program, 2 + CALLS, name, inside=None) - counted(program, 2, name, inside=None)) / CALLS
                 for name in (kind, f"{kind}.grad")}
        print(calls)
        return calls[f"{kind}.grad"] - calls[kind]

    # The whole process is counted, including its other threads.
    assert any(beyond() < GRADIENT_LIMITS[kind] for _ in range(4))
