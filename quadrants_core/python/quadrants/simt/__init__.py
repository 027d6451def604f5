"""qd.simt: work of threads in blocks and warps, for GPUs."""

from quadrants._later import define as _define

_define(globals(), "qd.simt", "block grid warp subgroup Tile16x16 Tile32x32")
