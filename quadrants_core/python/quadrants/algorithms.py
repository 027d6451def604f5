"""qd.algorithms: sorting and scanning of whole fields and ndarrays.

The funcs for use in kernels (reduce_*, exclusive_scan_*, reduce_by_key_add, select, sort) need blocks of threads, which GPUs and `interp`
have; `*_scratch_slots` returns the size of their scratch memory on every architecture.
"""

from quadrants._algorithms.device import (
    exclusive_scan_add,
    exclusive_scan_max,
    exclusive_scan_min,
    exclusive_scan_scratch_slots,
    reduce_add,
    reduce_by_key_add,
    reduce_by_key_scratch_slots,
    reduce_max,
    reduce_min,
    reduce_scratch_slots,
    select,
    select_scratch_slots,
    sort,
    sort_scratch_slots,
)
from quadrants._algorithms.host import PrefixSumExecutor, parallel_sort
