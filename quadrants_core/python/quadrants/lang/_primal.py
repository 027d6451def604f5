"""Attributes that programs read from `k._primal` of a kernel `k`: its specialisations, the arguments of the last call, and the origin of
its code. A specialisation is identified by its key, (number, AutodiffMode); the results are computed from the kernel on each access."""

import weakref

from quadrants import _dtypes
from quadrants._language.annotations import MatrixType
from quadrants.lang._kernel_types import KernelBatchedArgType
from quadrants.types.enums import AutodiffMode, BoundaryMode


class _Facts:
    """Named attributes, each computed on access."""

    def __init__(self, kernel):
        self._kernel = kernel

    def __repr__(self):
        names = [n for n in dir(self) if not n.startswith("_")]
        return f"{type(self).__name__.strip('_')}({', '.join(f'{n}={getattr(self, n)!r}' for n in names)})"


class _Param:
    """A parameter of a specialisation, as described by the core."""

    def __init__(self, facts):
        (
            self.argument, self.name, self.kind, scalar, self.ndim, rows, cols, element_dim, self.layout, clamp, self.of_host,
            self.with_gradient, self.value,
        ) = facts  # fmt: skip
        self.dtype = _dtypes.all_types[scalar - 1] if scalar else None
        self.boundary = BoundaryMode.CLAMP if clamp else BoundaryMode.UNSAFE
        self.element_type = MatrixType(rows, cols, element_dim, self.dtype) if element_dim else self.dtype

    def feature(self):
        if self.kind == "array":
            return self.element_type, self.ndim, self.with_gradient, self.boundary, self.layout
        if self.kind in ("constant", "bundle"):
            return self.value if type(self.value).__hash__ else id(self.value)
        return self.kind, self.element_type


def _features(params):
    """Returns one item per parameter of the kernel; for a parameter whose members are passed, a tuple that includes the members."""
    inside = {}
    for p in params:
        inside.setdefault(p.argument, []).append(p)
    return tuple(
        own.feature() if not members else (own.feature(), *((m.name, m.feature()) for m in members))
        for _, (own, *members) in sorted(inside.items())
    )


def _key(kernel, number):
    return kernel._primal.fn, number, AutodiffMode.NONE


def _living(kernel):
    """Returns the descriptions of the kernel's specialisations, except those for template arguments that no longer exist."""
    is_gone = lambda value: isinstance(value, weakref.ref) and value() is None  # noqa: E731
    return [plan for plan in kernel._plans() if not any(is_gone(p[-1]) for p in plan[1])]


def _plans(kernel):
    """Returns key -> (parameters, provenance)."""
    return {
        _key(kernel, number): ([_Param(facts) for facts in params], provenance)
        for number, params, provenance in _living(kernel)
    }


def _last_key(kernel):
    """Returns the key of the specialisation that the last call used, or None."""
    number, _ = kernel._last_plan()
    return None if number is None else _key(kernel, number)


class _LaunchStats(_Facts):
    @property
    def kernel_args_count_by_type(self):
        """KernelBatchedArgType -> number of arguments of that type in the last call: numbers, and arrays of this package. Whether a
        parameter received such an array, with or without gradient, is taken from the first call of the specialisation."""
        from collections import Counter

        params, _ = _plans(self._kernel).get(_last_key(self._kernel), ((), None))
        arrays = {p.name for p in params if p.kind == "array"}
        return Counter(
            _batch_of(p)
            for p in params
            if p.kind == "scalar"
            or (p.kind == "array" and not p.of_host and p.name.removesuffix(".grad") not in arrays - {p.name})
        )


def _batch_of(param):
    if param.kind == "array":
        return KernelBatchedArgType.QD_ARRAY_WITH_GRAD if param.with_gradient else KernelBatchedArgType.QD_ARRAY
    return {"float": KernelBatchedArgType.FLOAT, "int": KernelBatchedArgType.INT}.get(
        param.dtype.kind, KernelBatchedArgType.UINT
    )


class _LaunchObservations(_Facts):
    @property
    def found_kernel_in_materialize_cache(self):
        """True if the specialisation of the last call already existed."""
        number, made = self._kernel._last_plan()
        return number is not None and not made


class _Provenance(_Facts):
    def _of_newest(self):
        plans = _living(self._kernel)
        return plans[-1][2] if plans else {"keyed": False, "matched": False, "recalled": False, "kept": False, "cached": False}


