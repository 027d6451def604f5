"""Measures how a wave scales with ranks of MPI, and compares that with the model of docs/guide/distributed.md; then how many tasks a
second Dask's scheduler hands out.

    python benchmarks/processes.py [ranks ...]

The inputs of the model are the time of a cell on one rank, and the latency and bandwidth of a message between two ranks; the times that it
predicts are not among them. Times are the best of several runs, since the machine may run other programs. Needs mpi4py and openmpi.
"""

import json
import os
import pathlib
import subprocess
import sys
import time

import numpy as np
import quadrants as qd

STRONG, WEAK = 1024, 512  # side of the whole grid, and of the block of each rank
STEPS, RUNS = 1, 120
CORES = len(os.sched_getaffinity(0))
NETWORK = 2e-6, 12e9  # seconds and bytes per second that are assumed between nodes


@qd.kernel
def advance(old: qd.types.NDArray[qd.f64, 2], now: qd.types.NDArray[qd.f64, 2], new: qd.types.NDArray[qd.f64, 2]):
    for i, j in qd.ndrange((1, now.shape[0] - 1), (1, now.shape[1] - 1)):
        laplacian = now[i - 1, j] + now[i + 1, j] + now[i, j - 1] + now[i, j + 1] - 4 * now[i, j]
        new[i, j] = 2 * now[i, j] - old[i, j] + 0.25 * laplacian


def best(comm, work):
    """Returns the shortest time of RUNS runs, each as long as that of the slowest rank."""
    from mpi4py import MPI

    times = []
    for _ in range(RUNS):
        comm.Barrier()
        begin = time.perf_counter()
        work()
        times.append(comm.allreduce(time.perf_counter() - begin, MPI.MAX))
    return min(times)


def step_time(grid, shape):
    """Returns the time of a step on blocks of this shape."""
    from mpi4py import MPI

    shape = tuple(n + 2 for n in shape)
    part = lambda place: MPI.DOUBLE.Create_subarray(shape, [s.stop - s.start for s in place], [s.start for s in place]).Commit()
    faces = [(face, part(face.inner), part(face.halo)) for face in qd.distributed.faces(shape)]
    arrays = [qd.ndarray(qd.f64, shape) for _ in range(3)]
    views = [np.from_dlpack(x) for x in arrays]
    views[1][:] = np.random.default_rng(grid.rank).random(shape)
    exchanges = [(inner, next(h for f, _, h in faces if (f.axis, f.side) == (face.axis, -face.side)), *grid.Shift(face.axis, face.side))
                 for face, inner, _ in faces]  # fmt: skip

    def run():
        for step in range(STEPS):
            now = views[(step + 1) % 3]
            for inner, halo, source, target in exchanges:
                grid.Sendrecv([now, 1, inner], target, recvbuf=[now, 1, halo], source=source)
            advance(*(arrays[(step + k) % 3] for k in range(3)))

    run()
    return best(grid, run) / STEPS


def message_time(comm, count):
    """Returns the time in which the first two ranks exchange messages of so many bytes."""
    out, into = np.zeros(count, np.uint8), np.empty(count, np.uint8)

    def run():
        if comm.rank < 2:
            for _ in range(STEPS):
                comm.Sendrecv(out, 1 - comm.rank, recvbuf=into, source=1 - comm.rank)

    return best(comm, run) / STEPS


def measure():
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    dims = MPI.Compute_dims(comm.size, 2)
    grid = comm.Create_cart(dims)
    qd.init(arch=qd.cpu, cpu_max_num_threads=1, log_level="error")
    found = {"dims": dims, "strong": step_time(grid, [STRONG // n for n in dims]), "weak": step_time(grid, [WEAK] * 2)}
    if comm.size == 2:
        small, large = message_time(comm, 8), message_time(comm, 1 << 20)
        found.update(latency=small, bandwidth=(1 << 20) / (large - small))
    if comm.rank == 0:
        print("RESULT " + json.dumps(found))


def predicted(block, dims, cell, latency, bandwidth, cores=None):
    """Returns the time of a step: that of the cells of a block, on cores that ranks may share, and of the messages that a rank exchanges."""
    ranks = dims[0] * dims[1]
    share = max(1, ranks / cores) if cores else 1
    time_of_cells = block[0] * block[1] * cell * share
    messages = [(2 if dims[axis] > 1 else 0, 8 * (block[1 - axis] + 2)) for axis in range(2)]  # to both sides
    return time_of_cells + sum(n * (latency + count / bandwidth) for n, count in messages) * share


def measure_dask():
    """Returns, for 1, 2 and 4 workers, the tasks a second, and the time of a core that the scheduler and the client, which are one process
    here, spend on a task."""
    import distributed

    found = {}
    for workers in (1, 2, 4):
        with distributed.Client(n_workers=workers, threads_per_worker=1, dashboard_address=None) as client:
            client.gather(client.map(abs, range(50), pure=False))
            begin, busy = time.perf_counter(), time.process_time()
            client.gather(client.map(abs, range(1000), pure=False))
            found[workers] = 1000 / (time.perf_counter() - begin), (time.process_time() - busy) / 1000
    return found


def main(wanted):
    start = pathlib.Path(sys.executable).with_name("mpiexec")
    as_root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
    results = {}
    for ranks in sorted({1, 2, *wanted}):
        command = [start, *as_root, "--oversubscribe", "-n", str(ranks), sys.executable, __file__, "--measure"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        results[ranks] = json.loads(done.stdout.rpartition("RESULT ")[2])
    cells = {"strong": results[1]["strong"] / STRONG**2, "weak": results[1]["weak"] / WEAK**2}
    latency, bandwidth = results[2]["latency"], results[2]["bandwidth"]
    print(f"{CORES} cores; a cell takes {1e9 * cells['strong']:.2f} ns in {STRONG}², {1e9 * cells['weak']:.2f} in {WEAK}²; a message takes "
          f"{1e6 * latency:.1f} us and {bandwidth / 1e9:.1f} GB/s")  # fmt: skip
    for ranks, r in results.items():
        blocks = {"strong": [STRONG // n for n in r["dims"]], "weak": [WEAK] * 2}
        said = {name: predicted(block, r["dims"], cells[name], latency, bandwidth, CORES) for name, block in blocks.items()}
        print(f"{ranks} ranks: " + ", ".join(f"{name} {1e3 * r[name]:.2f} ms ({1e3 * said[name]:.2f})" for name in blocks))
    print("in brackets: what the model says. A rank for each of many nodes, from the model alone:")
    for side in (4, 10, 32):
        weak = predicted([4096] * 2, [side] * 2, cells["strong"], *NETWORK)
        strong = predicted([32768 // side] * 2, [side] * 2, cells["strong"], *NETWORK)
        print(f"{side**2} ranks: 4096² each {1e3 * weak:.2f} ms, 32768² in all {1e3 * strong:.2f} ms")
    for workers, (rate, busy) in measure_dask().items():
        print(f"{workers} workers of Dask: {rate:.0f} tasks a second; {1e6 * busy:.0f} us of the scheduler's core for each")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        measure()
    else:
        main([int(a) for a in sys.argv[1:]] or [1, 2, 4])
