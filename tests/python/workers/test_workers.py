"""Workers of Dask and of process pools. Each program is a script, since the processes import its `__main__`."""

import os
import pathlib
import subprocess
import sys

import pytest
import quadrants as qd

EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "examples" / "distributed"
pytestmark = pytest.mark.parametrize("arch", ["cpu"], indirect=True)

SHARED = '''
import os
os.environ["QD_KERNEL_COVERAGE"] = "1"
import pathlib
import signal
import sys
import time

import numpy as np
import quadrants as qd

HERE = pathlib.Path(__file__).parent
OPTIONS = dict(arch=sys.argv[1], offline_cache_file_path=str(HERE / "cache"))

@qd.kernel
def work(x: qd.types.NDArray[qd.f32, 1], n: qd.i32) -> qd.f32:
    total = 0.0
    for i in range(n):
        v = x[i % 4]
        for _ in qd.static(range(30)):
            v = qd.sin(v) + qd.exp(-v * v)
        total += v  # LINE
    return total

LINE = next(i for i, text in enumerate(open(__file__), 1) if text.endswith("# LINE\\n"))

def counted():
    return qd.coverage.snapshot()[__file__][LINE]

def together(number, of):
    """Waits until all tasks are here, so that all workers call the kernel at once."""
    (HERE / f"here{number}").touch()
    while len(list(HERE.glob("here*"))) < of:
        time.sleep(0.001)
    return float(work(np.ones(4, np.float32), 5))

def task(number):
    with open(HERE / "executions", "a") as log:
        log.write(f"{number}\\n")
    result = float(work(np.ones(4, np.float32), number))
    if number == 3 and not (HERE / "killed").exists():
        (HERE / "killed").touch()
        while not (HERE / "go").exists():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGKILL)
    return result

def wait_for(condition):
    until = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)
'''

DASK = (
    SHARED
    + '''
if __name__ == "__main__":
    import dask
    import distributed

    dask.config.set({"distributed.worker.daemon": False})
    with distributed.LocalCluster(n_workers=4, threads_per_worker=1, dashboard_address=None) as cluster, cluster.get_client() as client:
        workers = qd.distributed.connect(client, **OPTIONS)
        addresses = list(client.scheduler_info(n_workers=-1)["workers"])
        assert set(client.run(lambda: qd.cfg.cpu_max_num_threads).values()) == {1}
        futures = [client.submit(together, i, 4, workers=[a], pure=False) for i, a in enumerate(addresses)]
        assert len(set(client.gather(futures))) == 1
        workers.collect()
        made = workers.compilations()
        assert [len(made), len({one.process for one in made}), sum(one.compiled for one in made)] == [4, 4, 1], made
        assert counted() == 20
        workers.collect()
        assert counted() == 20 and len(workers.compilations()) == 4
        (one,) = qd.coverage.specialisations()
        assert (one.kernel, one.title) == ("work", "x: f32[:], n: i32") and one.files[__file__][LINE] == 20

        # A worker is killed in mid-run, and restarted.
        futures = [client.submit(task, n, pure=False) for n in range(8)]
        wait_for((HERE / "killed").exists)
        workers.collect()
        (HERE / "go").touch()
        results = client.gather(futures)
        assert len(results) == 8 and results[5] > results[4] > 0 == results[0]
        executions = list(map(int, (HERE / "executions").read_text().split()))
        assert sorted(set(executions)) == list(range(8)) and executions.count(3) == 2
        wait_for(lambda: len(client.scheduler_info(n_workers=-1)["workers"]) == 4)
        assert set(client.run(lambda: qd.cfg.cpu_max_num_threads).values()) == {1}, "the new worker is set up, too"
        workers.collect()
        assert counted() == 20 + sum(executions), (counted(), executions)

        # Counts arrive without `collect`, too, and those before a clear are gone.
        qd.coverage.clear()
        assert counted() == 0
        client.submit(together, 0, 4).result()
        wait_for(lambda: counted() == 5)
        try:
            qd.distributed.connect(client, archh=1)
        except KeyError as error:
            assert "archh" in str(error)
        else:
            sys.exit("no error")
        workers.close()
        client.submit(together, 1, 4).result()
        assert counted() == 5

    # Workers without processes use the program that is there.
    qd.init(**OPTIONS)
    x = qd.ndarray(qd.f32, 4)
    with distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=None) as cluster, cluster.get_client() as client:
        with qd.distributed.connect(client, **OPTIONS):
            client.submit(lambda: float(work(x, 2))).result()
        assert counted() == 7
    print("done")
'''
)

