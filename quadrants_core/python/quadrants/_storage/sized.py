"""Attributes of NumPy arrays that other libraries expect of anything that is like an array."""

import math as _math


class Sized:
    """Base class of fields, ndarrays and tensors. Subclasses have a `shape`."""

    __slots__ = ()

    def __len__(self):
        shape = _shape_of(self)
        if not shape:
            raise TypeError("len() of an array without axes")
        return shape[0]

    def __bool__(self):
        return True  # programs test whether they have an array, and not whether it has elements


def _shape_of(array):
    shape = array.shape
    if shape is None:
        array.to_numpy()  # raises, since the program of the array has ended
    return shape


def attribute(array, name):
    """Finds `ndim` and `size`, which are attributes of instances alone: programs compare the names of the classes with a list."""
    if name == "ndim":
        return len(_shape_of(array))
    if name == "size":
        return _math.prod(_shape_of(array))  # a vector or a matrix is one element
    raise AttributeError(f"{type(array).__name__!r} object has no attribute {name!r}", name=name, obj=array)


class Array(Sized):
    """Base class of those that have these attributes: a member of a struct may have the same name."""

    __slots__ = ()

    __getattr__ = attribute

    def __dir__(self):
        return [*super().__dir__(), "ndim", "size"]


def structured(struct_field, dtype):
    """Returns the values of a field of structs as a structured array, in which nested structs are nested too."""
    import numpy as np

    def kind_of(members, shape):
        parts = [(name, kind_of(v, shape) if isinstance(v, dict) else (v.dtype, v.shape[len(shape) :])) for name, v in members.items()]
        return np.dtype(parts)

    def put(out, members):
        for name, values in members.items():
            if isinstance(values, dict):
                put(out[name], values)
            else:
                out[name] = values

    members = struct_field.to_numpy()
    out = np.empty(struct_field.shape, kind_of(members, struct_field.shape))
    put(out, members)
    return out if dtype is None else out.astype(dtype)
