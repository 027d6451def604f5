"""Derivatives of programs: what calls kernels that work them out."""
