"""Processes that run kernels for this one. The public module is quadrants.distributed."""
