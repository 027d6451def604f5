"""Kernels in processes of multiprocessing, of joblib and of Dask. Each program is a script, since the processes import its `__main__`."""

import subprocess
import sys

import pytest

SHARED = '''
import dataclasses
import pickle
import sys

import quadrants as qd

SCALE = 3

@qd.func
def scaled(x):
    return x * SCALE

@qd.kernel
def step(x: qd.types.NDArray[qd.f32, 1], n: qd.i32) -> qd.i32:
    for i in x:
        x[i] = scaled(x[i]) + n
    return n + 1

@qd.dataclass
class Ball:
    r: qd.f32

    @qd.func
    def grown(self):
        return Ball(r=self.r * 2)

@qd.kernel
def grow(ball: Ball) -> Ball:
    return ball.grown()

@dataclasses.dataclass(frozen=True)
class State:
    x: qd.types.NDArray[qd.f32, 1]

@qd.kernel
def advance(s: State) -> qd.f32:
    for i in s.x:
        s.x[i] += 1
    return s.x[0]

@qd.data_oriented
class Sim:
    def __init__(self, n):
        self.n, self.x = n, qd.ndarray(qd.f32, n)

    @qd.kernel
    def run(self, k: qd.i32) -> qd.i32:
        return self.n * k

@qd.kernel
def of_template(f: qd.template(), n: qd.f32) -> qd.f32:
    return f(n)

@qd.kernel
def wrong():
    x = missing

def begin():
    qd.init(arch=sys.argv[1], offline_cache=False, cpu_max_num_threads=2, log_level="error")

def on_array(n):
    x = qd.ndarray(qd.f32, 3)
    x.fill(n)
    return step(x, 1), x

def apply(kernel, *arguments):
    return kernel(*arguments)
'''

MULTIPROCESSING = (
    SHARED
    + '''
if __name__ == "__main__":
    import multiprocessing

    begin()
    with multiprocessing.get_context(sys.argv[2]).Pool(1, initializer=begin) as pool:
        result, x = pool.apply(on_array, (5,))
        assert (result, x.to_numpy().tolist()) == (2, [16] * 3)
        y = qd.ndarray(qd.f32, 2, needs_grad=True)
        assert pool.apply(step, (y, 6)) == 7 and y[0] == 0
        ball = pool.apply(grow, (Ball(r=2),))
        assert ball.r == 4 and ball._type is Ball
        assert pool.apply(advance, (State(y),)) == 1
        assert pool.apply(Sim(4).run, (5,)) == 20
        assert pool.apply(apply, (of_template, scaled, 1.5)) == 4.5
        kinds = [step, step.grad, scaled, Ball, Ball.grown, Sim.run, qd.f32, qd.math.vec3, qd.types.NDArray[qd.f32, 1]]
        again = pool.apply(apply, (list, kinds))
        assert [a is b for a, b in zip(again, kinds)][:7] == [True] * 7 and again[7] == qd.math.vec3
        try:
            pool.apply(wrong)
        except qd.QuadrantsNameError as error:
            assert 'line 57, in wrong:' in str(error) and "x = missing" in str(error), str(error)
        else:
            sys.exit("no error")
    print("done")
'''
)

JOBLIB = (
    SHARED
    + '''
if __name__ == "__main__":
    import joblib

    def task(k, n):
        begin()
        x = qd.ndarray(qd.f32, 3)
        x.fill(n)
        return step(x, 1), k(n), x.to_numpy().tolist(), grow(Ball(r=n))

    def made(m):
        @qd.kernel
        def kernel(n: qd.i32) -> qd.i32:
            return n * m
        return kernel

    begin()
    kernels = [made(m) for m in range(4)]
    for one, (a, b, c, ball) in enumerate(joblib.Parallel(n_jobs=2)(joblib.delayed(task)(k, 5) for k in kernels)):
        assert (a, b, c, ball.r) == (2, 5 * one, [16] * 3, 10) and ball._type is Ball
    assert joblib.hash(step) == joblib.hash(pickle.loads(pickle.dumps(step))) != joblib.hash(grow)
    print("done")
'''
)

DASK = (
    SHARED
    + '''
if __name__ == "__main__":
    import dask
    import dask.array
    import distributed
    import numpy as np
    from dask.base import tokenize

    begin()

    def block(values):
        begin()
        x = qd.ndarray(qd.f32, len(values))
        x.from_numpy(values)
        step(x, 1)
        return x.to_numpy()

    assert tokenize(step) == tokenize(step) != tokenize(grow)
    data = dask.array.ones(8, chunks=4, dtype=np.float32)
    with dask.config.set(scheduler="processes", num_workers=1):
        assert data.map_blocks(block).compute().tolist() == [4] * 8
    dask.config.set({"distributed.worker.daemon": False})
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster, cluster.get_client() as client:
        client.run(qd.init, arch=sys.argv[1], offline_cache=False)
        x = qd.ndarray(qd.f32, 3)
        assert client.submit(step, x, 6).result() == 7
        assert client.submit(grow, Ball(r=1)).result()._type is Ball
        assert data.map_blocks(block).compute().tolist() == [4] * 8
        array = client.scatter(qd.ndarray(qd.f32, 1 << 20))
        assert client.submit(lambda a: (step(a, 2), a), array).result()[1][5] == 2
        try:
            client.submit(wrong).result()
        except qd.QuadrantsNameError as error:
            assert 'line 57, in wrong:' in str(error), str(error)
        else:
            sys.exit("no error")
    print("done")
'''
)


def run(folder, program, *arguments):
    script = folder / "script.py"
    script.write_text(program)
    done = subprocess.run([sys.executable, script, *arguments], cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and done.stdout.endswith("done\n"), done.stdout + done.stderr


@pytest.mark.parametrize("method", ["spawn", "forkserver", "fork"])
def test_multiprocessing(arch, method, tmp_path):
    run(tmp_path, MULTIPROCESSING, arch, method)


@pytest.mark.parametrize("arch", ["cpu"], indirect=True)
def test_joblib(arch, tmp_path):
    run(tmp_path, JOBLIB, arch)


@pytest.mark.parametrize("arch", ["cpu"], indirect=True)
def test_dask(arch, tmp_path):
    run(tmp_path, DASK, arch)