class _SourceCache(_Provenance):
    """The cache entry of the newest specialisation, for kernels with fastcache=True."""

    def _fact(self, name):
        return bool(self._kernel._primal.fastcache and self._of_newest()[name])

    @property
    def cache_key_generated(self):
        """False also if a dependency turned out not to be comparable."""
        return self._fact("keyed") and (self._fact("matched") or self._fact("kept"))

    cache_validated = property(lambda self: self._fact("matched"))
    cache_loaded = property(lambda self: self._fact("recalled"))
    cache_stored = property(lambda self: self._fact("kept"))


class _CodeCache(_Provenance):
    @property
    def cache_hit(self):
        """True if the newest specialisation was lowered by the frontend and all its code was found in memory or in the cache."""
        facts = self._of_newest()
        by_record = facts["recalled"] and self._kernel._primal.fastcache
        return facts["cached"] and not by_record


class CompiledKernelData(_Facts):
    """A specialisation."""

    def __init__(self, kernel, key, params):
        super().__init__(kernel)
        self._key, self._params = key, params

    parameters = property(lambda self: [p.name for p in self._params])

    def __eq__(self, other):
        return isinstance(other, CompiledKernelData) and self._key == other._key

    def __hash__(self):
        return hash(self._key)


class _Mapper(_Facts):
    @property
    def mapping(self):
        """Features of the arguments -> number of the specialisation. For an array they are its element type, the number of indices, whether
        it has a gradient, the treatment of indices out of bounds, and its storage order."""
        return {_features(params): key[1] for key, (params, _) in _plans(self._kernel).items()}

    @property
    def _mapping_cache(self):
        raise AttributeError("nothing is kept by the identities of arguments; `mapping` has the specialisations")


def _used_members(kernel):
    """Returns key -> names of the dataclasses and of their members that the specialisation uses: __qd_<param>__qd_<member>."""
    return {key: _flat_names(params) for key, (params, _) in _plans(kernel).items()}


def _flat_names(params):
    owners = {p.name for p in params if p.kind == "bundle"}
    paths = (p.name.split(".") for p in params)
    return {"__qd_" + "__qd_".join(path[: n + 1]) for path in paths if path[0] in owners for n in range(len(path))}


def _compiled(kernel):
    return {key: CompiledKernelData(kernel, key, params) for key, (params, _) in _plans(kernel).items()}


_ATTRIBUTES = {
    "launch_stats": _LaunchStats,
    "launch_observations": _LaunchObservations,
    "src_ll_cache_observations": _SourceCache,
    "fe_ll_cache_observations": _CodeCache,
    "mapper": _Mapper,
    "materialized_kernels": _compiled,
    "compiled_kernel_data_by_key": _compiled,
    "used_py_dataclass_parameters_by_key_enforcing": _used_members,
    "_last_launch_key": _last_key,
}

class _Level:
    """A qd.graph.do_while of a kernel: its flag, and the enclosing level."""

    def __init__(self, cond_arg_name, parent_id, cond_cpp_arg_id):
        self.cond_arg_name = cond_arg_name
        self.parent_id = parent_id
        self.cond_cpp_arg_id = cond_cpp_arg_id

    def __repr__(self):
        return f"Level({self.cond_arg_name!r}, parent_id={self.parent_id}, cond_cpp_arg_id={self.cond_cpp_arg_id})"


def _levels(kernel):
    return [_Level(*level) for level in kernel._graph()[0]]


def _outermost_flag(kernel):
    levels = kernel._graph()[0]
    return levels[0][0] if levels else None


# For the specialisation used last: one entry per level or checkpoint, in source order.
_ATTRIBUTES.update(
    use_graph=lambda kernel: kernel._primal.graph,
    use_checkpoints=lambda kernel: kernel._primal.checkpoints,
    graph_do_while_arg=_outermost_flag,
    graph_do_while_levels=_levels,
    checkpoint_user_labels_by_cp_id=lambda kernel: [label for label, _, _ in kernel._graph()[1]],
    checkpoint_yield_on_args=lambda kernel: [flag for _, flag, _ in kernel._graph()[1]],
    checkpoint_yield_on_cpp_arg_ids=lambda kernel: [argument for _, _, argument in kernel._graph()[1]],
)


def attribute(info, name):
    """Returns `info.name`, where `info` is the _primal of a kernel."""
    if name in _ATTRIBUTES:
        kernel = info.kernel()
        if kernel is None:
            raise AttributeError(f"{name}: the kernel {info.name} no longer exists")
        return _ATTRIBUTES[name](kernel)
    raise AttributeError(f"the kernel {info.name} has no {name!r}; what can be looked up is in quadrants/lang/_primal.py")
