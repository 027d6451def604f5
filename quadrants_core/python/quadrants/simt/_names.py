"""Operations on the threads of a GPU."""

from quadrants import _settings
from quadrants._lanes import ops as _ops
from quadrants.simt import _texts

GPUS = "cuda, metal, vulkan, amdgpu"


def _warp_size():
    from quadrants._lanes.warps import SIZE

    return SIZE


class GpuOnly:
    """Placeholder for such an operation without a GPU: its use raises an error, in kernels with the location."""

    _qd_kind_ = "builtin"

    def __init__(self, name, parameters):
        self._parameters = parameters
        self.__name__ = self.__qualname__ = name.rpartition(".")[2]
        self._qd_name_ = name
        self.__doc__ = _texts.text(name, parameters)

    @property
    def _qd_why_not_(self):
        if hasattr(self, "_qd_instead_"):
            raise AttributeError("_qd_why_not_")
        refused = f"qd.{self._qd_name_} is not supported for arch {_settings.current().arch.name}: "
        lanes = _ops.size()
        if lanes:
            return f"{refused}a warp has {_warp_size()} threads, but the subgroups here have {lanes}; use qd.simt.subgroup"
        return f"{refused}it needs a GPU backend ({GPUS})"

    @property
    def _qd_instead_(self):
        """The object that kernels call instead. The attribute exists where the architecture has subgroups; for warps, where these
        have the size of a warp."""
        lanes = _ops.size()
        is_warp = self._qd_name_.startswith("simt.warp.")
        if not lanes or (is_warp and lanes != _warp_size()):
            raise AttributeError("_qd_instead_")
        from quadrants._lanes import groups, warps

        return (warps if is_warp else groups).operations[self._qd_name_]

    @property
    def __signature__(self):
        import inspect

        made = {}
        exec(f"def f({self._parameters}): pass", made)
        return inspect.signature(made["f"])

    def __call__(self, *args, **keywords):
        if hasattr(self, "_qd_instead_"):
            raise ValueError(f"qd.{self._qd_name_} can be called in kernels and funcs only")
        raise ValueError(self._qd_why_not_)

    def __repr__(self):
        return f"<qd.{self._qd_name_}>"


def _said_of_parameters(text):
    rest = [part for part in text.split("\n\n") if part.startswith("Args:")]
    return "\n\n".join([*rest, "Example:\n    See the new name."])


class Deprecated(GpuOnly):
    """A former name: warns once per process, then forwards to the object that currently has the new name in the module.
    `_<name>_deprecation_warned` in the module records the warning."""

    def __init__(self, name, parameters, instead, module):
        super().__init__(f"{name.rpartition('.')[0]}.{instead.rpartition('.')[2]}", parameters)
        self.__name__ = self.__qualname__ = name.rpartition(".")[2]
        self._qd_name_ = name
        self.__doc__ = f"Former name of `qd.{instead}`; warns once per process.\n\n{_said_of_parameters(self.__doc__)}"
        self._instead = instead
        self._module = module  # namespace of the module
        self._flag = f"_{self.__name__}_deprecation_warned"
        module[self._flag] = False

    @property
    def _qd_deprecated_(self):
        """Returns the warning; None if it has been issued already."""
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
    """Defines placeholders. `prototypes`: "name(parameters); ..."; `deprecated`: old name -> its replacement."""
    parameters = {}
    for prototype in map(str.strip, prototypes.split(";")):
        name, _, parameters[name] = prototype[:-1].partition("(")
        namespace[name] = GpuOnly(f"{prefix}.{name}", parameters[name])
    for old, new in dict(deprecated).items():
        namespace[old] = Deprecated(f"{prefix}.{old}", parameters[new], f"{prefix}.{new}", namespace)
