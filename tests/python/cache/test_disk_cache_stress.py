"""A small part of the stress test of the cache on disk; tests/cache/run.py runs all of it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

RUN = Path(__file__).resolve().parents[2] / "cache" / "run.py"


@pytest.mark.parametrize(
    "part", ["kill -9", "8 at once", "altered files", "other users", "full disk", "read only", "clock set back", "edits"]
)
def test_a_small_stress_run(part, arch):
    if arch != "cpu":
        pytest.skip("its programs run on the cpu")
    share = ["--kills", "15", "--edits", "40", "--seconds", "1", "--alterations", "8"]
    environment = {**os.environ, "ENABLE_QUADRANTS_HEADER_PRINT": "0"}
    done = subprocess.run([sys.executable, str(RUN), *share, "--only", part], capture_output=True, text=True, env=environment, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
