"""Processes that execute what tests pickle."""

import cloudpickle
import pytest
from worker import Worker


@pytest.fixture
def by_value(request):
    """Pickles what the module of the test defines by value."""
    cloudpickle.register_pickle_by_value(request.module)
    yield
    cloudpickle.unregister_pickle_by_value(request.module)


@pytest.fixture(scope="module")
def workers(tmp_path_factory):
    made = {}
    yield lambda arch: made.get(arch) or made.setdefault(arch, Worker(arch, tmp_path_factory.mktemp("worker")))
    for one in made.values():
        one.end()


@pytest.fixture
def worker(workers, arch, by_value):
    return workers(arch)
