"""What kernels mean: each test runs on the interpreter and on compiled code, or where QD_TEST_ARCHS says."""

import os

import pytest
import quadrants as qd
from quadrants import _arch


ARCHS = os.environ.get("QD_TEST_ARCHS", "interp,cpu").split(",")


@pytest.fixture(params=[_arch.from_name(name) for name in ARCHS], ids=ARCHS, autouse=True)
def arch(request):
    qd.init(arch=request.param, offline_cache=False, print_full_traceback=True)
    yield request.param
    qd.reset()
