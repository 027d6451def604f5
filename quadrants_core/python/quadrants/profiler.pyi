# Made by docs/stubs/generate.py (`make stubs`); types that it cannot tell stand beside it.
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false, reportOverlappingOverload=false
"""qd.profiler: where the time of kernels, of their compilation, and the memory go.

`qd.init(kernel_profiler=True)` makes the runtime measure each task (a task is a top-level loop of a kernel, or what stands
between two of them). Without it nothing is measured and launches cost nothing more."""
import enum
from collections.abc import Iterator
from typing import Any, Self

class CuptiMetric:
    """A hardware counter of CUDA devices, and how it is shown.
    
    Args:
        name: as CUPTI knows it.
        header: the head of its column.
        val_format: how a value is written.
        scale: what values are multiplied by.
    
    Example:
        >>> counter = qd.profiler.CuptiMetric(name="smsp__cycles_active.avg", header="cycles")"""

    def __init__(self, name: Any='', header: Any='unnamed_header', val_format: Any='     {:8.0f} ', scale: Any=1.0) -> None: ...

class KernelProfilerQueryResult:
    """Times of the tasks that a query found.
    
    Args:
        counter: how many launches.
        min: the shortest, in milliseconds.
        max: the longest, in milliseconds.
        avg: their mean, in milliseconds.
    
    Attributes:
        counter, min, max, avg: likewise.
    
    Example:
        See `qd.profiler.query_kernel_profiler_info`."""

    def __init__(self, counter: Any, min: Any, max: Any, avg: Any) -> None: ...
    avg: Any
    counter: Any
    max: Any
    min: Any

def clear_kernel_profiler_info() -> Any:
    """Forgets the times of kernels so far.
    
    Example:
        >>> qd.profiler.clear_kernel_profiler_info()"""

def clear_scoped_profiler_info() -> Any:
    """Forgets the times of the compiler so far.
    
    Example:
        >>> qd.profiler.clear_scoped_profiler_info()"""

class collect_kernel_profiler_metrics:
    """`with collect_kernel_profiler_metrics(metrics):` reads hardware counters inside of the block; without a CUDA device there are none.
    
    Args:
        metric_list: CuptiMetric objects.
    
    Example:
        >>> with qd.profiler.collect_kernel_profiler_metrics([]):
        ...     pass"""

    def __init__(self, metric_list: Any=...) -> None: ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *args: Any) -> None: ...

def get_kernel_profiler_total_time() -> Any:
    """Time spent in tasks since the last clear.
    
    Returns:
        Seconds; 0 without `kernel_profiler=True`.
    
    Example:
        >>> qd.init(arch=qd.cpu, kernel_profiler=True)
        >>> qd.profiler.get_kernel_profiler_total_time()
        0.0"""

def get_predefined_cupti_metrics(name: Any='') -> Any:
    """The counters of a predefined set; there are none without a CUDA device.
    
    Args:
        name: of the set.
    
    Returns:
        A list.
    
    Example:
        >>> qd.profiler.get_predefined_cupti_metrics("global_access")
        []"""

def print_kernel_profiler_info(mode: Any='count') -> Any:
    """Prints what the tasks took.
    
    Args:
        mode: "count": one line a task; "trace": one line a run, in order.
    
    Raises:
        ValueError: another mode.
    
    Example:
        >>> qd.init(arch=qd.cpu, kernel_profiler=True)
        >>> qd.profiler.print_kernel_profiler_info()  # doctest: +ELLIPSIS
        =..."""

def print_memory_profiler_info() -> Any:
    """Prints the memory that the program holds: the trees of fields, level by level, and the ndarrays.
    
    Example:
        >>> x = qd.field(qd.f32, shape=256)
        >>> qd.profiler.print_memory_profiler_info()  # doctest: +ELLIPSIS
        ===..."""

def print_scoped_profiler_info() -> Any:
    """Prints what compiling took in this process, phase by phase.
    
    Example:
        >>> qd.profiler.print_scoped_profiler_info()  # doctest: +ELLIPSIS
        ===..."""

def query_kernel_profiler_info(name: Any) -> Any:
    """Times of a kernel, its tasks taken together, or of one task.
    
    Args:
        name: of the kernel or task.
    
    Returns:
        A KernelProfilerQueryResult; times are milliseconds.
    
    Example:
        >>> qd.init(arch=qd.cpu, kernel_profiler=True)
        >>> @qd.kernel
        ... def f() -> qd.i32:
        ...     return 1
        >>> f()
        1
        >>> qd.profiler.query_kernel_profiler_info("f").counter
        1"""

def set_kernel_profiler_metrics(metric_list: Any=...) -> Any:
    """Chooses the hardware counters to read.
    
    Args:
        metric_list: CuptiMetric objects.
    
    Example:
        >>> qd.profiler.set_kernel_profiler_metrics([])"""

def set_kernel_profiler_toolkit(toolkit_name: Any='default') -> Any:
    """Chooses what measures.
    
    Args:
        toolkit_name: "default", the clock of the host; "cupti" needs a CUDA device.
    
    Returns:
        True if it is there.
    
    Example:
        >>> qd.profiler.set_kernel_profiler_toolkit("cupti")
        False"""
