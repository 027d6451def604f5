"""Operations that need the threads of a GPU."""

from quadrants import _settings
from quadrants.simt import _texts

GPUS = "cuda, metal, vulkan, amdgpu"


class GpuOnly:
    """Stands for such an operation where there is no GPU: using it says so, in kernels with the place."""

    _qd_kind_ = "builtin"

    def __init__(self, name, parameters):
        self._parameters = parameters
        self.__name__ = self.__qualname__ = name.rpartition(".")[2]
        self._qd_name_ = name
        self.__doc__ = _texts.text(name, parameters)

    @property
    def _qd_why_not_(self):
        arch = _settings.current().arch.name
        return f"qd.{self._qd_name_} is not supported for arch {arch}: it needs a GPU backend ({GPUS})"

    @property
    def __signature__(self):
        import inspect

        made = {}
        exec(f"def f({self._parameters}): pass", made)
        return inspect.signature(made["f"])

    def __call__(self, *args, **keywords):
        raise ValueError(self._qd_why_not_)

    def __repr__(self):
        return f"<qd.{self._qd_name_}>"


def _said_of_parameters(text):
    rest = [part for part in text.split("\n\n") if part.startswith("Args:")]
    return "\n\n".join([*rest, "Example:\n    See the new name."])


class Deprecated(GpuOnly):
    """An earlier name: warns once in a process and then is what the module has under the new name at that moment.
    The module tells by `_<name>_deprecation_warned` whether it has warned."""

    def __init__(self, name, parameters, instead, module):
        super().__init__(f"{name.rpartition('.')[0]}.{instead.rpartition('.')[2]}", parameters)
        self.__name__ = self.__qualname__ = name.rpartition(".")[2]
        self._qd_name_ = name
        self.__doc__ = f"The earlier name of `qd.{instead}`: warns once in a process.\n\n{_said_of_parameters(self.__doc__)}"
        self._instead = instead
        self._module = module  # its names
        self._flag = f"_{self.__name__}_deprecation_warned"
        module[self._flag] = False

    @property
    def _qd_deprecated_(self):
        """What to warn of; None if that has been done."""
        if self._module[self._flag]:
            return None
        self._module[self._flag] = True
        return f"qd.{self._qd_name_}() is deprecated; use qd.{self._instead}() instead."

    @property
    def _qd_instead_(self):
        return self._module[self._instead.rpartition(".")[2]]

    def __call__(self, *args, **keywords):
        text = self._qd_deprecated_
        if text:
            import warnings

            warnings.warn(text, DeprecationWarning, stacklevel=2)
        return self._qd_instead_(*args, **keywords)


def define(namespace, prefix, prototypes, deprecated=()):
    """`prototypes`: "name(parameters); ..."; `deprecated`: old name -> the one to use."""
    parameters = {}
    for prototype in map(str.strip, prototypes.split(";")):
        name, _, parameters[name] = prototype[:-1].partition("(")
        namespace[name] = GpuOnly(f"{prefix}.{name}", parameters[name])
    for old, new in dict(deprecated).items():
        namespace[old] = Deprecated(f"{prefix}.{old}", parameters[new], f"{prefix}.{new}", namespace)
