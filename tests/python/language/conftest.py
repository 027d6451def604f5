"""What kernels mean: each test runs on the interpreter and on compiled code."""

import pytest
import quadrants as qd
from quadrants._arch import Arch


@pytest.fixture(params=[Arch.interp, qd.cpu], ids=["interp", "cpu"], autouse=True)
def arch(request):
    qd.init(arch=request.param, offline_cache=False, print_full_traceback=True)
    yield request.param
    qd.reset()
