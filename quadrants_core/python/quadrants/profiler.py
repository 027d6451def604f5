"""qd.profiler: run times of kernels, compile times and memory usage.

`qd.init(kernel_profiler=True)` makes the runtime measure each task. A task is a top-level loop of a kernel, or the code between two of
them. Without the option nothing is measured and launches have no additional cost.
"""

from quadrants import _native, _runtime, _settings

_OFF = "use 'qd.init(kernel_profiler = True)' to turn on KernelProfiler."


class KernelProfilerQueryResult:
    """Times of the tasks found by a query.

    Args:
        counter: number of launches.
        min: shortest time, in milliseconds.
        max: longest time, in milliseconds.
        avg: mean time, in milliseconds.

    Attributes:
        counter, min, max, avg: the arguments.

    Example:
        See `qd.profiler.query_kernel_profiler_info`.
    """

    __slots__ = ("counter", "min", "max", "avg")

    def __init__(self, counter, min, max, avg):
        self.counter, self.min, self.max, self.avg = counter, min, max, avg

    def __repr__(self):
        return f"KernelProfilerQueryResult(counter={self.counter}, min={self.min:.3f}, max={self.max:.3f}, avg={self.avg:.3f})"


class _Task:
    def __init__(self, kernel, task, runs, shortest, longest, total):
        self.kernel = kernel.rpartition(".")[2]  # kernels are listed by name, without the enclosing scope
        self.name = self.kernel + task[len(kernel) :] if task.startswith(kernel + ".") else f"{self.kernel}.{task}"
        self.runs, self.shortest, self.longest, self.total = runs, shortest / 1e3, longest / 1e3, total / 1e3


def _is_on():
    if _settings.cfg is not None and _settings.cfg.kernel_profiler:
        return True
    import warnings

    warnings.warn(_OFF, stacklevel=3)
    return False


def _tasks():
    """Returns the tasks merged by name, since kernels of different scopes may have the same name."""
    merged = {}
    for row in _native.core().task_times():
        task = _Task(*row)
        known = merged.setdefault(task.name, task)
        if known is not task:
            known.runs += task.runs
            known.total += task.total
            known.shortest = min(known.shortest, task.shortest)
            known.longest = max(known.longest, task.longest)
    return list(merged.values())


def _table(title, columns, rows, notes=()):
    """Prints a text table; the last column is a name and is left-aligned."""
    widths = [max([len(c)] + [len(r[i]) for r in rows]) for i, c in enumerate(columns[:-1])]
    lines = ["  ".join([c.rjust(w) for c, w in zip(row, widths)] + [row[-1]]) for row in [columns, *rows]]
    rule = "-" * max(map(len, [title, *lines, *notes]))
    print("\n".join(["=" * len(rule), title, rule, lines[0], rule, *lines[1:], rule, *notes, "=" * len(rule)]))


def print_kernel_profiler_info(mode="count"):
    """Prints the run times of tasks.

    Args:
        mode: "count": one line per task; "trace": one line per run, in order.

    Raises:
        ValueError: the mode is not one of these.

    Example:
        >>> qd.init(arch=qd.cpu, kernel_profiler=True)
        >>> qd.profiler.print_kernel_profiler_info()  # doctest: +ELLIPSIS
        =...
    """
    if mode not in ("count", "trace"):
        raise ValueError("Arg `mode` must be of type 'str', and has the value 'count' or 'trace'.")
    if not _is_on():
        return
    tasks = _tasks()
    total = sum(t.total for t in tasks)
    if mode == "count":
        rows = [
            (
                f"{100 * t.total / total if total else 0:.2f}%", f"{t.total:.3f}", str(t.runs), f"{t.shortest:.3f}",
                f"{t.total / t.runs:.3f}", f"{t.longest:.3f}", t.name,
            )
            for t in sorted(tasks, key=lambda t: -t.total)
        ]  # fmt: skip
        columns = ("share", "total ms", "runs", "min ms", "avg ms", "max ms", "task")
        runs = sum(t.runs for t in tasks)
        notes = [f"{total:.3f} ms in {runs} runs of {len(tasks)} tasks"]
    else:
        names = [_Task(*row).name for row in _native.core().task_times()]
        rows, at = [], 0.0
        for task, microseconds in _native.core().task_runs():
            rows.append((f"{at:.3f}", f"{microseconds / 1e3:.3f}", names[task]))
            at += microseconds / 1e3
        columns = ("busy ms before", "ms", "task")
        runs = sum(t.runs for t in tasks)
        notes = [f"{total:.3f} ms in {runs} runs"] + ([f"the first {len(rows)} runs are shown"] if len(rows) < runs else [])
    _table(f"Kernel profile ({mode}) on {_settings.cfg.arch.name}", columns, rows, notes)


