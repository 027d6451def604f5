"""Availability of optional dependencies, and conversion of types to and from NumPy and torch."""

from quadrants import _dtypes, _environment


def has_pytorch():
    """Returns whether torch can be imported; False if QD_ENABLE_TORCH=0."""
    if not _environment.value("enable_torch"):
        return False
    import importlib.util

    return importlib.util.find_spec("torch") is not None


def has_clangpp():
    """Returns whether clang++ is on the PATH."""
    import shutil

    return shutil.which("clang++") is not None


def is_quadrants_class(value):
    """Returns whether `value` is of a class that kernels support."""
    return getattr(type(value), "_qd_kind_", None) is not None


def to_numpy_type(dt):
    """Returns the NumPy scalar type of a type, e.g. numpy.float32."""
    return _dtypes.numpy_dtype(dt).type


def to_pytorch_type(dt):
    """Returns the torch type of a type, e.g. torch.float32."""
    import torch

    return getattr(torch, _dtypes.numpy_dtype(dt).name)


def to_quadrants_type(dt):
    """Returns the type that corresponds to a NumPy or torch type."""
    if type(dt).__module__ == "torch":
        import numpy as np

        dt = np.dtype(str(dt).removeprefix("torch."))
    return _dtypes.dtype(dt)


def cook_dtype(dt):
    """Returns the type that `dt` stands for: int and float are the default types of the program."""
    return _dtypes.dtype(dt)
