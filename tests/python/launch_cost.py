"""What a call of a tiny kernel costs from Python: `python tests/python/launch_cost.py` prints microseconds per call.

Each case is the fastest of 60 rounds of 5,000 calls, less the cost of an empty loop."""

import time

import numpy as np
import quadrants as qd

ROUNDS, CALLS = 60, 5_000
Array = qd.types.ndarray(qd.f32, ndim=1)


@qd.kernel
def empty():
    pass


@qd.kernel
def three_scalars(a: qd.i32, b: qd.f32, c: qd.f64):
    pass


@qd.kernel
def six_arrays(a: Array, b: Array, c: Array, d: Array, e: Array, f: Array):
    for i in range(1):
        a[i] = b[i] + c[i] + d[i] + e[i] + f[i]


@qd.kernel
def one_field(x: qd.template()):
    for i in range(1):
        x[i] = 1.0


@qd.kernel
def returns() -> qd.f32:
    return 1.0


def per_call(fn, *args):
    busy, idle = [], []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for _ in range(CALLS):
            fn(*args)
        middle = time.perf_counter()
        for _ in range(CALLS):
            pass
        busy.append(middle - start)
        idle.append(time.perf_counter() - middle)
    return (min(busy) - min(idle)) / CALLS * 1e6


def main():
    qd.init(arch=qd.cpu)
    arrays = [qd.ndarray(qd.f32, 4) for _ in range(6)]
    numpy_arrays = [np.zeros(4, np.float32) for _ in range(6)]
    x = qd.field(qd.f32, 4)
    cases = [
        ("empty kernel", empty, (), 0.10),
        ("3 scalars", three_scalars, (1, 2.0, 3.0), 0.16),
        ("6 ndarrays", six_arrays, tuple(arrays), 0.35),
        ("6 numpy arrays", six_arrays, tuple(numpy_arrays), 0.40),
        ("one field", one_field, (x,), 0.15),
        ("scalar returned", returns, (), 0.15),
    ]
    for name, fn, args, target in cases:
        fn(*args)
        print(f"{name:16} {per_call(fn, *args):7.3f} us   (target {target:.2f})")


if __name__ == "__main__":
    main()
