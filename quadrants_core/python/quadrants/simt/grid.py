"""qd.simt.grid: operations on all threads of a launch."""

from quadrants.simt._names import define as _define

_define(globals(), "simt.grid", "mem_fence()", {"memfence": "mem_fence"})
