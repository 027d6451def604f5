"""qd.graph: what kernels with graph=True hold. Programs know the module by this name."""

from quadrants._language.graph import do_while, parallel, parallel_context
