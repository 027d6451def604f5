"""Measures how kernels scale with threads, and compares that with the model of docs/design/scaling.md.

    python benchmarks/scaling.py [threads ...]

Runs one process for each number of threads. The inputs of the model are the time of one thread, the bandwidth of a sum over memory
with the same number of threads, and the constants below; the time that it predicts is not among them.
"""

import json
import os
import subprocess
import sys
import time

import numpy as np

ASLEEP = 4e-6  # seconds that it takes a thread to wake another one
MERGED = 4e9  # bytes per second that one thread merges from private copies: 8e9 from its own cache, less from others
AT_ONCE = 1 << 16  # bytes that one thread merges at a time
CASES = {  # name: bytes transferred to and from memory; bytes of the accumulated arrays
    "n-body, 8192": (0, 0),
    "saxpy, 16M": (3 * 4 << 24, 0),
    "stencil, 2048²": (2 * 4 << 22, 0),
    "histogram, 4M into 1,024": (4 << 22, 4 << 10),
    "deposit, 1M into 256²": (8 << 20, 4 << 16),
}


def measure(threads):
    os.environ["QD_BENCH_MODULE"] = "quadrants"
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "peers"))
    import quadrants_like as k
    from data import random

    k.options["cpu_max_num_threads"] = threads
    k.init()
    big = [k.device_array(random(1 << 24, s)) for s in range(2)]
    image = [k.device_array(random((2048, 2048), s)) for s in range(2)]
    bodies = [k.device_array(random(8192, s)) for s in range(6)]
    keys = k.device_array((1024 * random(1 << 22)).astype(np.int32))
    bins, points = k.device_array(np.zeros(1024, np.int32)), [k.device_array(random(1 << 20, s)) for s in range(2)]
    grid = k.device_array(np.zeros((256, 256), np.float32))
    calls = {
        "bandwidth": lambda: k.total(big[0]),
        "n-body, 8192": lambda: k.nbody(*bodies),
        "saxpy, 16M": lambda: k.saxpy(*big, 1e-3),
        "stencil, 2048²": lambda: k.stencil(*image),
        "histogram, 4M into 1,024": lambda: k.histogram(bins, keys),
        "deposit, 1M into 256²": lambda: k.deposit(grid, *points),
    }
    found = {}
    for name, call in calls.items():
        call()
        k.settle()
        samples, begin = [], time.perf_counter()
        while len(samples) < 15 or time.perf_counter() - begin < 0.6:
            t = time.perf_counter()
            call()
            samples.append(time.perf_counter() - t)
        found[name] = float(np.median(samples))
    found["bandwidth"] = (4 << 24) / found["bandwidth"]
    print("RESULT " + json.dumps(found))


def predicted(name, threads, one, bandwidth):
    through_memory, accumulated = CASES[name]
    at_once = min(threads, len(os.sched_getaffinity(0)))
    work = max(one / at_once, through_memory / bandwidth)
    handed_over = ASLEEP * int(np.ceil(np.log2(threads + 1))) if threads > 1 else 0.0
    mergers = min(at_once, -(-accumulated // AT_ONCE)) or 1
    merged = threads * accumulated / MERGED / mergers if threads > 1 else 0.0
    return work + handed_over + merged


def main(wanted):
    results = {}
    for threads in sorted({1, *wanted}):
        done = subprocess.run([sys.executable, __file__, "--measure", str(threads)], capture_output=True, text=True, check=True)
        results[threads] = json.loads(done.stdout.rpartition("RESULT ")[2])
    print(f"{'threads':26}" + "".join(f"{p:>20}" for p in results))
    print(f"{'bandwidth of a sum, GB/s':26}" + "".join(f"{r['bandwidth'] / 1e9:20.1f}" for r in results.values()))
    for name in CASES:
        cells = [(r[name], predicted(name, p, results[1][name], r["bandwidth"])) for p, r in results.items()]
        print(f"{name:26}" + "".join(f"{1e3 * is_:9.2f} ({1e3 * should:6.2f}) ms" for is_, should in cells))
    print("in brackets: what the model says")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        measure(int(sys.argv[2]))
    else:
        main([int(a) for a in sys.argv[1:]] or [1, 2, 4, 8])
