"""qd.simt and its submodules, under the module names that programs import."""

import sys as _sys

from quadrants.simt import _tile, block, grid, subgroup, warp

_sys.modules.update({f"{__name__}.{part.__name__.rpartition('.')[2]}": part for part in (_tile, block, grid, subgroup, warp)})
