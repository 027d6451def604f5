# Made by docs/stubs/generate.py (`make stubs`); types that it cannot tell stand beside it.
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false, reportOverlappingOverload=false
"""qd.profiler: where the time of kernels, of their compilation, and the memory go.

`qd.init(kernel_profiler=True)` makes the runtime measure each task (a task is a top-level loop of a kernel, or what stands
between two of them). Without it nothing is measured and launches cost nothing more."""
import enum
from collections.abc import Iterator
from typing import Any, Self

class CuptiMetric:
    """A hardware counter of CUDA devices, and how it is shown."""

    def __init__(self, name: Any='', header: Any='unnamed_header', val_format: Any='     {:8.0f} ', scale: Any=1.0) -> None: ...

class KernelProfilerQueryResult:
    """Times, in milliseconds, of the tasks that a query found: `counter`, `min`, `max`, `avg`."""

    def __init__(self, counter: Any, min: Any, max: Any, avg: Any) -> None: ...
    avg: Any
    counter: Any
    max: Any
    min: Any

def clear_kernel_profiler_info() -> Any:
    """Forgets the times of kernels so far."""

def clear_scoped_profiler_info() -> Any:
    """Forgets the times of the compiler so far."""

class collect_kernel_profiler_metrics:
    """`with collect_kernel_profiler_metrics(metrics):` reads hardware counters inside of the block."""

    def __init__(self, metric_list: Any=...) -> None: ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *args: Any) -> None: ...

def get_kernel_profiler_total_time() -> Any:
    """Time spent in tasks since the last clear, in seconds."""

def get_predefined_cupti_metrics(name: Any='') -> Any:
    """The counters of a predefined set; there are none without a CUDA device."""

def print_kernel_profiler_info(mode: Any='count') -> Any:
    """Prints what the tasks took: one line a task (mode "count"), or one line a run, in order ("trace")."""

def print_memory_profiler_info() -> Any:
    """Prints the memory that the program holds: the trees of fields, level by level, and the ndarrays."""

def print_scoped_profiler_info() -> Any:
    """Prints what compiling took in this process, phase by phase."""

def query_kernel_profiler_info(name: Any) -> Any:
    """Times of the kernel `name`, its tasks taken together, or of one task: a KernelProfilerQueryResult."""

def set_kernel_profiler_metrics(metric_list: Any=...) -> Any:
    """Chooses the hardware counters to read."""

def set_kernel_profiler_toolkit(toolkit_name: Any='default') -> Any:
    """Chooses what measures: True if it is there. "default" is the clock of the host; "cupti" needs a CUDA device."""
