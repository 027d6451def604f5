"""Every example at its small size, as its user starts it: it checks its numbers itself and writes its picture.

All run as compiled code; the cheap ones on the interpreter too.
"""

import os
import pathlib
import subprocess
import sys

import pytest

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
ON_INTERP = {"fft", "nbody", "sudoku"}
RUNS = [(path.stem, "cpu") for path in sorted(EXAMPLES.glob("*.py"))] + [(name, "interp") for name in sorted(ON_INTERP)]


@pytest.mark.parametrize("name, arch", RUNS)
def test_example(name, arch, tmp_path):
    environment = os.environ | {"QD_ARCH": arch, "MPLBACKEND": "agg", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, str(EXAMPLES / f"{name}.py"), "--small"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "out" / f"{name}.png").stat().st_size > 10_000
    assert "Warning" not in done.stderr, done.stderr
