"""The language of kernels: annotations, funcs and kernels, matrices, operations."""
