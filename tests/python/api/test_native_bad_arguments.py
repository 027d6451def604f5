"""Every method of the core's classes is called with unsuitable arguments: it raises an exception, and the program continues."""

import subprocess
import sys

import pytest
import quadrants as qd

PROGRAM = """
import faulthandler, itertools, sys
import numpy as np
import quadrants as qd
from quadrants import _native

core = _native.core()
qd.init(arch=sys.argv[1], offline_cache=False)
JUNK = (5, -1, 2**40, 2**70, 0.5, float("inf"), "x", b"x", None, (), (5,), (None, None), [], {}, object(), int, lambda *a: 1 / 0,
        np.zeros(3), np.zeros((2, 2), np.int8))

@qd.kernel
def k(x: qd.types.ndarray(qd.f32, ndim=1), n: qd.i32) -> qd.i32:
    for i in x:
        x[i] += n
    return n

@qd.kernel(graph=True, checkpoints=True)
def g(x: qd.types.ndarray(qd.i32, ndim=1), flag: qd.types.ndarray(qd.i32, ndim=0)):
    with qd.checkpoint(1, yield_on=flag):
        for i in x:
            x[i] += 1

@qd.data_oriented
class Holder:
    @qd.kernel
    def k(self):
        pass

dense, sparse = qd.field(qd.f32, 3), qd.field(qd.i32)
level = qd.root.pointer(qd.i, 4)
level.place(sparse)
array, flag = qd.ndarray(qd.i32, 3), qd.ndarray(qd.i32, ())
holder = Holder()
k(qd.ndarray(qd.f32, 3), 1), g(array, flag), holder.k()
dense[0], sparse[0]

def finished():
    tree = core.FieldTree()
    tree.add_member(tree.add_node(0, 0, [(0, 4)], 0), "x", 10, [])
    tree.finish()
    return tree

makers = {
    "Kernel": [lambda: k, lambda: g],
    "BoundKernel": [lambda: holder.k],
    "NdarrayStorage": [core.NdarrayStorage, lambda: qd.ndarray(qd.f32, (2, 3))],
    "Place": [lambda: dense._parts[0].place, lambda: sparse._parts[0].place],
    "FieldTree": [core.FieldTree, finished],
    "Tree": [lambda: k._primal._qd_source_.tree()[0]],
    "Steps": [lambda: core.Steps(g, (array, flag), 1 << 20)],
}
types = {name: value for name, value in vars(core).items() if isinstance(value, type)} | {"BoundKernel": type(holder.k)}
assert set(types) == set(makers), set(types) ^ set(makers)
END = {"remove_cells", "destroy", "_forget", "__reduce__", "__class__", "__subclasshook__", "__init_subclass__", "__new__"}
ONE = list(itertools.product(JUNK))
MANY = [(a, b) for a in JUNK[:12] for b in JUNK[::3]] + [(a,) * n for a in JUNK for n in range(3, 9)] + [
    (10, (3,), 1, 1, e, o) for e in (-1, 0, 3, 2**40) for o in ((), (5,), (0, 0), (0,))] + [
    (s, (n,), r, c, 0, ()) for s in (-1, 0, 99, 10) for n in (-3, 2**62, 3) for r in (-1, 0, 2**31 - 1) for c in (-1, 2**31 - 1)] + [
    (p, kind, axes, c) for p in (-1, 0, 99) for kind in (-1, 9, 0) for axes in ([(0, 0)], [(-1, 4)], [(99, 4)], [(0, -4)]) for c in (0, 7)]
calls = raised = 0

def attempt(function, arguments):
    global calls, raised
    print(function, arguments, file=sys.stderr)
    calls += 1
    try:
        function(*arguments)
    except Exception as error:
        raised += 1
        assert not isinstance(error, SystemError) or "returned" not in str(error), error

for name, made in makers.items():
    for arguments in [(), *ONE, *MANY]:
        if not (name == "FieldTree" and arguments == ()):
            attempt(types[name], arguments)
    for make in made:
        for method in sorted(set(dir(types[name])) - END - set(dir(object))):
            if not callable(getattr(types[name], method, None)):
                target = make()
                try:
                    getattr(target, method, None)
                except Exception:
                    raised += 1
                continue
            for arguments in [(), *ONE, *MANY]:
                attempt(getattr(make(), method), arguments)
for method in sorted(END & {"remove_cells", "destroy", "_forget"}):
    for make in itertools.chain(*makers.values()):
        target = make()
        if hasattr(target, method):
            for arguments in [*ONE[:4], ()]:
                attempt(getattr(target, method), arguments)
qd.reset()
for make in (makers["NdarrayStorage"][0], makers["FieldTree"][0]):
    for method in sorted(set(dir(make())) - END - set(dir(object))):
        if callable(getattr(type(make()), method, None)):
            for arguments in [(), *ONE]:
                attempt(getattr(make(), method), arguments)
qd.init(arch=sys.argv[1], offline_cache=False)
x = qd.ndarray(qd.f32, 3)
k(x, 2)
assert x.to_numpy().tolist() == [2, 2, 2]
print(calls, raised)
"""


def test_methods_of_the_core_with_junk(arch, tmp_path):
    if arch == "cpu":
        pytest.skip("once is enough")
    (tmp_path / "program.py").write_text(PROGRAM)
    command = [sys.executable, "-X", "faulthandler", "-W", "ignore", str(tmp_path / "program.py"), arch]
    program = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert program.returncode == 0, program.stderr[-3000:]
    calls, raised = map(int, program.stdout.split()[-2:])
    assert calls > 5000 and raised > calls * 0.8


def test_sizes_that_are_none():
    """Invalid sizes are refused before anything is computed from them."""
    for make in (qd.types.quant.fixed, qd.types.quant.int):
        for bits in (10**9, 10**30, 0, -3, 65, 8.0, float("inf"), "8", None):
            with pytest.raises(qd.QuadrantsTypeError, match="a quant type must have 1 to 64 bits"):
                make(bits)
    with pytest.raises(qd.QuadrantsTypeError, match="does not fit its compute type"):
        qd.types.quant.float(10**9, 10**9)
    for scale in (0.0, float("inf"), float("nan")):
        with pytest.raises(qd.QuadrantsTypeError, match="cannot be multiples of"):
            qd.types.quant.fixed(8, scale=scale)
    for slots in (qd.algorithms.reduce_scratch_slots, qd.algorithms.exclusive_scan_scratch_slots, qd.algorithms.sort_scratch_slots):
        for n in (2**33, 10**400):
            with pytest.raises(ValueError, match="log256_max_n=5 exceeds the maximum"):
                slots(n)
    with pytest.raises(ValueError, match="log256_max_n=5 exceeds the maximum"):
        qd.algorithms.reduce_scratch_slots(float("inf"))
