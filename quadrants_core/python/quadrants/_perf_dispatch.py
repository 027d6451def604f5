"""qd.perf_dispatch: several implementations of one function, from which the fastest is selected by timing the calls."""

import inspect as _inspect
import time as _time

from quadrants import _environment, _exceptions, _logging, _runtime

DEFAULT_REPEAT_AFTER_COUNT = 300
NUM_FIRST_WARMUP = 1
NUM_WARMUP = 0
NUM_ACTIVE = 1
PRINT_DEBUG = _environment.value("perfdispatch_print_debug")

_Syntax = _exceptions.QuadrantsSyntaxError


def _parse_force_map(text):
    """Parses "prototype:implementation,..." into {"prototype": "implementation"}."""
    forced = {}
    for entry in filter(None, (part.strip() for part in text.split(","))):
        name, colon, choice = (part.strip() for part in entry.partition(":"))
        if not colon or not name or not choice or ":" in choice:
            raise ValueError(f"Malformed QD_PERFDISPATCH_FORCE entry '{entry}'. Expected format: 'dispatcher:impl'.")
        forced[name] = choice
    return forced


_FORCE_MAP = _parse_force_map(_environment.value("perfdispatch_force"))
_ANY_FORCE_ACTIVE = bool(_FORCE_MAP)


def _report(text):
    if PRINT_DEBUG or _logging.is_logging_effective(_logging.DEBUG):
        print(f"[Quadrants] {text}", flush=True)


class DispatchImpl:
    """One implementation."""

    __slots__ = ("function", "is_compatible", "name", "__weakref__")

    def __init__(self, function, is_compatible):
        self.function = function
        self.is_compatible = is_compatible
        self.name = getattr(function, "__name__", repr(function))

    def __call__(self, *args, **keywords):
        return self.function(*args, **keywords)

    def __repr__(self):
        return f"<implementation {self.name}>"


