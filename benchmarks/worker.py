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
    "other": "quadrants_like",
    "reference": "quadrants_like",
    "taichi": "quadrants_like",
    "numba": "numba_kernels",
    "warp": "warp_kernels",
    "drjit": "dr_kernels",
    "limit": None,
    "atomics": None,
}


class Limit:
    """The hand-written C++ kernels with the same call signatures. `way`: how kernels update shared memory."""

    MPM_N, MPM3_N = 128, 64

    def __init__(self, way):
        self.way = way
        self.lib = ctypes.CDLL(os.environ["QD_BENCH_LIMIT"])
        self.lib.total.restype = ctypes.c_float

    def init(self):
        pass

    def sync(self):
        pass

    device_array = vector_array = matrix_array = staticmethod(lambda data: data.copy())
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


    def _added(self, name, *args):
        getattr(self.lib, f"{name}_{self.way}")(*(self._p(a) if isinstance(a, np.ndarray) else a for a in args))

    def histogram(self, out, keys):
        self._added("histogram", out, ctypes.c_int64(out.size), keys, ctypes.c_int64(keys.size))

    def deposit(self, grid, x, y):
        self._added("deposit", grid, ctypes.c_int64(grid.shape[0]), x, y, ctypes.c_int64(x.size))

    def sph(self, density, x, cells, count, start, order):
        self._added("sph", density, x, ctypes.c_int64(density.size), ctypes.c_int64(cells), count, start, order)

    def mpm(self, x, v, c, j, gv, gm, dt):
        self._added("mpm", x, v, c, j, gv, gm, ctypes.c_int64(j.size), ctypes.c_int64(gm.shape[0]), ctypes.c_float(dt))

    def mpm3(self, x, v, c, j, gv, gm, dt):
        self._added("mpm3", x, v, c, j, gv, gm, ctypes.c_int64(j.size), ctypes.c_int64(gm.shape[0]), ctypes.c_float(dt))


clock = time.process_time if os.environ.get("QD_BENCH_CLOCK") == "processor" else time.perf_counter


def median_ms(call, repeat=9, seconds=0.0):
    """Returns the median time of one call over at least `repeat` calls and `seconds`; three calls suffice if they take long."""
    times = []
    begin = clock()
    while (len(times) < repeat or clock() - begin < seconds) and not (len(times) >= 3 and sum(times) > 5):
        t = clock()
        call()
        times.append(clock() - t)
    return 1e3 * float(np.median(times))


