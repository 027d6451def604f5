"""Kernels of cells in other processes, which cannot read the cells."""

import pytest
from conftest import Client

SEND = """
import cloudpickle, os, subprocess, sys
import quadrants as qd
PROGRAM = '''
import cloudpickle, pickle, sys
import quadrants as qd
qd.init(arch=qd.cpu, offline_cache=False, log_level="error", debug=True)
try:
    print(pickle.load(sys.stdin.buffer)())
except Exception as error:
    print(type(error).__name__, error)
print({name: dict(counts) for name, counts in qd.coverage.snapshot().items()})
'''
def away(function):
    environment = {**os.environ, "QD_KERNEL_COVERAGE": "1"}
    done = subprocess.run([sys.executable, "-c", PROGRAM], input=cloudpickle.dumps(function), capture_output=True, cwd=WHERE, env=environment)
    print(done.stdout.decode(), done.stderr.decode())
qd.init(arch=qd.cpu)
"""


@pytest.fixture(params=["quadrants", "python3"])
def notebook(request, tmp_path):
    client = Client(request.param)
    if request.param == "python3":
        assert client.run("%load_ext quadrants_jupyter").status == "ok"
    assert client.run(f"WHERE = {str(tmp_path)!r}" + SEND).status == "ok"
    yield client
    client.close()


def test_cells_are_named(notebook):
    notebook.run("def half(x):\n    return x / 2")
    cell = notebook.run("SCALE = 3.0\n\n@qd.kernel\ndef first(x: qd.types.NDArray[qd.f32, 1], n: qd.i32) -> qd.f32:\n"
                        "    for i in range(n):\n        x[i] = half(x[i]) + SCALE\n    return x[0]\nx = qd.ndarray(qd.f32, 4)")  # fmt: skip
    number = cell.reply["content"]["execution_count"]
    text = notebook.run("away(lambda: first(x, 4))").text()
    assert f"\n3.0\n{{'cell {number - 1}': {{2: 4}}, 'cell {number}': {{5: 1, 6: 4, 7: 1}}}}\n" in "\n" + text, text
    text = notebook.run("away(lambda: first(x, 5))").text()
    assert "QuadrantsAssertionError" in text and f'File "cell {number}", line 6, in first:\n        x[i] = half(x[i]) + SCALE' in text, text
