"""Values for dataclasses of arrays: every array has 10 elements along each axis."""

_EXTENT = 10


def _make_child_obj(obj_type):
    import dataclasses

    import quadrants as qd

    if dataclasses.is_dataclass(obj_type):
        return build_struct(obj_type)
    kind = getattr(obj_type, "_qd_kind_", None)
    if kind == "ndarray_type":
        return qd.ndarray(obj_type.dtype, (_EXTENT,) * obj_type.ndim)
    if kind == "template":
        return qd.field(qd.i32, (_EXTENT,))
    raise Exception("unknown type ", obj_type)


def build_struct(struct_type):
    """Makes an instance of a dataclass whose members are arrays, fields (qd.template) and such dataclasses."""
    import dataclasses

    return struct_type(**{field.name: _make_child_obj(field.type) for field in dataclasses.fields(struct_type)})


def build_obj_tuple_from_type_dict(name_to_type):
    """Makes a value for each of the types."""
    return tuple(_make_child_obj(each) for each in name_to_type.values())
