"""Derivatives of programs: calling derivative kernels, and checking their results."""
