"""The cost of options: python benchmarks/options.py [OPTION=VALUE ...]

Each setting runs in processes of its own, without the cache on disk: three kernels are compiled and launched, and the CPU time of
both, which other work on the machine hardly affects, is divided by that of the defaults. The minimum of several runs is used.
"""

import os
import subprocess
import sys

SETTINGS = [
    "debug=True", "check_out_of_bound=True", "fast_math=False", "opt_level=0", "cfg_optimization=False",
    "advanced_optimization=False", "cache_loop_invariant_global_vars=False", "make_thread_local=False", "flatten_if=True",
    "compile_tiers=False", "make_cpu_multithreading_loop=False", "default_cpu_block_dim=1", "num_compile_threads=1",
    "kernel_profiler=True", "timeline=True",
]  # fmt: skip
WORKLOADS = ("stencil", "sum", "particles")
PROCESSES = 4


def stencil(qd):
    n = 1000
    a, b = qd.field(qd.f32, (n, n)), qd.field(qd.f32, (n, n))

    @qd.kernel
    def step():
        for i, j in a:
            if 0 < i < n - 1 and 0 < j < n - 1:
                b[i, j] = 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])
        for i, j in a:
            a[i, j] = b[i, j]

    return step


def total(qd):
    x, s = qd.field(qd.f32, 2_000_000), qd.field(qd.f32, ())

    @qd.kernel
    def step():
        for i in x:
            s[None] += x[i] * x[i]

    return step


def particles(qd):
    n = 600
    x, v = qd.Vector.field(3, qd.f32, n), qd.Vector.field(3, qd.f32, n)

    @qd.kernel
    def step():
        for i in x:
            force = qd.Vector([0.0, 0.0, 0.0])
            for j in range(n):
                d = x[j] - x[i]
                if i != j:
                    force += d / (d.dot(d) + 0.01) ** 1.5
            v[i] += 0.001 * force
        for i in x:
            x[i] += v[i] * 0.001

    return step


def measure(workload, settings):
    """Returns the CPU seconds of the first launch without its execution, and of a launch. The clock of threads on another core advances in
    steps of milliseconds, so launches are timed in hundreds."""
    import time

    import quadrants as qd

    options = dict(setting.split("=") for setting in settings)
    options = {name: eval(value) for name, value in options.items()}
    qd.init(arch=qd.cpu, offline_cache=False, log_level="warn", **options)
    step = {"stencil": stencil, "sum": total, "particles": particles}[workload](qd)
    clock = time.process_time
    begin = clock()
    step()
    qd.sync()
    first = clock() - begin
    qd._native.core().settle()
    runs = []
    for _ in range(3):
        launches, begin = 0, clock()
        while clock() - begin < 0.25:
            step()
            launches += 1
        qd.sync()
        runs.append((clock() - begin) / launches)
    return first - min(runs), min(runs)


def in_process(workload, settings):
    environment = {**os.environ, "ENABLE_QUADRANTS_HEADER_PRINT": "0"}
    command = [sys.executable, __file__, "--measure", workload, *settings]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return [float(word) for word in done.stdout.split()[-2:]]


def smallest(workload, settings):
    return [min(column) for column in zip(*(in_process(workload, settings) for _ in range(PROCESSES)))]


def main(settings):
    usual = {workload: smallest(workload, []) for workload in WORKLOADS}
    print("defaults: " + ", ".join(f"{w} {1e3 * c:.1f} ms compile, {1e3 * r:.3f} ms run" for w, (c, r) in usual.items()), flush=True)
    print("| option | " + " | ".join(f"{w}: compile | run" for w in WORKLOADS) + " |\n|" + " --- |" * (1 + 2 * len(WORKLOADS)))
    for setting in settings:
        cells = []
        for workload, (compiled, ran) in usual.items():
            c, r = smallest(workload, [setting])
            cells += [f"{c / compiled:.2f}", f"{r / ran:.2f}"]
        print(f"| `{setting}` | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        print(*measure(sys.argv[2], sys.argv[3:]))
    else:
        main(sys.argv[1:] or SETTINGS)
