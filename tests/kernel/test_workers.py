"""Kernels of cells on workers of Dask: their counts reach the marks of the cell, and errors name the cell and the line."""

import pytest
from conftest import Client
from test_live import CELL, lines, only, opened, run, told

BEGIN = """
import dask, distributed
dask.config.set({"distributed.worker.daemon": False})
cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
client = cluster.get_client()
workers = qd.distributed.connect(client, arch=qd.cpu, debug=True)
def clipped(n):
    x = np.full(n, 20, np.float32)
    clip(x)
    return x
"""


@pytest.fixture
def session():
    client = Client("quadrants")
    client.run("import numpy as np\nimport quadrants as qd\nqd.init(arch=qd.cpu, offline_cache=False)")
    client.run("%load_ext quadrants_jupyter")
    yield client
    client.run("workers.close(); client.close(); cluster.close()")
    client.close()


def test_counts_and_errors_of_cells(session):
    run(session, BEGIN, "begin")
    defined = run(session, CELL, "first")
    (comm_id,) = opened(defined)
    cell = only(told(run(session, "clip(np.full(2, 20, np.float32))", "here"), comm_id))
    assert lines(cell)[11] == (2, 2, None)

    away = run(session, "print(sum(map(sum, client.gather(client.map(clipped, [3, 4, 5])))))\nworkers.collect()", "away")
    assert away.text() == "120.0\n"
    cell = only(told(away, comm_id))
    assert cell["cell_id"] == "first"
    assert lines(cell) == {4: (14, 12, 2), 5: (14, 12, 2), 6: (14, 12, 2), 10: (4, 3, 1), 11: (14, 12, 2)}
    assert next(line for line in cell["lines"] if line["number"] == 4)["outcomes"] == {"taken": 14, "not_taken": 0}
    assert [one["name"] for one in cell["specialisations"]] == ["clip(x: f32[:])"]

    run(session, CELL.replace("x[i] = limited(x[i])", "x[i + 1] = limited(x[i])"), "first")
    failed = session.run("client.submit(clipped, 6).result()")
    number = int(cell["label"].removeprefix("cell ")) + 3
    assert failed.error == "QuadrantsAssertionError"
    assert f'File "cell {number}", line 11, in clip:' in failed.of("error")[0]["evalue"], failed.of("error")[0]["evalue"]
