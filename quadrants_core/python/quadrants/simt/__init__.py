"""qd.simt: cooperation of threads in blocks, subgroups and, where these have 32 threads, warps.

The architecture `interp` and GPUs have them. A loop on the CPU has no blocks, so operations that need one raise an error. The others
work: `block.global_thread_idx()` is the number of the thread in the pool, `subgroup.group_size()` is 0, and `subgroup.lanemask_*` compute.
"""

_PARTS = ("block", "grid", "subgroup", "warp")


def __getattr__(name):
    import importlib

    if name in (*_PARTS, "_tile"):
        return importlib.import_module(f"quadrants.simt.{name}")
    if name in ("Tile16x16", "Tile32x32"):
        return getattr(importlib.import_module("quadrants.simt._tile"), name)
    raise AttributeError(f"module 'quadrants.simt' has no attribute {name!r}")


def __dir__():
    return [*_PARTS, "Tile16x16", "Tile32x32"]
