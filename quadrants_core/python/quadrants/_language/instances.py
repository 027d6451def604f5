"""Python classes whose instances are made in kernels: information for the frontend and the Python backend."""

_HEAP_TYPE = 1 << 9


def makes(cls):
    """Returns how the class makes an instance: (function to inline on it, fields). The function is None if there is none. The fields of a
    dataclass or named tuple are (name, is a parameter, is keyword-only, (default,) or ()); they are None if the class has its own
    `__init__`. Returns None if only Python can call the class."""
    if not isinstance(cls, type) or not cls.__flags__ & _HEAP_TYPE:
        return None
    if (cls.__module__ or "").split(".")[0] == "quadrants" and not getattr(cls, "_qd_instances_", False):
        return None
    if issubclass(cls, tuple):
        return (None, _of_tuple(cls)) if hasattr(cls, "_fields") and cls.__init__ is object.__init__ else None
    if type(cls).__call__ is not type.__call__ or cls.__new__ is not object.__new__:
        return None
    init = cls.__init__
    if "__dataclass_fields__" in vars(cls) and getattr(getattr(init, "__code__", None), "co_filename", "") == "<string>":
        return getattr(cls, "__post_init__", None), _of_dataclass(cls)
    if cls.__setattr__ is not object.__setattr__ or cls.__getattribute__ is not object.__getattribute__ or hasattr(cls, "__getattr__"):
        return None
    return None if init is object.__init__ else init, None


def _of_tuple(cls):
    return [(name, True, False, (cls._field_defaults[name],) if name in cls._field_defaults else ()) for name in cls._fields]


def _of_dataclass(cls):
    import dataclasses

    def default(field):
        if field.default is not dataclasses.MISSING:
            return (field.default,)
        return () if field.default_factory is dataclasses.MISSING else (field.default_factory(),)

    return [(f.name, f.init, f.kw_only, default(f)) for f in dataclasses.fields(cls)]


def bind(cls, fields, args, keywords):
    """Returns the members of an instance by name, with `None` for those that have neither an argument nor a default."""
    by_place = [name for name, given, by_name, _ in fields if given and not by_name]
    if len(args) > len(by_place):
        raise TypeError(f"{cls.__name__}() takes {len(by_place)} positional arguments but {len(args)} were given")
    found = dict(zip(by_place, args))
    for name, value in keywords.items():
        if name in found:
            raise TypeError(f"{cls.__name__}() got multiple values for argument '{name}'")
        if not any(name == n and given for n, given, _, _ in fields):
            raise TypeError(f"{cls.__name__}() got an unexpected keyword argument '{name}'")
        found[name] = value
    missing = [name for name, given, _, default in fields if given and name not in found and not default]
    if missing:
        raise TypeError(f"{cls.__name__}() missing required argument '{missing[0]}'")
    return {name: found[name] if name in found else default[0] for name, _, _, default in fields if name in found or default}


def in_table(cls, name, after=None):
    """Returns the entry for a name in the namespace of the class, or of the classes after `after` in its method resolution order; None if
    there is none."""
    order = cls.__mro__ if after is None else cls.__mro__[cls.__mro__.index(after) + 1 :]
    return next((vars(base)[name] for base in order if name in vars(base)), None)