def query_kernel_profiler_info(name):
    """Returns the times of a kernel, as the sum over its tasks, or of one task.

    Args:
        name: the name of the kernel or task.

    Returns:
        A KernelProfilerQueryResult, with times in milliseconds.

    Example:
        >>> qd.init(arch=qd.cpu, kernel_profiler=True)
        >>> @qd.kernel
        ... def f() -> qd.i32:
        ...     return 1
        >>> f()
        1
        >>> qd.profiler.query_kernel_profiler_info("f").counter
        1
    """
    if not _is_on():
        return KernelProfilerQueryResult(0, 0.0, 0.0, 0.0)
    wanted = name.rpartition(".<locals>.")[2]
    found = [t for t in _tasks() if wanted in (t.name, t.kernel)]
    if not found:
        return KernelProfilerQueryResult(0, 0.0, 0.0, 0.0)
    launches, total = max(t.runs for t in found), sum(t.total for t in found)
    return KernelProfilerQueryResult(
        launches, sum(t.shortest for t in found), sum(t.longest for t in found), total / launches
    )


def clear_kernel_profiler_info():
    """Resets the recorded times of kernels.

    Example:
        >>> qd.profiler.clear_kernel_profiler_info()
    """
    if _is_on():
        _native.core().clear_task_times()


def get_kernel_profiler_total_time():
    """Returns the time spent in tasks since the last reset.

    Returns:
        The time in seconds; 0 without `kernel_profiler=True`.

    Example:
        >>> qd.init(arch=qd.cpu, kernel_profiler=True)
        >>> qd.profiler.get_kernel_profiler_total_time()
        0.0
    """
    return sum(t.total for t in _tasks()) / 1e3 if _is_on() else 0.0


# Scopes of the compiler

_SCOPES = {
    "kernels": "kernels: from the call to code that is ready to run",
    "tasks": "tasks, which are compiled side by side",
}


def print_scoped_profiler_info():
    """Prints the compile times of this process by phase.

    Example:
        >>> qd.profiler.print_scoped_profiler_info()  # doctest: +ELLIPSIS
        ===...
    """
    sums = {}
    for scope, phase, count, microseconds in _native.core().phase_times():
        sums.setdefault(scope, {})[phase] = (count, microseconds / 1e3)
    rows = []
    for scope, phases in sums.items():
        whole = phases[""][1]
        for phase, (count, ms) in sorted(phases.items(), key=lambda p: (p[0] != "", -p[1][1])):
            share = f"{100 * ms / whole if whole else 0:.1f}%"
            rows.append((f"{ms:.3f}", share, str(count), f"{1e3 * ms / count:.1f}", f"  {phase}" if phase else _SCOPES[scope]))
    _table("Compile profile", ("total ms", "share", "times", "avg us", "phase"), rows)


def clear_scoped_profiler_info():
    """Resets the recorded compile times.

    Example:
        >>> qd.profiler.clear_scoped_profiler_info()
    """
    _native.core().clear_phase_times()


# Memory


def _size(n):
    for unit in ("B", "KiB", "MiB"):
        if n < 1024:
            return f"{n:.1f} {unit}" if unit != "B" else f"{n} B"
        n /= 1024
    return f"{n:.2f} GiB"


