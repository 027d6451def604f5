from typing import Any

from quadrants.simt import block as block, grid as grid, subgroup as subgroup, warp as warp

Tile16x16: Any
Tile32x32: Any