POOL = (
    SHARED
    + '''
import concurrent.futures
import multiprocessing
import threading

IMPORTED = []  # modules that threads import: a child forked meanwhile would wait for them for ever

class Imports:
    def find_spec(self, name, *_):
        if threading.current_thread() is not threading.main_thread():
            IMPORTED.append(name)

def main(method):
    sys.meta_path.insert(0, Imports())
    context = multiprocessing.get_context(method)
    qd.init(**{**OPTIONS, "offline_cache": False})
    work(np.ones(4, np.float32), 100)  # a forked child must not report it
    with qd.distributed.for_pool(3, **OPTIONS) as workers:
        setup = dict(initializer=workers.initializer, initargs=workers.initargs)
        with concurrent.futures.ProcessPoolExecutor(3, mp_context=context, **setup) as pool:
            assert len(set(pool.map(together, range(3), [3] * 3))) == 1
        workers.collect()
        assert counted() == 115, counted()
        made = workers.compilations()
        assert [len(made), sum(one.compiled for one in made)] == [3, 1], made
        for file in HERE.glob("here*"):
            file.unlink()
        with context.Pool(2, **setup) as pool:
            assert len(set(pool.starmap(together, [(n, 2) for n in range(2)], chunksize=1))) == 1
            workers.collect()
            assert counted() == 125, counted()
    assert len(workers.compilations()) == 5 and sum(one.compiled for one in made) == 1
    assert not IMPORTED, IMPORTED
    print("done")

if __name__ == "__main__":
    main(sys.argv[2])
'''
)


def run(folder, program, *arguments):
    script = folder / "script.py"
    script.write_text(program)
    done = subprocess.run([sys.executable, script, *arguments], cwd=folder, capture_output=True, text=True, timeout=400)
    assert done.returncode == 0 and done.stdout.endswith("done\n"), done.stdout + done.stderr


def example(folder, *command):
    environment = {**os.environ, "QD_OFFLINE_CACHE_FILE_PATH": str(folder / "cache")}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=400)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_ensemble(arch, tmp_path):
    assert example(tmp_path, sys.executable, EXAMPLES / "ensemble.py").endswith("frequency 3.10, damping 0.25; workers that compiled: 1\n")


def test_wave_on_ranks(arch, tmp_path):
    pytest.importorskip("mpi4py")
    start = pathlib.Path(sys.executable).with_name("mpiexec")
    as_root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
    output = example(tmp_path, start, *as_root, "--oversubscribe", "-n", "4", sys.executable, EXAMPLES / "wave_mpi.py")
    assert output.endswith("2 x 2 blocks: the same as the whole\n"), output


def test_a_report_of_everything_replaces_kernels_without_a_title(arch, monkeypatch):
    from quadrants._distributed.worker import Reporter

    qd.init(arch=getattr(qd, arch))
    reporter = Reporter()
    before, after = ("k", 0, "", ("k.py", 1)), ("k", 0, "n: i32", ("k.py", 1))
    monkeypatch.setattr(reporter._changes, "take", lambda: {before, after})
    reporter._changes.rows = {after: {("line", "k.py", 0, 2, 0, 2, 0): 3}}
    rows = {kernel[2]: len(kernel[-1]) for kernel in reporter.everything()["kernels"]}
    assert rows == {"": 0, "n: i32": 1}


def test_dask(arch, tmp_path):
    run(tmp_path, DASK, arch)


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_pools(arch, method, tmp_path):
    run(tmp_path, POOL, arch, method)
