"""Tests and the programs that they start have their own cache folder, since with an earlier run's cache they would load code instead of
compiling it."""

import atexit
import os
import shutil
import tempfile

_caches = tempfile.mkdtemp(prefix="quadrants-tests-")
_owner = os.getpid()
os.environ["XDG_CACHE_HOME"] = _caches


@atexit.register
def _remove():
    if os.getpid() == _owner:  # not in forked children
        shutil.rmtree(_caches, ignore_errors=True)
