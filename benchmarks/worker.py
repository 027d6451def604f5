"""Runs one case for one implementation in this process and prints a line of JSON: {"ms": ..., "check": ...} or {"cannot": why}.

    worker.py IMPLEMENTATION CASE

Times are of one call, in milliseconds; `check` is a number derived from the result, for comparison between implementations.
"""

import ctypes
import importlib
import json
import os
import pathlib
import sys
import time

START = time.perf_counter()
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "peers"))

import numpy as np  # noqa: E402
from data import random  # noqa: E402

MODULES = {
    "ours": "quadrants_like",
    "reference": "quadrants_like",
    "taichi": "quadrants_like",
    "numba": "numba_kernels",
    "warp": "warp_kernels",
    "limit": None,
}


class Limit:
    """The hand-written C++ kernels behind the same call signatures."""

    def __init__(self):
        self.lib = ctypes.CDLL(os.environ["QD_BENCH_LIMIT"])
        self.lib.total.restype = ctypes.c_float

    def init(self):
        pass

    def sync(self):
        pass

    device_array = staticmethod(lambda data: data.copy())
    host = staticmethod(lambda array: array)

    @staticmethod
    def _p(array):
        return ctypes.c_void_p(array.ctypes.data)

    def saxpy(self, y, x, a):
        self.lib.saxpy(self._p(y), self._p(x), ctypes.c_float(a), ctypes.c_int64(y.size))

    def total(self, x):
        return self.lib.total(self._p(x), ctypes.c_int64(x.size))

    def stencil(self, b, a):
        self.lib.stencil(self._p(b), self._p(a), ctypes.c_int64(a.shape[0]), ctypes.c_int64(a.shape[1]))

    def nbody(self, *arrays):
        self.lib.nbody(*map(self._p, arrays), ctypes.c_int64(arrays[0].size))

    def mandelbrot(self, out, limit):
        self.lib.mandelbrot(self._p(out), ctypes.c_int64(out.shape[0]), ctypes.c_int64(out.shape[1]), ctypes.c_int32(limit))


clock = time.process_time if os.environ.get("QD_BENCH_CLOCK") == "processor" else time.perf_counter


def median_ms(call, repeat=9, seconds=0.0):
    """Median time of one call over at least `repeat` calls and `seconds`; three calls do if they take long."""
    times = []
    begin = clock()
    while (len(times) < repeat or clock() - begin < seconds) and not (len(times) >= 3 and sum(times) > 5):
        t = clock()
        call()
        times.append(clock() - t)
    return 1e3 * float(np.median(times))


def problem(k, name, small):
    """(call, check) of a kernel on small (compile benchmarks) or full-size data."""
    if name == "saxpy":
        n = 1 << 10 if small else 1 << 24
        x, y = k.device_array(random(n)), k.device_array(random(n, 1))
        return lambda: k.saxpy(y, x, 1e-3), lambda: float(k.host(y)[:1000].astype(np.float64).mean())
    if name == "sum":
        x = k.device_array(random(1 << 10 if small else 1 << 24))
        return lambda: k.total(x), lambda: float(k.total(x))
    if name == "stencil":
        n = 64 if small else 2048
        a, b = k.device_array(random((n, n))), k.device_array(np.zeros((n, n), np.float32))
        return lambda: k.stencil(b, a), lambda: float(k.host(b).astype(np.float64).sum())
    if name == "nbody":
        n = 64 if small else 4096
        p = [k.device_array(random(n, s)) for s in range(3)]
        f = [k.device_array(np.zeros(n, np.float32)) for _ in range(3)]
        return lambda: k.nbody(*f, *p), lambda: float(np.abs(k.host(f[0]).astype(np.float64)).mean())
    if name == "mandelbrot":
        n = 32 if small else 512
        out = k.device_array(np.zeros((n, n), np.int32))
        return lambda: k.mandelbrot(out, 200), lambda: float(k.host(out).astype(np.float64).mean())
    if name == "mpm":
        n = 512 if small else 20000
        rng = np.random.default_rng(0)
        x = k.vector_array((0.3 + 0.4 * rng.random((n, 2))).astype(np.float32))
        v = k.vector_array(np.zeros((n, 2), np.float32))
        c = k.matrix_array(np.zeros((n, 2, 2), np.float32))
        j = k.device_array(np.ones(n, np.float32))
        gv = k.vector_array(np.zeros((k.MPM_N, k.MPM_N, 2), np.float32))
        gm = k.device_array(np.zeros((k.MPM_N, k.MPM_N), np.float32))
        return lambda: k.mpm(x, v, c, j, gv, gm, 2e-4), lambda: float(k.host(x).astype(np.float64).mean())
    if name == "products":
        n = 64
        a, out = k.matrix_array(random((n, 3, 3))), k.matrix_array(np.zeros((n, 3, 3), np.float32))
        return lambda: k.products(out, a), lambda: float(k.host(out).astype(np.float64).mean())
    if name == "sort":
        keys = random(1 << 10 if small else 1 << 20)
        return k.sorting(keys), lambda: float((k.host(k.sorted_keys).astype(np.float64) * np.arange(keys.size)).mean())
    if name in ("svd3", "eig6"):
        n, size = 64 if small else 1_000_000, int(name[-1])
        a = random((n, size, size))
        a, out = k.matrix_array(a + a.transpose(0, 2, 1) if size == 6 else a), k.device_array(np.zeros(n, np.float32))
        call = getattr(k, name)
        return lambda: call(out, a), lambda: float(k.host(out).astype(np.float64).mean())
    if name in ("1k", "10k", "20k", "100k"):
        call, out = k.chain(1000 * int(name[:-1])), k.device_array(np.zeros(64, np.float32))
        x = k.device_array(random(64))
        return lambda: call(out, x), lambda: float(k.host(out).astype(np.float64).mean())
    if name == "200 funcs":
        import many_funcs

        sys.path.insert(0, os.getcwd())
        many_funcs.write(pathlib.Path("funcs.py"), 200)
        run, out = importlib.import_module("funcs").run, k.device_array(np.zeros(64, np.float32))
        x = k.device_array(random(64))
        return lambda: run(out, x), lambda: float(k.host(out).astype(np.float64).mean())
    import programs

    return programs.PROGRAMS[name](small)


