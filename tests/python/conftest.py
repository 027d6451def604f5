"""Every test runs on the interpreter and on compiled code, in a fresh program without the cache on disk.

QD_TEST_ARCHS names other architectures to run on: `far` is the interpreter with memory that the host cannot touch."""

import signal

# A shell that starts a program in the background has it ignore Ctrl-C, and so would every test of Stop.
signal.signal(signal.SIGINT, signal.default_int_handler)

import gc
import os
import sys

os.environ.setdefault("ENABLE_QUADRANTS_HEADER_PRINT", "0")

import pytest
import quadrants as qd


ARCHS = os.environ.get("QD_TEST_ARCHS", "interp,cpu").split(",")


@pytest.fixture(params=ARCHS, autouse=True)
def arch(request):
    qd.init(arch=request.param, offline_cache=False, print_full_traceback=True)
    yield request.param
    qd.reset()


@pytest.fixture
def memory_in_reach(arch):
    """For tests of views of memory, which the host has only where it sees the memory of arrays and fields."""
    if arch == "far":
        pytest.skip("the host cannot see the memory of this arch")


@pytest.fixture(autouse=True)
def garbage_of_this_test():
    """QD_COLLECT collects at every step of the frontend: what is older is left out, or that would take hours."""
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
