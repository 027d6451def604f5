"""Every example at its small size, started as users start it: it checks its own numbers and writes its picture.

All run as compiled code, and the cheap ones on the interpreter too. QD_TEST_ARCHS names other architectures to run on.
"""

import os
import pathlib
import subprocess
import sys

import pytest

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
ALL = [path.stem for path in sorted(EXAMPLES.glob("*.py"))]
CHEAP = ["fft", "nbody", "sudoku"]
ARCHS = os.environ.get("QD_TEST_ARCHS", "cpu,interp").split(",")
RUNS = [(name, arch) for arch in ARCHS for name in (ALL if arch == "cpu" else CHEAP)]


@pytest.mark.parametrize("name, arch", RUNS)
def test_example(name, arch, tmp_path):
    environment = os.environ | {"QD_ARCH": arch, "MPLBACKEND": "agg", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, str(EXAMPLES / f"{name}.py"), "--small"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "out" / f"{name}.png").stat().st_size > 10_000
    assert "Warning" not in done.stderr, done.stderr


def test_installed_examples(tmp_path):
    run = lambda *words: subprocess.run([sys.executable, "-m", "quadrants.examples", *words], cwd=tmp_path, capture_output=True, text=True)  # noqa: E731
    listed = run().stdout
    assert all(f"  {name} " in listed for name in ALL)
    assert run("sudoku", "--small").returncode == 0 and (tmp_path / "out/sudoku.png").exists()
    pipe = f"set -o pipefail; {sys.executable} -m quadrants.examples | true"
    left = subprocess.run(["bash", "-c", pipe], cwd=tmp_path, capture_output=True, text=True)
    assert left.returncode in (0, 1) and "Traceback" not in left.stderr, left.stderr
    wrong = run("sudoko")
    assert wrong.returncode == 2 and "sudoku" in wrong.stderr
