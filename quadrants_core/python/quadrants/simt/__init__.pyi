# Made by docs/stubs/generate.py (`make stubs`); types that it cannot tell stand beside it.
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false, reportOverlappingOverload=false, reportAssignmentType=false
"""qd.simt: cooperation of threads in blocks, subgroups and, where these have 32 threads, warps.

The architecture `interp` and GPUs have them. A loop on the CPU has no blocks, so operations that need one raise an error. The others
work: `block.global_thread_idx()` is the number of the thread in the pool, `subgroup.group_size()` is 0, and `subgroup.lanemask_*` compute."""
from typing import Any
from quadrants.simt import block as block, grid as grid, subgroup as subgroup, warp as warp
Tile16x16: Any
Tile32x32: Any
