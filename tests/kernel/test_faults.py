"""A fault in a kernel ends its cell with an error that names the place; Stop and the end of the session reach loops inside parallel
loops."""

import re

import pytest
from conftest import PATIENCE

OUT_OF_BOUNDS = """import quadrants as qd
qd.init(arch=qd.cpu, offline_cache=False)
x = qd.field(qd.i32, 10)

@qd.kernel
def put(n: qd.i32):
    for i in range(n):
        x[i * 1000] = 1

put(1_000_000)"""

INNER = """import quadrants as qd
qd.init(arch=qd.cpu, offline_cache=False)

@qd.kernel
def inner(x: qd.types.ndarray(qd.f32, ndim=1), n: qd.i32):
    print("go")
    for j in x:
        s = 0.0
        for i in range(n):
            s += qd.sin(i * 0.001)
        x[j] = s

x = qd.ndarray(qd.f32, 1000)
inner(x, 1)"""


def test_a_fault_names_cell_and_line(kernel):
    for _ in range(2):
        ended = kernel.run(OUT_OF_BOUNDS)
        assert ended.error == "QuadrantsRuntimeError"
        text = re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(ended.of("error")[0]["traceback"]))
        assert re.search(r"Cell In\[\d+\], line 8, in put", text), text
        assert "x[i * 1000] = 1" in text and "debug=True" in text
        assert kernel.run("put(1)\nx[0]").result == "1"


@pytest.fixture
def busy(fresh_kernel):
    assert fresh_kernel.run(INNER).status == "ok"
    cell = fresh_kernel.send("inner(x, 2_000_000_000)")
    fresh_kernel.wait_for_text("go")
    return fresh_kernel, cell


def test_stop_in_an_inner_loop(busy):
    kernel, cell = busy
    kernel.interrupt()
    assert kernel.collect(cell).error == "KeyboardInterrupt"  # the whole loop would take an hour
    assert kernel.run("inner(x, 1)\n6 * 7").result == "42"


def test_shutdown_in_an_inner_loop(busy):
    kernel, _ = busy
    process = kernel.manager.provisioner.process
    kernel.raw.shutdown()
    assert process.wait(timeout=PATIENCE) == 0  # a regular exit: it did not have to be killed
