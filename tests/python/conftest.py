"""Every test runs on the interpreter and on compiled code, in a fresh program without the cache on disk.

QD_TEST_ARCHS names other architectures to run on: `far` is the interpreter with memory that the host cannot touch."""

import signal

# A program that a shell starts in the background ignores Ctrl-C, and so would every test of Stop.
signal.signal(signal.SIGINT, signal.default_int_handler)

import gc
import os
import sys

os.environ.setdefault("ENABLE_QUADRANTS_HEADER_PRINT", "0")

import pytest
import quadrants as qd
from cached_programs import CachedPrograms
from quadrants import _native


ARCHS = os.environ.get("QD_TEST_ARCHS", "interp,cpu").split(",")


@pytest.fixture(params=ARCHS, autouse=True)
def arch(request):
    qd.init(arch=request.param, offline_cache=False, print_full_traceback=True)
    yield request.param
    qd.reset()


@pytest.fixture
def both(arch):
    """Runs a function as Python and on the arch of the test, asserts equal results and returns the result."""

    import numpy as np

    def run(program):
        results = []
        for one in ("python", arch):
            qd.init(arch=one, offline_cache=False, print_full_traceback=True, fast_math=False)
            results.append(program())
        np.testing.assert_equal(*results)
        return results[0]

    return run


@pytest.fixture
def memory_in_reach(arch):
    """For tests of memory views, which need memory of arrays and fields that the host can access."""
    if not _native.core().host_visible():
        pytest.skip("the host cannot see the memory of this arch")


@pytest.fixture
def cached(arch, tmp_path):
    """Programs that share a folder of cached kernels."""
    yield CachedPrograms(arch, tmp_path)
    qd.reset()


@pytest.fixture(autouse=True)
def garbage_of_this_test():
    """QD_COLLECT collects garbage at every step of the frontend; older objects are frozen, since it would take hours otherwise."""
    if os.environ.get("QD_COLLECT"):
        gc.collect()
        gc.freeze()
    yield


@pytest.fixture(scope="session", autouse=True)
def coverage_files_elsewhere(tmp_path_factory):
    """Tests that switch kernel coverage on leave no files here."""
    yield
    files = sys.modules.get("quadrants._coverage.files")
    if files is not None and not os.environ.get("QD_KERNEL_COVERAGE"):
        files._folder = str(tmp_path_factory.mktemp("coverage"))
