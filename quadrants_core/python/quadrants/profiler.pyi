# Made by docs/stubs/generate.py (`make stubs`); types that it cannot tell stand beside it.
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false, reportOverlappingOverload=false, reportAssignmentType=false
"""qd.profiler: run times of kernels, compile times and memory usage.

`qd.init(kernel_profiler=True)` makes the runtime measure each task. A task is a top-level loop of a kernel, or the code between two of
them. Without the option nothing is measured and launches have no additional cost."""
import enum
from collections.abc import Iterator
from typing import Any, Self

class CuptiMetric:
    """A hardware counter of CUDA devices and its display format.
    
    Args:
        name: the name in CUPTI.
        header: the column header.
        val_format: the format string for values.
        scale: the factor applied to values.
    
    Example:
        >>> counter = qd.profiler.CuptiMetric(name="smsp__cycles_active.avg", header="cycles")"""

    def __init__(self, name: Any='', header: Any='unnamed_header', val_format: Any='     {:8.0f} ', scale: Any=1.0) -> None: ...

class KernelProfilerQueryResult:
    """Times of the tasks found by a query.
    
    Args:
        counter: number of launches.
        min: shortest time, in milliseconds.
        max: longest time, in milliseconds.
        avg: mean time, in milliseconds.
    
    Attributes:
        counter, min, max, avg: the arguments.
    
    Example:
        See `qd.profiler.query_kernel_profiler_info`."""

    def __init__(self, counter: Any, min: Any, max: Any, avg: Any) -> None: ...
    avg: Any
    counter: Any
    max: Any
    min: Any

def clear_kernel_profiler_info() -> Any:
    """Resets the recorded times of kernels.
    
    Example:
        >>> qd.profiler.clear_kernel_profiler_info()"""

def clear_scoped_profiler_info() -> Any:
    """Resets the recorded compile times.
    
    Example:
        >>> qd.profiler.clear_scoped_profiler_info()"""

class collect_kernel_profiler_metrics:
    """`with collect_kernel_profiler_metrics(metrics):` reads hardware counters inside the block; without a CUDA device there are none.
    
    Args:
        metric_list: a list of CuptiMetric.
    
    Example:
        >>> with qd.profiler.collect_kernel_profiler_metrics([]):
        ...     pass"""

    def __init__(self, metric_list: Any=...) -> None: ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *args: Any) -> None: ...

def get_kernel_profiler_total_time() -> Any:
    """Returns the time spent in tasks since the last reset.
    
    Returns:
        The time in seconds; 0 without `kernel_profiler=True`.
    
    Example:
        >>> qd.init(arch=qd.cpu, kernel_profiler=True)
        >>> qd.profiler.get_kernel_profiler_total_time()
        0.0"""

def get_predefined_cupti_metrics(name: Any='') -> Any:
    """Returns the counters of a predefined set; none without a CUDA device.
    
    Args:
        name: the name of the set.
    
    Returns:
        A list of CuptiMetric.
    
    Example:
        >>> qd.profiler.get_predefined_cupti_metrics("global_access")
        []"""

def print_kernel_profiler_info(mode: Any='count') -> Any:
    """Prints the run times of tasks.
    
    Args:
        mode: "count": one line per task; "trace": one line per run, in order.
    
    Raises:
        ValueError: the mode is not one of these.
    
    Example:
        >>> qd.init(arch=qd.cpu, kernel_profiler=True)
        >>> qd.profiler.print_kernel_profiler_info()  # doctest: +ELLIPSIS
        =..."""

def print_memory_profiler_info() -> Any:
    """Prints the memory held by the program: the trees of fields level by level, and the ndarrays.
    
    Example:
        >>> x = qd.field(qd.f32, shape=256)
        >>> qd.profiler.print_memory_profiler_info()  # doctest: +ELLIPSIS
        ===..."""

def print_scoped_profiler_info() -> Any:
    """Prints the compile times of this process by phase.
    
    Example:
        >>> qd.profiler.print_scoped_profiler_info()  # doctest: +ELLIPSIS
        ===..."""

def query_kernel_profiler_info(name: Any) -> Any:
    """Returns the times of a kernel, as the sum over its tasks, or of one task.
    
    Args:
        name: the name of the kernel or task.
    
    Returns:
        A KernelProfilerQueryResult, with times in milliseconds.
    
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
    """Selects the hardware counters to read.
    
    Args:
        metric_list: a list of CuptiMetric.
    
    Example:
        >>> qd.profiler.set_kernel_profiler_metrics([])"""

def set_kernel_profiler_toolkit(toolkit_name: Any='default') -> Any:
    """Selects the source of measurements.
    
    Args:
        toolkit_name: "default", the clock of the host, or "cupti", which needs a CUDA device.
    
    Returns:
        True if it is available.
    
    Example:
        >>> qd.profiler.set_kernel_profiler_toolkit("cupti")
        False"""
