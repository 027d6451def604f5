"""Builds with scikit-build-core, and records the commit in source distributions, which have no history."""

import subprocess
from pathlib import Path

from scikit_build_core import build as _build
from scikit_build_core.build import *  # noqa: F403

_NOTE = Path("quadrants_core/commit.txt")


def build_sdist(sdist_directory, config_settings=None):
    if _NOTE.exists():  # building from an unpacked source distribution
        return _build.build_sdist(sdist_directory, config_settings)
    asked = subprocess.run(["git", "rev-parse", "--short=8", "HEAD"], capture_output=True, text=True)
    try:
        if asked.returncode == 0:
            _NOTE.write_text(asked.stdout)
        return _build.build_sdist(sdist_directory, config_settings)
    finally:
        _NOTE.unlink(missing_ok=True)
