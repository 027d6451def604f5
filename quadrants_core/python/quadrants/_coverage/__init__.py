"""Coverage of kernels: counts, the files of coverage.py, and reports."""
