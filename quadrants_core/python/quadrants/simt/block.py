"""qd.simt.block: the threads of one block."""

from quadrants._ops import global_thread_idx
from quadrants.simt._names import define as _define

_define(
    globals(),
    "simt.block",
    "sync sync_all_nonzero sync_any_nonzero sync_count_nonzero mem_fence thread_idx SharedArray reduce reduce_add reduce_min "
    "reduce_max reduce_all reduce_all_add reduce_all_min reduce_all_max inclusive_scan inclusive_add inclusive_min inclusive_max "
    "exclusive_scan exclusive_add exclusive_min exclusive_max radix_rank_match_atomic_or",
    {"mem_sync": "mem_fence"},
)
