"""What recorded calls were made with: until their gradients are worked out, objects may be given other numbers and arrays."""

_MOST = 256  # entries of a list or dict that is looked after


class Held:
    """Attributes and entries, as they are now, of the objects among the arguments of a kernel, and of those inside of them. In
    its block they are what they were."""

    def __init__(self, args):
        self._then = {}  # id -> (object, its contents)
        self._now = []
        for arg in args:
            self._look(arg)

    def _look(self, value):
        if type(value) is tuple:
            for item in value:
                self._look(item)
            return
        contents = _contents(value)
        if contents is None or id(value) in self._then:
            return
        self._then[id(value)] = value, contents
        for inner in contents.values():
            if type(inner) not in _NUMBERS:
                self._look(inner)

    def __enter__(self):
        for value, then in self._then.values():
            now = _contents(value) or {}
            if any(now.get(key, self) is not was for key, was in then.items()) or (len(now) != len(then) and _is_plain(value)):
                self._now.append((value, now))
                _put(value, then)

    def __exit__(self, *_):
        while self._now:
            _put(*self._now.pop())


_NUMBERS = (int, float, bool, str, type(None))


def _is_plain(value):
    return type(value) in (list, dict)


def _contents(value):
    """key -> value, of what kernels look into; None of all else."""
    kind = type(value)
    if kind is list:
        return dict(enumerate(value)) if len(value) <= _MOST else None
    if kind is dict:
        return dict(value) if len(value) <= _MOST else None
    if getattr(kind, "_qd_kind_", None) != "data_oriented" and not hasattr(kind, "__dataclass_fields__"):
        return None
    if isinstance(value, type):
        return None
    if hasattr(value, "__dict__"):
        return dict(vars(value))
    return {name: getattr(value, name) for name in kind.__dataclass_fields__ if hasattr(value, name)}


def _put(value, contents):
    if type(value) is list:
        value[:] = contents.values()
    elif type(value) is dict:
        value.clear()
        value.update(contents)
    elif hasattr(value, "__dict__"):
        vars(value).update(contents)
    else:
        for name, inner in contents.items():
            object.__setattr__(value, name, inner)
