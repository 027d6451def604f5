"""qd.simt.block: operations on the threads of a block."""

from quadrants._language.ops import builtin as _builtin, global_thread_idx as _global_thread_idx
from quadrants.simt._names import define as _define

_OF_A_VALUE = " ".join(
    f"{kind}_add {kind}_min {kind}_max" for kind in ("reduce", "reduce_all", "inclusive", "exclusive")
)

_define(
    globals(),
    "simt.block",
    "sync(); sync_all_nonzero(predicate); sync_any_nonzero(predicate); sync_count_nonzero(predicate); mem_fence(); thread_idx(); "
    "SharedArray(shape, dtype); reduce(value, block_dim, op, dtype); reduce_all(value, block_dim, op, dtype); "
    "inclusive_scan(value, block_dim, op, dtype); exclusive_scan(value, block_dim, op, identity, dtype); "
    "radix_rank_match_atomic_or(key, block_dim, radix_bits, bit_start, num_bits, bins, excl_prefix); "
    + "; ".join(f"{name}(value, block_dim, dtype)" for name in _OF_A_VALUE.split()),
    {"mem_sync": "mem_fence"},
)


@_builtin
def global_thread_idx():
    """Returns the index of the thread among all threads of the launch. On architectures without blocks of threads, it is the same as
    `qd.global_thread_idx`.

    Returns:
        An i32, starting at 0.

    Raises:
        QuadrantsSyntaxError: the call is outside of a kernel.

    Example:
        >>> @qd.kernel
        ... def f() -> qd.i32:
        ...     return qd.simt.block.global_thread_idx() >= 0
        >>> f()
        1
    """
    _global_thread_idx()


global_thread_idx._qd_name_ = "simt.block.global_thread_idx"
