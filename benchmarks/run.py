"""make bench: every case for us and for each peer that is installed, interleaved, each in a process of its own.

Prints a table of medians and ratios (ours / peer), and writes out/bench.json and out/bench.svg. Results are compared with ours
before anything is timed; a peer whose result differs is marked `wrong`, and the JSON file says why a peer cannot run a case.
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
PEERS = ROOT / ".venv-peers" / "bin" / "python"

COVERED = ["saxpy", "sum", "stencil", "nbody", "mandelbrot", "mpm", "mpm88", "bodies", "bitmasked gather", "sort", "svd3"]
CASES = [
    # case, implementations to compare with, repeats
    ("import:", ["reference", "taichi", "numba", "warp", "drjit"], 9),
    ("compile:saxpy", ["reference", "taichi", "numba", "warp", "drjit"], 9),
    ("compile:nbody", ["reference", "taichi", "numba", "warp", "drjit"], 9),
    ("compile:stencil", ["reference", "taichi", "numba", "warp", "drjit"], 9),
    *((f"compile:{name}", ["reference", "taichi", "numba", "warp", "drjit"], 9) for name in ("sum", "mandelbrot", "histogram", "deposit")),
    ("compile:mpm", ["reference", "taichi"], 9),
    ("compile:products", ["reference", "taichi"], 3),
    ("ops:1k", ["reference", "taichi"], 9),
    ("ops:10k", ["reference"], 3),
    ("ops:20k", ["reference"], 3),
    ("ops:100k", [], 3),
    ("ops:200 funcs", ["reference"], 3),  # 20,000 operations, each func with its own source text
    ("start:saxpy", ["reference", "taichi", "numba", "warp", "drjit"], 9),
    *((f"cover-compile:{name}", ["clean", "reference"], 9) for name in COVERED),
    ("warm:saxpy", ["reference", "taichi"], 9),
    ("warm:mpm", ["reference", "taichi"], 9),
    ("warm:50 kernels", ["reference", "taichi", "numba", "warp"], 9),  # the calls only
    ("warm process:50 kernels", ["reference", "taichi", "numba", "warp"], 9),  # from process start
    ("launch:empty", ["reference", "taichi", "numba", "warp"], 3),
    ("launch:3 scalars", ["reference", "taichi", "numba"], 3),
    ("launch:6 ndarrays", ["reference", "taichi"], 3),
    ("launch:6 numpy", ["reference", "taichi", "numba"], 3),
    ("launch:60 leaves", ["reference"], 3),  # a frozen dataclass of arrays, six of them used
    ("launch:field", ["reference", "taichi"], 3),
    ("run:saxpy", ["limit", "reference", "taichi", "numba", "warp", "drjit"], 3),
    ("run:sum", ["limit", "reference", "taichi", "numba", "warp", "drjit"], 3),
    ("run:stencil", ["limit", "reference", "taichi", "numba", "warp", "drjit"], 3),
    ("run:nbody", ["limit", "reference", "taichi", "numba", "warp", "drjit"], 3),
    ("run:mpm", ["limit", "atomics", "reference", "taichi", "numba"], 3),
    ("run:mpm3", ["limit", "atomics", "reference", "taichi"], 3),
    ("run:sph", ["limit", "atomics", "reference", "taichi", "numba"], 3),
    ("run:histogram", ["limit", "atomics", "reference", "taichi", "numba", "warp", "drjit"], 3),
    ("run:deposit", ["limit", "atomics", "reference", "taichi", "numba", "warp", "drjit"], 3),
    ("run:mandelbrot", ["limit", "reference", "taichi", "numba", "warp", "drjit"], 3),
    *((f"run:{name}", ["reference", "taichi"], 3) for name in (
        "field, struct-for", "field, range", "ndarray, struct-for", "pointer scatter", "bitmasked scatter", "pointer gather",
        "bitmasked gather", "bitmasked cells", "twelve fields", "mpm88", "bodies")),
    ("run:sort", ["reference", "taichi"], 3),  # 2**20 keys with values
    ("run:svd3", ["reference", "taichi"], 3),  # 1e6 matrices, also for the next
    ("run:eig6", ["reference", "taichi"], 3),
    *((f"cover:{name}", ["clean", "reference"], 9) for name in COVERED),  # exact counts
    *((f"cover complete:{name}", ["clean"], 9) for name in COVERED),  # execution flags only, after the first calls
    *((f"{what}:{name}", ["reference", "taichi"], 3) for name in ("nbody", "recurrence", "mpm88", "stencil", "chain")
      for what in ("primal", "gradient", "compile primal", "compile gradient")),
    ("gradient:recurrence, 1/2", [], 3),  # the budget, as a part of the memory that it takes without one
    ("gradient:recurrence, 1/16", [], 3),
    ("graph:task of ten", ["reference"], 3),  # small loops, also for the next; time per task, including its work
    ("graph:1000 iterations", ["reference"], 3),  # iterations of a do_while with three tasks
    ("graph:checkpoint", ["reference"], 3),  # a checkpoint that does not yield
    ("graph:resume", ["reference"], 3),  # resumes a launch at the last of ten tasks
    ("cycle:init and reset", ["reference", "taichi"], 3),
]
LONGEST = 600  # limit for one process, in seconds
TOLERANCE = 2e-3  # relative difference of the results of two implementations (f32, other orders of summation)


def build_limit(folder):
    compiler = next((c for c in ("clang++", "clang++-22", "clang++-19", "g++") if shutil.which(c)), None)
    if compiler is None:
        return None
    library = pathlib.Path(folder) / "limit.so"
    command = [compiler, "-O3", "-march=native", "-ffast-math", "-fopenmp", "-shared", "-fPIC", *(str(HERE / "peers" / f"{name}.cpp") for name in ("limit", "particles")), "-o", str(library)]
    if subprocess.run(command, capture_output=True).returncode != 0 and compiler != "g++" and shutil.which("g++"):
        subprocess.run(["g++", *command[1:]], check=True)
    return library


def newest_llvm():
    """Returns the path of the newest LLVM of the system. Dr.Jit opens it, but searches few of its possible locations."""
    found = {int(p.parts[-3].removeprefix("llvm-")): p for p in pathlib.Path("/usr/lib").glob("llvm-*/lib/libLLVM.so")}
    return str(found[max(found)]) if found else None


class Runner:
    """Runs cases. `other`: the interpreter of another build of Quadrants."""

    def __init__(self, folder, processor_time=False, other=None):
        self.processor_time = processor_time
        self.other = other
        self.folder = pathlib.Path(folder)
        self.limit = build_limit(folder)
        self.fresh = 0

    def available(self, implementation):
        if implementation in ("ours", "clean"):
            return True
        if implementation == "other":
            return self.other is not None
        return self.limit is not None if implementation in ("limit", "atomics") else PEERS.exists()

    def run(self, implementation, case):
        group, _, name = case.partition(":")
        env = dict(os.environ, QD_BENCH_SPAWNED=repr(time.time()), ENABLE_QUADRANTS_HEADER_PRINT="0")
        env["QD_BENCH_MODULE"] = "taichi" if implementation == "taichi" else "quadrants"
        env["QD_BENCH_LIMIT"] = str(self.limit)
        env["OMP_NUM_THREADS"] = env["NUMBA_NUM_THREADS"] = str(os.cpu_count())
        if implementation == "drjit" and "DRJIT_LIBLLVM_PATH" not in env and (llvm := newest_llvm()):
            env["DRJIT_LIBLLVM_PATH"] = llvm
        if self.processor_time:
            env["QD_BENCH_CLOCK"] = "processor"
            for threads in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "QD_CPU_MAX_NUM_THREADS", "TI_CPU_MAX_NUM_THREADS"):
                env[threads] = "1"
        env.pop("PYTHONPATH", None)
        python = str(PEERS) if implementation in ("reference", "taichi", "numba", "warp", "drjit") else str(self.other) if implementation == "other" else sys.executable
        if group in ("warm", "warm process"):
            # one process fills the cache, the next one is timed
            case = case if "kernels" in name else f"start:{name}"
            env["QD_BENCH_CACHE"] = "1"
            env["QD_OFFLINE_CACHE_FILE_PATH"] = env["TI_OFFLINE_CACHE_FILE_PATH"] = str(self.folder / f"cache-{implementation}")
            env["WARP_CACHE"] = str(self.folder / "warp")
        else:
            self.fresh += 1
            env["WARP_CACHE"] = str(self.folder / f"warp-{self.fresh}")
            env["DRJIT_CACHE_DIR"] = str(self.folder / f"drjit-{self.fresh}")
        if group.startswith("cover"):
            case = case.replace("cover-compile", "compile")
            env["QD_KERNEL_COVERAGE"] = "0" if implementation == "clean" else "1"
            env["QD_COVERAGE_COUNTS"] = "0" if group == "cover complete" else "1"
        env["QD_BENCH_SPAWNED"] = repr(time.time())
        command = [python, str(HERE / "worker.py"), "ours" if implementation == "clean" else implementation, case]
        try:
            done = subprocess.run(command, env=env, cwd=self.folder, capture_output=True, text=True, timeout=LONGEST)
        except subprocess.TimeoutExpired:
            return {"cannot": f"took more than {LONGEST} s"}
        for line in done.stdout.splitlines():
            if line.startswith("RESULT "):
                return json.loads(line[7:])
        return {"cannot": (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1][:100]}


def close(a, b):
    return abs(a - b) <= TOLERANCE * max(abs(a), abs(b), 1e-6)


def measure(runner, case, peers, repeats, quick):
    """Returns {implementation: {"ms", "spread", "check"} or {"cannot"}}. Runs one round after the other, so that drift affects all alike.
    """
    implementations = ["ours", *(p for p in peers if runner.available(p))]
    results = {i: runner.run(i, case) for i in implementations}  # also compares results, and warms up caches
    running = [i for i in implementations if "ms" in results[i]]
    ours = results["ours"].get("check")
    for i in running:
        if ours is not None and not close(results[i]["check"], ours):
            results[i] = {"cannot": f"wrong: {results[i]['check']} instead of {ours}"}
    running = [i for i in running if "ms" in results[i]]
    samples = {i: [] for i in running}
    for _ in range(1 if quick else repeats):
        for i in running:
            again = runner.run(i, case)
            if "ms" in again:
                samples[i].append(again["ms"])
    for i, values in samples.items():
        if values:
            more = {"bytes": results[i]["bytes"]} if results[i].get("bytes") is not None else {}
            spread = (max(values) - min(values)) / statistics.median(values)
            results[i] = {"ms": statistics.median(values), "spread": spread, "check": results[i]["check"], **more}
    return results


def show_time(ms):
    return f"{1e6 * ms:.0f} ns" if ms < 1e-3 else f"{1e3 * ms:.2f} us" if ms < 1 else f"{ms:.2f} ms" if ms < 100 else f"{ms:.0f} ms"


def back_and_forth(table):
    """Returns the lines of a table: the ratio of each gradient's time to that of its program, also for compilation."""
    names = dict.fromkeys(case.partition(":")[2] for case in table if case.startswith("gradient:"))
    columns = ["ours", "reference", "taichi"]
    rows = []
    for name in names:
        for what in ("", "compile "):
            ways = [table.get(f"{what}{way}:{name.partition(',')[0]}" if way == "primal" else f"{what}{way}:{name}", {}) for way in ("primal", "gradient")]
            times = [[way.get(c, {}).get("ms") for way in ways] for c in columns]
            if any(all(pair) for pair in times):
                ratios = "".join(f"{back / forth:19.2f}x" if forth and back else f"{'-':>20}" for forth, back in times)
                kept = "" if what else f"   {ways[1].get('ours', {}).get('bytes')} bytes of a thread"
                rows.append(f"{what + name:26}{ratios}{kept}")
    return [f"{'gradient / program':26}" + "".join(f"{c:>20}" for c in columns), *rows] if rows else []


