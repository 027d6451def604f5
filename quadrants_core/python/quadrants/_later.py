"""Names of the interface that this version does not carry out: they exist, and using one says so."""

from quadrants import _exceptions


class Later:
    """Stands for a function, class or namespace that is not available yet."""

    _qd_kind_ = "builtin"  # one that the frontend does not have: it says so with the place in the kernel

    def __init__(self, name, instead=""):
        self._name = self._qd_name_ = name
        self._instead = instead
        self._qd_why_not_ = f"{name} is not available yet" + (f": {instead}" if instead else "")
        self.__name__ = self.__qualname__ = name.rpartition(".")[2]

    def __call__(self, *args, **keywords):
        raise _exceptions.not_available(self._name, self._instead)

    def __getattr__(self, attribute):
        if attribute.startswith("_"):
            raise AttributeError(attribute)
        return Later(f"{self._name}.{attribute}")

    def __getitem__(self, key):
        raise _exceptions.not_available(self._name, self._instead)

    def __enter__(self):
        raise _exceptions.not_available(self._name, self._instead)

    def __exit__(self, *args):
        return False

    def __repr__(self):
        return self._name


def define(namespace, prefix, names):
    for name in names.split():
        namespace[name] = Later(f"{prefix}.{name}")
