"""A wave on a square membrane, cut into blocks, one for each rank of MPI.

    mpiexec -n 4 python examples/distributed/wave_mpi.py

Each rank holds a block with a halo of one element. Before each step, it sends its faces to its neighbours. MPI reads them out of the
array and writes them into it: the types describe the places, so nothing is packed and nothing is copied. Rank 0 computes the whole
membrane as well, and compares.
"""

import numpy as np
import quadrants as qd
from mpi4py import MPI

N, STEPS = 64, 50


@qd.kernel
def advance(old: qd.types.NDArray[qd.f64, 2], now: qd.types.NDArray[qd.f64, 2], new: qd.types.NDArray[qd.f64, 2]):
    for i, j in qd.ndrange((1, now.shape[0] - 1), (1, now.shape[1] - 1)):
        laplacian = now[i - 1, j] + now[i + 1, j] + now[i, j - 1] + now[i, j + 1] - 4 * now[i, j]
        new[i, j] = 2 * now[i, j] - old[i, j] + 0.25 * laplacian


def part(shape, place):
    """Returns the MPI type of a part of an array of doubles."""
    starts, sizes = [s.start for s in place], [s.stop - s.start for s in place]
    return MPI.DOUBLE.Create_subarray(shape, sizes, starts).Commit()


def simulate(start, grid):
    """Returns the block of this rank after all steps; `start` is that before the first, without halo."""
    shape = tuple(n + 2 for n in start.shape)
    faces = [(face, part(shape, face.inner), part(shape, face.halo)) for face in qd.distributed.faces(shape)]
    arrays = [qd.ndarray(qd.f64, shape) for _ in range(3)]
    for x in arrays[:2]:
        np.from_dlpack(x)[1:-1, 1:-1] = start
    for step in range(STEPS):
        old, now, new = (arrays[(step + k) % 3] for k in range(3))
        memory = np.from_dlpack(now)
        for face, inner, halo in faces:
            source, target = grid.Shift(face.axis, face.side)  # MPI.PROC_NULL at the rim, which remains zero
            _, other_halo = next((i, h) for f, i, h in faces if (f.axis, f.side) == (face.axis, -face.side))
            grid.Sendrecv([memory, 1, inner], target, recvbuf=[memory, 1, other_halo], source=source)
        advance(old, now, new)
    return arrays[(STEPS + 1) % 3].to_numpy()[1:-1, 1:-1]


def main():
    world = MPI.COMM_WORLD
    dims = MPI.Compute_dims(world.size, 2)
    grid = world.Create_cart(dims)
    qd.init(arch=qd.cpu, cpu_max_num_threads=1, log_level="error")
    x, y = np.meshgrid(*[np.arange(N)] * 2, indexing="ij")
    start = np.exp(-0.02 * ((x - 20) ** 2 + (y - 27) ** 2))
    rows, columns = N // dims[0], N // dims[1]
    i, j = grid.coords
    block = simulate(start[i * rows : (i + 1) * rows, j * columns : (j + 1) * columns], grid)
    blocks = grid.gather((grid.coords, block))
    if blocks is not None:  # on rank 0
        whole = np.block([[next(b for at, b in blocks if at == [i, j]) for j in range(dims[1])] for i in range(dims[0])])
        alone = MPI.COMM_SELF.Create_cart([1, 1])
        expected = simulate(start, alone)
        assert np.array_equal(whole, expected) and np.abs(whole).max() > 0.1
        print(f"{dims[0]} x {dims[1]} blocks: the same as the whole")


main()
