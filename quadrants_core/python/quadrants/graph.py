"""qd.graph: kernels that launch as one graph."""

from quadrants._later import define as _define

_define(globals(), "qd.graph", "do_while(condition); parallel(); parallel_context()")
