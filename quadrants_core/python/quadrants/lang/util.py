"""What is installed beside this package, and types in the words of numpy and torch."""

from quadrants import _dtypes, _environment


def has_pytorch():
    """Whether torch can be imported; QD_ENABLE_TORCH=0 says no."""
    if not _environment.value("enable_torch"):
        return False
    import importlib.util

    return importlib.util.find_spec("torch") is not None


def has_clangpp():
    """Whether clang++ is on the PATH."""
    import shutil

    return shutil.which("clang++") is not None


def is_quadrants_class(value):
    """Whether kernels know what `value` is."""
    return getattr(type(value), "_qd_kind_", None) is not None


def to_numpy_type(dt):
    """The numpy scalar type of a type, e.g. numpy.float32."""
    return _dtypes.numpy_dtype(dt).type


def to_pytorch_type(dt):
    """The torch type of a type, e.g. torch.float32."""
    import torch

    return getattr(torch, _dtypes.numpy_dtype(dt).name)


def to_quadrants_type(dt):
    """The type that a numpy or torch type stands for."""
    if type(dt).__module__ == "torch":
        import numpy as np

        dt = np.dtype(str(dt).removeprefix("torch."))
    return _dtypes.dtype(dt)


def cook_dtype(dt):
    """The type that `dt` stands for: int and float are the defaults of the program."""
    return _dtypes.dtype(dt)