class PerformanceDispatcher:
    """The dispatcher made by @qd.perf_dispatch: calls one of the registered implementations."""

    def __init__(self, get_geometry_hash, fn, first_warmup, warmup, active, repeat_after_count, repeat_after_seconds):
        if not hasattr(fn, "__code__") and hasattr(fn, "fn"):
            fn = fn.fn
        self._name = fn.__name__
        self._params = list(_inspect.signature(fn).parameters)
        self._get_geometry_hash = get_geometry_hash
        self.num_first_warmup = NUM_FIRST_WARMUP if first_warmup is None else first_warmup
        self.num_warmup = NUM_WARMUP if warmup is None else warmup
        self.num_active = NUM_ACTIVE if active is None else active
        if repeat_after_count is None and repeat_after_seconds is None:
            repeat_after_count = DEFAULT_REPEAT_AFTER_COUNT
        self.repeat_after_count = repeat_after_count  # None or 0: never
        self.repeat_after_seconds = repeat_after_seconds
        self._dispatch_impls = []
        self._trial_count_by_dispatch_impl_by_geometry_hash = {}
        self._fastest_dispatch_impl_by_geometry_hash = {}
        self._times = {}  # geometry -> implementation -> seconds of the timed trials
        self._calls_since = {}  # geometry -> calls since the fastest was chosen
        self._chosen_at = {}
        self._first_eval_completed = set()  # geometries
        self._not_found = set()  # requested names that match no implementation and have been reported
        self.__name__ = self.__qualname__ = self._name
        self.__doc__ = fn.__doc__

    def register(self, kernel=None, *, is_compatible=None):
        """Adds an implementation; `is_compatible(*args)` returns whether it can be used for a call."""
        if kernel is None:
            return lambda kernel: self.register(kernel, is_compatible=is_compatible)
        plain = getattr(kernel, "fn", kernel)
        given = list(_inspect.signature(plain).parameters)
        for name in given:
            if name not in self._params:
                raise _Syntax(
                    f"Signature parameter {name} of function not in perf_dispatch function prototype "
                    "(error code: PERFDISPATCH_ANNOTATION_SEQUENCE_MISMATCH)."
                )
        for name in self._params:
            if name not in given:
                raise _Syntax(
                    f"perf_dispatch function prototype parameter {name} not in function signature "
                    "(error code: PERFDISPATCH_ANNOTATION_SEQUENCE_MISMATCH)."
                )
        made = DispatchImpl(kernel, is_compatible)
        self._dispatch_impls.append(made)
        _report(f"perf_dispatch '{self._name}': registered '{made.name}'")
        return made

    def _forced(self):
        wanted = _FORCE_MAP.get(self._name)
        if wanted is None:
            return None
        for made in self._dispatch_impls:
            if made.name == wanted:
                return made
        if wanted not in self._not_found:
            self._not_found.add(wanted)
            names = [made.name for made in self._dispatch_impls]
            print(
                f"[Quadrants] WARNING: perf_dispatch '{self._name}': QD_PERFDISPATCH_FORCE asks for '{wanted}'; available "
                f"implementations: {names}. Falling back to normal benchmarking.",
                flush=True,
            )
        return None

    def _compatible(self, args, keywords):
        found = [m for m in self._dispatch_impls if m.is_compatible is None or m.is_compatible(*args, **keywords)]
        if not found:
            raise _exceptions.QuadrantsRuntimeError("No suitable functions were found.")
        return found

    def _is_due(self, geometry):
        """Returns whether the choice for this geometry must be repeated."""
        if self.repeat_after_count and self._calls_since[geometry] + 1 >= self.repeat_after_count:
            return True
        seconds = self.repeat_after_seconds
        return bool(seconds) and _time.monotonic() - self._chosen_at[geometry] >= seconds

    def __call__(self, *args, **keywords):
        if _ANY_FORCE_ACTIVE or _FORCE_MAP:
            forced = self._forced()
            if forced is not None:
                return forced(*args, **keywords)
        geometry = self._get_geometry_hash(*args, **keywords)
        fastest = self._fastest_dispatch_impl_by_geometry_hash.get(geometry)
        compatible = None
        if fastest is not None:
            if not self._is_due(geometry):
                self._calls_since[geometry] += 1
                if fastest.is_compatible is None or fastest.is_compatible(*args, **keywords):
                    return fastest(*args, **keywords)
            else:
                del self._fastest_dispatch_impl_by_geometry_hash[geometry]
                del self._trial_count_by_dispatch_impl_by_geometry_hash[geometry]
                self._times.pop(geometry, None)
        compatible = self._compatible(args, keywords)
        if len(compatible) == 1:
            return compatible[0](*args, **keywords)
        return self._trial(geometry, compatible, args, keywords)

    def _trial(self, geometry, compatible, args, keywords):
        """Runs and times the implementation with the fewest trials."""
        trials = self._trial_count_by_dispatch_impl_by_geometry_hash.setdefault(geometry, {})
        made = min(compatible, key=lambda m: trials.get(m, 0))
        warmup = self.num_warmup if geometry in self._first_eval_completed else self.num_first_warmup
        _runtime.sync()
        begin = _time.perf_counter()
        result = made(*args, **keywords)
        _runtime.sync()
        elapsed = _time.perf_counter() - begin
        trials[made] = trials.get(made, 0) + 1
        if trials[made] > warmup:
            self._times.setdefault(geometry, {}).setdefault(made, []).append(elapsed)
        if all(trials.get(m, 0) >= warmup + self.num_active for m in compatible):
            times = self._times[geometry]
            best = min(compatible, key=lambda m: min(times[m]))
            self._fastest_dispatch_impl_by_geometry_hash[geometry] = best
            self._calls_since[geometry] = 0
            self._chosen_at[geometry] = _time.monotonic()
            self._first_eval_completed.add(geometry)
            _report(f"perf_dispatch '{self._name}': '{best.name}' is the fastest for geometry {geometry}")
        return result


def perf_dispatch(
    *, get_geometry_hash, first_warmup=NUM_FIRST_WARMUP, warmup=NUM_WARMUP, active=NUM_ACTIVE, repeat_after_count=None, repeat_after_seconds=None
):
    """Decorates an empty prototype. Implementations are added with `@prototype.register`. They are timed for each value of
    `get_geometry_hash(*args)`, and afterwards the fastest is called. All must give the same result.

    Args:
        get_geometry_hash: function of the arguments; calls with equal results are assumed to take the same time.
        first_warmup: number of calls of an implementation before the first measurement.
        warmup: number of calls before each later measurement.
        active: number of measured calls.
        repeat_after_count: number of calls after which to measure again; None: never.
        repeat_after_seconds: time in seconds after which to measure again; None: never.

    Returns:
        A decorator.

    Raises:
        QuadrantsRuntimeError: no implementation is compatible with the arguments.

    Example:
        >>> @qd.perf_dispatch(get_geometry_hash=lambda x: x.shape)
        ... def fill(x: qd.types.ndarray()): ...
        >>> @fill.register
        ... @qd.kernel
        ... def plain(x: qd.types.NDArray[qd.i32, 1]):
        ...     for i in x:
        ...         x[i] = i
        >>> x = qd.ndarray(qd.i32, 3)
        >>> fill(x)
        >>> x.to_numpy()
        array([0, 1, 2], dtype=int32)
    """
    return lambda fn: PerformanceDispatcher(
        get_geometry_hash, fn, first_warmup, warmup, active, repeat_after_count, repeat_after_seconds
    )
