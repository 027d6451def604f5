"""Names of the interface that this version does not carry out: they exist, and using one says so."""

from quadrants import _exceptions


class Later:
    """Stands for a function, class or namespace that is not available yet."""

    _qd_kind_ = "builtin"  # one that the frontend does not have: it says so with the place in the kernel

    def __init__(self, name, instead="", parameters=None):
        self._parameters = parameters
        self._name = self._qd_name_ = name
        self._instead = instead
        self._qd_why_not_ = f"{name} is not available yet" + (f": {instead}" if instead else "")
        self.__name__ = self.__qualname__ = name.rpartition(".")[2]

    @property
    def __signature__(self):
        return signature(self._parameters)

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


def signature(parameters):
    """What inspect.signature shows of a function with these parameters ("a, b=None")."""
    if parameters is None:
        raise AttributeError("__signature__")
    import inspect

    made = {}
    exec(f"def f({parameters}): pass", made)
    return inspect.signature(made["f"])


def define(namespace, prefix, prototypes):
    """`prototypes`: "name(a, b=None); ..."."""
    for prototype in map(str.strip, prototypes.split(";")):
        name, _, parameters = prototype.rstrip(")").partition("(")
        namespace[name] = Later(f"{prefix}.{name}", parameters=parameters)
