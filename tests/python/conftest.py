"""Every test runs on the interpreter and on compiled code, in a fresh program without the cache on disk."""

import signal

# A shell that starts a program in the background has it ignore Ctrl-C, and so would every test of Stop.
signal.signal(signal.SIGINT, signal.default_int_handler)

import os
import sys

os.environ.setdefault("ENABLE_QUADRANTS_HEADER_PRINT", "0")

import pytest
import quadrants as qd


@pytest.fixture(params=["interp", "cpu"], autouse=True)
def arch(request):
    qd.init(arch=request.param, offline_cache=False, print_full_traceback=True)
    yield request.param
    qd.reset()


@pytest.fixture(scope="session", autouse=True)
def coverage_files_elsewhere(tmp_path_factory):
    """Tests that switch kernel coverage on leave no files here."""
    yield
    files = sys.modules.get("quadrants._coverage_files")
    if files is not None and not os.environ.get("QD_KERNEL_COVERAGE"):
        files._folder = str(tmp_path_factory.mktemp("coverage"))
