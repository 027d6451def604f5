"""Features of arguments, as distinguished by the keys of cache entries (bind/entry_name.cpp)."""

from quadrants import _dtypes
from quadrants._language.annotations import kind_word
from quadrants._storage.tensor import unwrap
from quadrants.lang._absent import absent as _absent
from quadrants.lang._fast_caching import FIELD_METADATA_CACHE_VALUE


def stringify_obj_type(raise_on_floats, path, obj, meta):
    """Returns the features of the argument `obj` as text, or None if the class of object is not supported. `path` is its location, for
    messages. With FIELD_METADATA_CACHE_VALUE as `meta`, or a template as the annotation in it, a number is represented by its value."""
    obj = unwrap(obj)
    kind = kind_word(obj)
    if obj is None:
        return "None"
    if kind == "ndarray":
        return f"[nd-{obj.dtype}-{len(obj._physical_shape)}-{obj._element_shape}-{obj._qd_layout}]"
    if kind in ("field", "matrix_field"):
        return f"[f-{obj.dtype}-{obj.shape}-{obj._element_shape()}-{obj._qd_layout}]"
    if hasattr(obj, "__array_interface__") and (dtype := _dtypes.from_numpy_dtype(obj.dtype)) is not None:
        return f"[np-{dtype}-{obj.ndim}]"
    if isinstance(obj, (bool, int, float, str)):
        if not _is_value(meta) and not isinstance(obj, str):
            return type(obj).__name__
        if raise_on_floats and isinstance(obj, float):
            raise ValueError(f"Floats not allowed here: {'.'.join(map(str, path))}={obj!r}")
        return f"{type(obj).__name__}={obj!r}"
    if hasattr(type(obj), "__dataclass_fields__"):
        members = {name: stringify_obj_type(raise_on_floats, (*path, name), getattr(obj, name), f.type)
                   for name, f in type(obj).__dataclass_fields__.items()}  # fmt: skip
        return None if None in members.values() else f"{type(obj).__qualname__}({members})"
    return None


def _is_value(meta):
    return meta == FIELD_METADATA_CACHE_VALUE or any(
        kind_word(m) == "template" for m in (meta, getattr(meta, "annotation", None))
    )


__getattr__ = _absent("quadrants.lang._fast_caching.args_hasher", {"": "records are described in docs/design/cache-entries.md"})
