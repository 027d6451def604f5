"""Operations that need the threads of a GPU."""

from quadrants import _later, _runtime

_warned = set()  # deprecated names that the program has been told of
_runtime.after_reset.append(_warned.clear)

GPUS = "cuda, metal, vulkan, amdgpu"


class GpuOnly:
    """Stands for such an operation where there is no GPU: using it says so, in kernels with the place."""

    _qd_kind_ = "builtin"

    def __init__(self, name, parameters, instead=""):
        self._parameters = parameters
        self.__name__ = self.__qualname__ = name.rpartition(".")[2]
        self._qd_name_ = name
        self._instead = instead  # the name to use, of a deprecated one

    @property
    def _qd_why_not_(self):
        arch = _runtime.current_cfg().arch.name
        return f"qd.{self._instead or self._qd_name_} is not supported for arch {arch}: it needs a GPU backend ({GPUS})"

    @property
    def _qd_deprecated_(self):
        """What to warn of, once in a program; then None."""
        if self._qd_name_ in _warned or not self._instead:
            return None
        _warned.add(self._qd_name_)
        return f"qd.{self._qd_name_}() is deprecated; use qd.{self._instead}() instead."

    @property
    def __signature__(self):
        return _later.signature(self._parameters)

    def __call__(self, *args, **keywords):
        text = self._qd_deprecated_
        if text:
            import warnings

            warnings.warn(text, DeprecationWarning, stacklevel=2)
        raise ValueError(self._qd_why_not_)

    def __repr__(self):
        return f"<qd.{self._qd_name_}>"


def define(namespace, prefix, prototypes, deprecated=()):
    """`prototypes`: "name(parameters); ..."; `deprecated`: old name -> the one to use."""
    parameters = {}
    for prototype in map(str.strip, prototypes.split(";")):
        name, _, parameters[name] = prototype[:-1].partition("(")
        namespace[name] = GpuOnly(f"{prefix}.{name}", parameters[name])
    for old, new in dict(deprecated).items():
        namespace[old] = GpuOnly(f"{prefix}.{old}", parameters[new], f"{prefix}.{new}")
