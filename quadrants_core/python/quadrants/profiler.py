"""qd.profiler."""

from quadrants._later import define as _define

_define(
    globals(),
    "qd.profiler",
    "print_kernel_profiler_info query_kernel_profiler_info clear_kernel_profiler_info get_kernel_profiler_total_time "
    "set_kernel_profiler_toolkit set_kernel_profiler_metrics collect_kernel_profiler_metrics CuptiMetric "
    "get_predefined_cupti_metrics print_memory_profiler_info print_scoped_profiler_info clear_scoped_profiler_info",
)
