"""qd.simt under the name that programs import it by."""

from quadrants.simt import _tile, block, grid, subgroup, warp
