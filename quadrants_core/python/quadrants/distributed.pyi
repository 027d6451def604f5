# Made by docs/stubs/generate.py (`make stubs`); types that it cannot tell stand beside it.
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false, reportOverlappingOverload=false, reportAssignmentType=false
"""qd.distributed: kernels in other processes. Workers of Dask and of process pools are set up with one call; their coverage counts and
compile reports come back, and they share what they compile. `faces` helps to cut a domain into blocks."""
from collections.abc import Callable
from typing import Any, Self

class Compilation:
    """A kernel that a worker compiled, or found in the cache.
    
    Attributes:
        process: the name of the worker's process.
        kernel: the name of the kernel.
        file, line: where its first statement is.
        milliseconds: the time from the call to code that is ready to run.
        tasks: {name of a task: "compiled", "disk" or "memory"}, where the code of each came from.
        compiled: whether the worker compiled any task itself.
    
    Example:
        See `qd.distributed.connect`."""

    def __init__(self, process: Any, report: Any) -> None: ...
    process: str
    kernel: str
    file: str
    line: int
    milliseconds: float
    tasks: dict[str, str]
    compiled: bool

class Face:
    """A face of a block, see `qd.distributed.faces`.
    
    Args:
        axis: the number of the axis.
        side: -1 or 1.
        inner: the place of the elements that the neighbour needs.
        halo: the place of those that come from the neighbour.
    
    Attributes:
        axis, side, inner, halo: the arguments.
    
    Example:
        See `qd.distributed.faces`."""

    def __init__(self, axis: Any, side: Any, inner: Any, halo: Any) -> None: ...
    axis: int
    side: int
    inner: tuple[slice, ...]
    halo: tuple[slice, ...]

class Workers:
    """The workers that this process uses. Use it in a `with` statement, or call `close` at the end.
    
    Example:
        See `qd.distributed.connect` and `qd.distributed.for_pool`."""

    def __init__(self) -> None: ...

    def close(self) -> None:
        """Collects, and ends the reports.
        
        Example:
            See `qd.distributed.for_pool`."""

    def collect(self) -> None:
        """Waits until the workers have reported what they have done so far, for up to ten seconds. Without it, reports arrive a moment later:
        they are sent about five times a second.
        
        Example:
            See `qd.distributed.connect`."""

    def compilations(self) -> list[Compilation]:
        """Returns the kernels that workers have compiled or found in the cache. Call `collect` before.
        
        Returns:
            A list of `Compilation`, those of each process in order.
        
        Example:
            See `qd.distributed.connect`."""

    def task_times(self) -> dict[tuple[str, str], tuple[int, float, float, float]]:
        """Returns the run times of tasks, summed over workers. They are measured with the option `kernel_profiler=True`, in the programs that
        the workers run now. Call `collect` before.
        
        Returns:
            A dict: (kernel, task) -> (runs, shortest, longest, total), times in milliseconds.
        
        Example:
            >>> with qd.distributed.for_pool(2, arch=qd.cpu, kernel_profiler=True) as workers:
            ...     workers.task_times()
            {}"""

    def __exit__(self, *_: Any) -> None: ...

    def __enter__(self) -> Self: ...

class PoolWorkers(Workers):
    """The workers of a pool of processes.
    
    Args:
        setup: how they start.
        processes: their number.
    
    Attributes:
        initializer, initargs: for `concurrent.futures.ProcessPoolExecutor` and `multiprocessing.Pool`.
    
    Example:
        See `qd.distributed.for_pool`."""

    def __init__(self, setup: Any, processes: Any) -> None: ...
    initializer: Callable[..., None]
    initargs: tuple[Any, ...]

def connect(client: Any, arch: Any=None, **options: Any) -> Workers:
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
        1"""

def for_pool(processes: int, arch: Any=None, **options: Any) -> PoolWorkers:
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
        >>> workers.close()"""

def faces(x: Any, width: int=1) -> list[Face]:
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
        ((slice(6, 8, None),), (slice(8, 10, None),))"""