def run_case(k, implementation, group, name):
    if group in ("run", "cover", "cover complete"):
        call, check = problem(k, name, small=False)
        call()
        k.sync()
        if group == "cover complete":
            k.settle()

        def once():
            call()
            k.sync()

        ms = median_ms(once, 9, 0.5)
        return {"ms": ms, "check": 0.0 if name in ("saxpy", "mpm") else check()}  # these go on from call to call
    if group in ("compile", "ops"):
        call, check = problem(k, name, small=True)
        t = clock()
        call()
        k.sync()
        first = 1e3 * (clock() - t)
        value = check()
        return {"ms": first - median_ms(lambda: (call(), k.sync())), "check": value}
    if group == "start":
        call, check = problem(k, name, small=True)
        call()
        k.sync()
        return {"ms": 1e3 * (time.time() - float(os.environ["QD_BENCH_SPAWNED"])), "check": check()}
    if group.startswith("warm"):
        return many(k, implementation, group, int(name.split()[0]))
    if group == "launch":
        return launch(k, name)
    if group == "cycle":
        k.qd.reset()

        def once():
            k.qd.init(**k.options)
            k.qd.reset()

        return {"ms": median_ms(once, 200), "check": 0.0}
    raise KeyError(group)


def many(k, implementation, group, count):
    """All kernels of a module, each called once. Quadrants must not open its compiler for what is in the cache."""
    sys.path.insert(0, os.getcwd())
    import many_kernels

    path = pathlib.Path(f"many_{implementation}_{count}.py")
    was_there = path.exists()
    many_kernels.write(path, k.__name__, count)
    a, b = k.device_array(random((16, 16))), k.device_array(np.zeros((16, 16), np.float32))
    x, v, f = (k.device_array(random(64, s)) for s in range(3))
    calls = importlib.import_module(path.stem).calls(v, x, b, a, f)
    t = time.perf_counter()
    for call in calls:
        call()
    k.sync()
    ms = 1e3 * (time.perf_counter() - t)
    if group == "warm process":
        ms = 1e3 * (time.time() - float(os.environ["QD_BENCH_SPAWNED"]))
    if implementation == "ours" and was_there and "libquadrants_llvm" in pathlib.Path("/proc/self/maps").read_text():
        raise RuntimeError("the compiler was opened")
    return {"ms": ms, "check": sum(float(k.host(c).astype(np.float64).sum()) for c in (v, b, f))}


def launch(k, name):
    n = 20000
    if name == "empty":
        args, fn = (), k.empty
    elif name == "3 scalars":
        args, fn = (1, 2.0, 3.0), k.scalars
    elif name == "6 ndarrays":
        args, fn = tuple(k.device_array(random(64, s)) for s in range(6)), k.arrays
    elif name == "6 numpy":
        args, fn = tuple(random(64, s) for s in range(6)), k.arrays
    elif name == "60 leaves":
        fn, leaves = k.leaves_kernel([k.device_array(random(64, s)) for s in range(60)])
        args = (leaves,)
    elif name == "field":
        fn, _ = k.field_kernel()
        args = ()
    fn(*args)
    fn(*args)
    loop = [None] * n

    def calls():
        for _ in loop:
            fn(*args)

    def nothing():
        for _ in loop:
            pass

    return {"ms": (median_ms(calls) - median_ms(nothing)) / n, "check": 0.0}


def main():
    implementation, case = sys.argv[1:3]
    group, _, name = case.partition(":")
    try:
        k = Limit() if MODULES[implementation] is None else importlib.import_module(MODULES[implementation])
        k.init()
        if group == "import":
            result = {"ms": 1e3 * (time.time() - float(os.environ["QD_BENCH_SPAWNED"])), "check": 0.0}
        else:
            result = run_case(k, implementation, group, name)
    except (AttributeError, KeyError) as error:
        result = {"cannot": f"{type(error).__name__}: {error}"}
    except Exception as error:  # a peer's own failure belongs in the table
        result = {"cannot": f"{type(error).__name__}: {str(error).splitlines()[0][:80] if str(error) else ''}"}
    print("RESULT " + json.dumps(result))


if __name__ == "__main__":
    main()
