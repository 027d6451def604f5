"""Tests and the programs that they start keep compiled kernels in a folder of their own: one that is full of an earlier
run's would have them load code where they mean to compile it."""

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