def plot(table, path):
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    rows = [(case, {i: r["ms"] for i, r in results.items() if "ms" in r}) for case, results in table.items()]
    rows = [(case, r) for case, r in rows if "ours" in r and len(r) > 1]
    figure, axes = plt.subplots(figsize=(9, 0.32 * len(rows) + 1.5), layout="constrained")
    markers = {"reference": "o", "taichi": "s", "numba": "^", "warp": "D", "drjit": "v", "limit": "|", "atomics": "+", "clean": "x", "other": "*"}
    for y, (_, r) in enumerate(rows):
        for i, ms in r.items():
            if i != "ours":
                axes.plot(ms / r["ours"], y, markers[i], color=f"C{list(markers).index(i)}", markersize=9 if i == "limit" else 6)
    axes.axvline(1, color="0.4", linewidth=1)
    axes.set_xscale("log")
    axes.set_yticks(range(len(rows)), [case.replace(":", ": ") for case, _ in rows])
    axes.invert_yaxis()
    axes.set_xlabel("time of the peer / time of Quadrants (right of the line: Quadrants is faster)")
    axes.legend([plt.Line2D([], [], marker=m, linestyle="", color=f"C{c}") for c, m in enumerate(markers.values())], markers, loc="lower right")
    axes.grid(axis="x", alpha=0.3)
    figure.savefig(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--peers", default="limit,atomics,reference,taichi,numba,warp,drjit", help="compare with these only")
    parser.add_argument("--quick", action="store_true", help="one timed round only")
    parser.add_argument("--processor-time", action="store_true", help="of one thread, for a machine that does other work too")
    parser.add_argument("--against", type=pathlib.Path, metavar="CHECKOUT", help="compare with what is built in another checkout too (column `other`)")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "out")
    args = parser.parse_args()
    if not PEERS.exists():
        print("no peers: run `make bench-peers` once to compare with them")
    other = args.against and args.against.resolve() / ".venv" / "bin" / "python"
    if other and not other.exists():
        parser.error(f"{args.against} is not built: run `make install` there")
    args.out.mkdir(exist_ok=True)
    table = {}
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(folder, args.processor_time, other)
        # `clean`: Quadrants without coverage; `limit`: C++ with private copies for updates of shared memory; `atomics`: C++ with atomics.
        columns = [*(["other"] if other else []), "clean", "limit", "atomics", "reference", "taichi", "numba", "warp", "drjit"]
        print(f"{'case':26}{'ours':>11}" + "".join(f"{c:>20}" for c in columns) + "   (time, ratio ours/peer)")
        for case, peers, repeats in CASES:
            if args.only not in case:
                continue
            peers = ["other", *(p for p in peers if p == "clean" or p in args.peers.split(","))]
            results = table[case] = measure(runner, case, peers, repeats, args.quick)
            ours = results["ours"].get("ms")
            line = f"{case:26}{show_time(ours) if ours else 'cannot':>11}"
            for c in columns:
                r = results.get(c)
                cell = "-" if r is None else f"{show_time(r['ms'])} {ours / r['ms']:6.2f}x" if "ms" in r and ours else "wrong" if "wrong" in r.get("cannot", "") else "cannot"
                line += f"{cell:>20}"
            print(line, flush=True)
            if not ours:
                print("    " + results["ours"]["cannot"])
    print("\n".join(back_and_forth(table)))
    (args.out / "bench.json").write_text(json.dumps(table, indent=1))
    if table:
        plot(table, args.out / "bench.svg")
    if not args.only or args.only in "notebook":
        script = HERE / "notebook_bench.py"
        for python in [sys.executable, *([str(other)] if other else [])]:
            subprocess.run([python, str(script)], check=False)


if __name__ == "__main__":
    main()
