"""qd.simt: threads of GPUs working together, in blocks, warps (CUDA) and subgroups (any GPU).

A loop on the CPU has no blocks: what needs one says so. What has a meaning of its own works: `block.global_thread_idx()`
is the number of the thread in the pool, `subgroup.group_size()` is 0, `subgroup.lanemask_*` compute.
"""

from quadrants.simt import block, grid, subgroup, warp


def __getattr__(name):
    if name in ("Tile16x16", "Tile32x32"):
        from quadrants.simt import _tile

        return getattr(_tile, name)
    raise AttributeError(f"module 'quadrants.simt' has no attribute {name!r}")
