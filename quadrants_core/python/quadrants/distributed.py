"""qd.distributed: kernels in other processes. Workers of Dask and of process pools are set up with one call; their coverage counts and
compile reports come back, and they share what they compile. `faces` helps to cut a domain into blocks."""

from quadrants._distributed import halo as _halo, worker as _worker
from quadrants._distributed.halo import Face
from quadrants._distributed.pools import PoolWorkers
from quadrants._distributed.workers import Compilation, Workers

__all__ = ["Compilation", "Face", "PoolWorkers", "Workers", "connect", "faces", "for_pool"]


def connect(client, arch=None, **options):
    """Sets up the workers of a Dask cluster: calls `qd.init` in each of them, now and in workers that start later, with as many threads as
    the worker has. Coverage counts of the workers are added to those of this process, so that `qd.coverage` and the marks of notebooks
    show sums. Workers that share a folder for the cache compile each kernel once.

    Args:
        client: a `distributed.Client` that is not asynchronous.
        arch: as in `qd.init`.
        **options: the options of `qd.init`. `offline_cache_file_path` names a folder that all workers can reach; without it, those of one
            machine share the default folder.

    Returns:
        `Workers`. Closing it ends the reports, and leaves the programs of the workers running.

    Raises:
        KeyError: an option is unknown. ValueError: the client is asynchronous. Any error of `qd.init` in a worker.

    Example:
        >>> import distributed  # doctest: +SKIP
        >>> client = distributed.Client(n_workers=2, threads_per_worker=1)  # doctest: +SKIP
        >>> with qd.distributed.connect(client, arch=qd.cpu) as workers:  # doctest: +SKIP
        ...     results = client.gather(client.map(kernel, range(8)))
        ...     workers.collect()
        ...     print(sum(one.compiled for one in workers.compilations()))
        1
    """
    from quadrants._distributed import dask_workers

    if client.asynchronous:
        raise ValueError("the client is asynchronous: qd.distributed.connect needs one that is not")
    return dask_workers.DaskWorkers(client, _worker.Setup(arch, options))


def for_pool(processes, arch=None, **options):
    """Sets up the processes of a pool in the same way as `connect` does for Dask: pass `initializer` and `initargs` of the result to
    `concurrent.futures.ProcessPoolExecutor` or `multiprocessing.Pool`. The cores of this machine are divided among the processes.

    Args:
        processes: the number of processes in the pool.
        arch: as in `qd.init`.
        **options: the options of `qd.init`.

    Returns:
        `PoolWorkers`.

    Raises:
        KeyError: an option is unknown. ValueError: `processes` is not a whole number from 1 on. If `qd.init` fails in a process, the
        process logs a warning, and kernels fail there.

    Example:
        >>> from concurrent.futures import ProcessPoolExecutor
        >>> workers = qd.distributed.for_pool(2, arch=qd.cpu)
        >>> with ProcessPoolExecutor(2, initializer=workers.initializer, initargs=workers.initargs) as pool:
        ...     pool.submit(abs, -3).result()
        3
        >>> workers.close()
    """
    if isinstance(processes, bool) or not isinstance(processes, int) or processes < 1:
        raise ValueError(f"processes={processes!r} must be a whole number from 1 on")
    return PoolWorkers(_worker.Setup(arch, options), processes)


def faces(x, width=1):
    """Names the faces of a block that has a halo of `width` elements on each side of each axis.

    A face has `axis`, `side` (-1 or 1), and two places, tuples of slices: `inner`, the elements that the neighbour on that side needs, and
    `halo`, where those of the neighbour go. On its axis a face has `width` elements; on the others it has all, halos included. So if
    blocks exchange faces axis by axis, corners arrive as well.

    Args:
        x: an array, ndarray or field of any shape, or a shape.
        width: the width of the halo.

    Returns:
        A list of `Face`: for each axis that of side -1, then that of side 1.

    Raises:
        ValueError: `width` is not a whole number from 1 on, or an axis has fewer than 3 * width elements.

    Example:
        >>> left, right = qd.distributed.faces((10,), width=2)
        >>> left.inner, left.halo
        ((slice(2, 4, None),), (slice(0, 2, None),))
        >>> right.inner, right.halo
        ((slice(6, 8, None),), (slice(8, 10, None),))
    """
    return _halo.faces(x, width)
