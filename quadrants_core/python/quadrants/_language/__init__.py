"""What is written in kernels: annotations, funcs and kernels, matrices, operations."""
