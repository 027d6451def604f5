"""Kernels and their decorators."""

from quadrants._kernel import KernelInfo as Kernel
from quadrants._kernel import data_oriented, func, kernel, pyfunc, real_func
from quadrants.lang import _replaced