def problem(k, name, small):
    """Returns (call, check) of a kernel on small (compile benchmarks) or full-size data."""
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
    if name == "histogram":
        n, bins = (1000, 16) if small else (1 << 22, 1024)
        keys = k.device_array((bins * random(n) ** 2).astype(np.int32))
        out = k.device_array(np.zeros(bins, np.int32))
        return lambda: k.histogram(out, keys), lambda: float((k.host(out).astype(np.float64) * np.arange(bins)).mean())
    if name == "deposit":
        n, cells = (1000, 16) if small else (1 << 20, 256)
        x, y = k.device_array(random(n)), k.device_array(random(n, 1))
        grid = k.device_array(np.zeros((cells, cells), np.float32))
        return lambda: k.deposit(grid, x, y), lambda: float((k.host(grid).astype(np.float64) ** 2).mean())
    if name == "sph":
        n, cells = (500, 4) if small else (100_000, 24)
        x, density = k.vector_array(random((n, 3))), k.device_array(np.zeros(n, np.float32))
        count, start = (k.device_array(np.zeros(cells**3, np.int32)) for _ in range(2))
        order = k.device_array(np.zeros(n, np.int32))
        return lambda: k.sph(density, x, cells, count, start, order), lambda: float(k.host(density).astype(np.float64).mean())
    if name in ("mpm", "mpm3"):
        n, d = 512 if small else 20000 if name == "mpm" else 50000, 2 if name == "mpm" else 3
        rng = np.random.default_rng(0)
        x = k.vector_array((0.3 + 0.4 * rng.random((n, d))).astype(np.float32))
        v = k.vector_array((0.1 * rng.random((n, d))).astype(np.float32))
        c = k.matrix_array(np.zeros((n, d, d), np.float32))
        j = k.device_array(np.ones(n, np.float32))
        size = (k.MPM_N if d == 2 else k.MPM3_N,) * d
        gv, gm = k.vector_array(np.zeros((*size, d), np.float32)), k.device_array(np.zeros(size, np.float32))
        call = k.mpm if d == 2 else k.mpm3
        return lambda: call(x, v, c, j, gv, gm, 2e-4), lambda: float(sum(np.abs(k.host(a).astype(np.float64)).mean() for a in (x, v, c)))
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
        value = check()  # some continue from call to call
        if group == "cover complete":
            k.settle()

        def once():
            call()
            k.sync()

        return {"ms": median_ms(once, 9, 0.5), "check": value}
    if group in ("compile", "ops"):
        # Mandelbrot includes the wait for a compiler that is still being opened; the others do not, however short their set-up.
        if name != "mandelbrot":
            time.sleep(0.3)
        call, check = problem(k, name, small=True)
        t = clock()
        call()
        k.sync()
        first = 1e3 * (clock() - t)
        value = check()
        return {"ms": first - median_ms(lambda: (call(), k.sync())), "check": value}
    if group in ("primal", "gradient", "compile primal", "compile gradient"):
        return differentiable(k, group, name)
    if group == "start":
        call, check = problem(k, name, small=True)
        call()
        k.sync()
        return {"ms": 1e3 * (time.time() - float(os.environ["QD_BENCH_SPAWNED"])), "check": check()}
    if group.startswith("warm"):
        return many(k, implementation, group, int(name.split()[0]))
    if group == "launch":
        return launch(k, name)
    if group == "graph":
        return graph(k, name)
    if group == "cycle":
        k.qd.reset()

        def once():
            k.qd.init(**k.options)
            k.qd.reset()

        return {"ms": median_ms(once, 200), "check": 0.0}
    raise KeyError(group)


def many(k, implementation, group, count):
    """Times all kernels of a module, each called once. Quadrants must not open its compiler for code in the cache."""
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


def differentiable(k, group, name):
    """Times the forward pass, the backward pass, or the compilation of either."""
    import gradients

    small, backwards = group.startswith("compile"), group.endswith("gradient")
    program = gradients.PROGRAMS[name](small)
    call = program.forward
    if backwards:
        program.forward()
        call = program.backward
    k.sync()
    t = clock()
    call()
    k.sync()
    first = 1e3 * (clock() - t)
    ms = median_ms(lambda: (call(), k.sync()), 9, 0.0 if small else 0.5)
    result = {"ms": first - ms if small else ms, "check": program.check()}
    if backwards:
        result["bytes"] = gradients.kept_bytes()
    return result


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


def graph(k, name):
    import graph_kernels

    call, compared, count = graph_kernels.case(name)
    repeats = 20 if "iterations" in name else 5000

    def each(once):
        def calls():
            for _ in range(repeats):
                once()
            k.sync()

        once()
        calls()
        return median_ms(calls, 15) / repeats

    return {"ms": max(each(call) - (each(compared) if compared else 0.0), 1e-6) / count, "check": 0.0}


def main():
    implementation, case = sys.argv[1:3]
    group, _, name = case.partition(":")
    try:
        k = Limit("atomics" if implementation == "atomics" else "copies") if MODULES[implementation] is None else importlib.import_module(MODULES[implementation])
        k.init()
        if group == "import":
            result = {"ms": 1e3 * (time.time() - float(os.environ["QD_BENCH_SPAWNED"])), "check": 0.0}
        else:
            result = run_case(k, implementation, group, name)
    except (AttributeError, KeyError) as error:
        result = {"cannot": f"{type(error).__name__}: {error}"}
    except Exception as error:  # failures of peers are shown in the table
        result = {"cannot": f"{type(error).__name__}: {str(error).splitlines()[0][:80] if str(error) else ''}"}
    print("RESULT " + json.dumps(result))


if __name__ == "__main__":
    main()