def print_memory_profiler_info():
    """Prints the memory held by the program: the trees of fields level by level, and the ndarrays.

    Example:
        >>> x = qd.field(qd.f32, shape=256)
        >>> qd.profiler.print_memory_profiler_info()  # doctest: +ELLIPSIS
        ===...
    """
    from quadrants._trees import snode as _snode

    _runtime.require_program()
    core = _native.core()
    rows = []
    builders = [b for b in _snode.Builder.finished if b._generation == core.generation()]
    for builder in sorted(builders, key=lambda b: b._tree_id()):
        rows.append((_size(builder._root._cell_size_bytes), "1", f"field tree {builder._tree_id()}"))
        _add_levels(builder._root, "  ", rows)
    arrays, bytes_of_arrays = core.ndarray_memory()
    rows.append((_size(bytes_of_arrays), str(arrays), "ndarrays"))
    _table("Memory", ("bytes", "count", "what"), rows, [f"{_size(core.allocated_bytes())} allocated in total"])


def _add_levels(node, indent, rows):
    """Adds rows for the levels below `node`: bytes of a cell and number of cells; for cells allocated on demand, all that have ever
    existed."""
    from quadrants._trees import snode as _snode

    for child in node._children:
        if isinstance(child, _snode.Member):
            size = child.snode()._cell_size_bytes
            rows.append((f"{size} B", "", f"{indent}{child.name or 'place'}"))
            continue
        cells = 1
        for _, extent in child._levels:
            cells *= extent
        made = child._kind in ("pointer", "dynamic")
        count = f"{child._num_dynamically_allocated} made" if made else str(cells)
        rows.append((_size(child._cell_size_bytes), count, f"{indent}{child._kind} {[n for _, n in child._levels]}"))
        _add_levels(child, indent + "  ", rows)


# Hardware counters


def _no_counters(what):
    import warnings

    arch = _settings.current().arch.name
    warnings.warn(f"{what}: CUPTI measures CUDA devices; on arch {arch} there are no hardware counters", stacklevel=3)


def set_kernel_profiler_toolkit(toolkit_name="default"):
    """Selects the source of measurements.

    Args:
        toolkit_name: "default", the clock of the host, or "cupti", which needs a CUDA device.

    Returns:
        True if it is available.

    Example:
        >>> qd.profiler.set_kernel_profiler_toolkit("cupti")
        False
    """
    if toolkit_name != "default":
        _no_counters(f"set_kernel_profiler_toolkit({toolkit_name!r})")
    return toolkit_name == "default"


class CuptiMetric:
    """A hardware counter of CUDA devices and its display format.

    Args:
        name: the name in CUPTI.
        header: the column header.
        val_format: the format string for values.
        scale: the factor applied to values.

    Example:
        >>> counter = qd.profiler.CuptiMetric(name="smsp__cycles_active.avg", header="cycles")
    """

    def __init__(self, name="", header="unnamed_header", val_format="     {:8.0f} ", scale=1.0):
        self.name, self.header, self.val_format, self.scale = name, header, val_format, scale


def get_predefined_cupti_metrics(name=""):
    """Returns the counters of a predefined set; none without a CUDA device.

    Args:
        name: the name of the set.

    Returns:
        A list of CuptiMetric.

    Example:
        >>> qd.profiler.get_predefined_cupti_metrics("global_access")
        []
    """
    _no_counters(f"get_predefined_cupti_metrics({name!r})")
    return []


def set_kernel_profiler_metrics(metric_list=()):
    """Selects the hardware counters to read.

    Args:
        metric_list: a list of CuptiMetric.

    Example:
        >>> qd.profiler.set_kernel_profiler_metrics([])
    """
    if metric_list:
        _no_counters("set_kernel_profiler_metrics")


class collect_kernel_profiler_metrics:
    """`with collect_kernel_profiler_metrics(metrics):` reads hardware counters inside the block; without a CUDA device there are none.

    Args:
        metric_list: a list of CuptiMetric.

    Example:
        >>> with qd.profiler.collect_kernel_profiler_metrics([]):
        ...     pass
    """

    def __init__(self, metric_list=()):
        self._metrics = metric_list

    def __enter__(self):
        set_kernel_profiler_metrics(self._metrics)
        return self

    def __exit__(self, *args):
        return False
