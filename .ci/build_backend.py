"""scikit-build-core, and in a source distribution, which has no history, the commit that it was made of."""

import subprocess
from pathlib import Path

from scikit_build_core import build as _build
from scikit_build_core.build import *  # noqa: F403

_NOTE = Path("quadrants_core/commit.txt")


def build_sdist(sdist_directory, config_settings=None):
    if _NOTE.exists():  # made from an unpacked one
        return _build.build_sdist(sdist_directory, config_settings)
    asked = subprocess.run(["git", "rev-parse", "--short=8", "HEAD"], capture_output=True, text=True)
    try:
        if asked.returncode == 0:
            _NOTE.write_text(asked.stdout)
        return _build.build_sdist(sdist_directory, config_settings)
    finally:
        _NOTE.unlink(missing_ok=True)
