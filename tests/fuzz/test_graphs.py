"""A fixed sample of random graphs; `python -m tests.fuzz.graphs` runs more."""

import pytest
import quadrants as qd

from tests.fuzz import graphs

ARCHS = {"interp": 300, "far": 150, "cpu": 40}


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("debug", (False, True))
def test_graphs(arch, debug, tmp_path):
    qd.init(arch=arch, offline_cache=False, debug=debug)
    seeds = range(1000 * debug, 1000 * debug + ARCHS[arch])
    assert sum(graphs.run(seed, tmp_path) for seed in seeds) > 0.9 * len(seeds)
    qd.reset()
