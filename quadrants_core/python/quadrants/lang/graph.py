"""qd.graph: kernels that launch as one graph. Programs know the module by this name."""

from quadrants._later import define as _define

_define(globals(), "qd.graph", "do_while(condition); parallel(); parallel_context()")
