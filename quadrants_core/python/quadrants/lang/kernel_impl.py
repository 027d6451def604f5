"""Kernels and their decorators."""

from quadrants._language.kernel import KernelInfo as Kernel
from quadrants._language.func import func, pyfunc, real_func
from quadrants._language.kernel import data_oriented, kernel
from quadrants.lang import _replaced
