"""qd.coverage: execution counts of the lines and transitions of kernels. They are counted while QD_KERNEL_COVERAGE=1 and survive
qd.reset(). This module does not need the package `coverage`; the files for it are written by files.py."""

import bisect as _bisect
import time as _time
import weakref as _weakref

from quadrants import _dtypes, _native, _settings, _source
from quadrants._coverage import others as _others

_gathered = {}  # (what, file, scope, line, column, end_line, end_column) -> count, for programs that have ended
_gathered_by_kernel = {}  # (kernel, specialisation, title, place) -> {row: count}, for the same programs; rows as in _by_kernel()
_moves = 0  # odd while the counts of an ending program move to `_gathered`
_clears = 0  # how many times the counts were cleared
_before_clear, _after_clear = [], []
_listeners = []  # called with [(file, line)] when a kernel with counters has been compiled or loaded

if _source.in_use is None:
    _source.in_use = _source.SourceTexts()


def _compiled(lines):
    for callback in _listeners:
        callback(lines)


def _core():
    core = _native.loaded
    return core if core is not None and core.initialised() else None


def _running():
    core = _core()
    return core.coverage() if core is not None else []


def _add(into, rows):
    for row in rows:
        into[row[:-1]] = into.get(row[:-1], 0) + row[-1]


def _add_by_kernel(into):
    for kernel, specialisation, title, rows in _core().coverage_by_kernel()[1]:
        _add(into.setdefault((kernel, specialisation, title, _place(kernel, rows)), {}), rows)


def left_out(places):
    """Returns (file, line) of the statements without a counter in functions that count at these places: they are in branches eliminated
    at compile time, and never run."""
    lines = {}
    for file, line in places:
        lines.setdefault(file, set()).add(line)
    return [(file, line) for file, known in lines.items() for line, *_ in _left_out(file, known)]


def _left_out(file, known):
    """Yields (line, column, last line, function)."""
    ordered = sorted(known)
    for text in _source.in_use.shown_as(file):
        first, last = text.extent() or (0, -1)
        at = _bisect.bisect_left(ordered, first)
        if at < len(ordered) and ordered[at] <= last:
            yield from ((*one, text.qualname) for one in text.statements() if one[0] not in known)


def _completed(rows):
    """Adds the lines of functions that have no counter, with the count 0."""
    lines = {}
    for what, file, _, line, *_ in rows:
        if what == "line":
            lines.setdefault(file, set()).add(line)
    return {**{("line", file, function, line, column, last, 0): 0
               for file, known in lines.items() for line, column, last, function in _left_out(file, known)}, **rows}  # fmt: skip


def _place(kernel, rows):
    """Returns (file, line) of the kernel's first statement, since another program may have a kernel of the same name elsewhere."""
    own = kernel.removesuffix("_reverse_grad")
    return min(((file, line) for what, file, scope, line, *_ in rows if scope == own), default=("", 0))


def _harvest():
    global _moves
    _moves += 1
    try:
        _add(_gathered, _running())
        _add_by_kernel(_gathered_by_kernel)
        _core().clear_coverage()
    except Exception:
        import logging

        logging.warning("The counts of a program could not be read at its end", exc_info=True)
    finally:
        _moves += 1


def _steady(read):
    """Calls `read()` consistently with other threads: no count is lost or counted twice while a program ends."""
    while True:
        before = _moves
        if before % 2 == 0:
            result = read()
            if before == _moves:
                return result
        _time.sleep(0.001)


_settings.before_reset.append(_harvest)


def _rows(others=True):
    """Returns (what, file, scope, line, column, end_line, copy) -> count. `others`: including what other processes have reported."""

    def read():
        total = dict(_gathered)
        _add(total, _running())
        return total

    total = _steady(read)
    for rows in _others.by_kernel().values() if others else ():
        _sum(total, rows)
    return _completed(total)


def _sum(into, rows):
    for row, count in rows.items():
        into[row] = into.get(row, 0) + count


def _with_others(kernels, known):
    """Adds the counts of other processes to `kernels`; `known` are the keys of kernels of this process."""
    same = {(key[0], *key[2:]): key for key in known}  # other processes may number specialisations in another order
    result = {key: dict(rows) for key, rows in list(kernels.items())}
    for key, rows in _others.by_kernel().items():
        _sum(result.setdefault(same.get((key[0], *key[2:]), key), {}), rows)
    return result


def _by_kernel():
    """Returns (kernel, specialisation, title, place) -> {(what, file, scope, line, column, end_line, copy): count}."""

    def read():
        kernels = {key: dict(rows) for key, rows in list(_gathered_by_kernel.items())}
        if _core() is not None:
            _add_by_kernel(kernels)
        return kernels

    own = _steady(read)
    return {key: _completed(rows) for key, rows in _with_others(own, own).items()}


class Changes:
    """The counts of kernels, updated incrementally: each reading reads only what has changed since the previous one. `others`: including
    what other processes have reported."""

    def __init__(self, others=True):
        self._includes_others = others
        self.rows = {}  # as returned by _by_kernel()
        self._programs = None  # the state of this module at the last reading
        self._reading = 0
        self._keys = {}  # (kernel, specialisation) of the running program -> key of `rows`
        self._base = {}  # like `rows`, without the counts of the running program
        self._others = None  # the state of the counts of other processes in `_base`

    def take(self):
        """Updates `rows` and returns the keys that have changed."""
        changed = set()
        _steady(lambda: self._take(changed))
        return changed

    def _take(self, changed):
        core = _core()
        programs, others = (_clears, _moves, core is not None), _others.state if self._includes_others else None
        anew, before = programs != self._programs, self.rows
        rebuilds = anew or others is not self._others
        if rebuilds:
            self._keys, self._reading = {}, 0
        kernels = []
        if core is not None:
            self._reading, kernels = core.coverage_by_kernel(self._reading)
        kernels = [((kernel, specialisation, title, _place(kernel, rows)), rows) for kernel, specialisation, title, rows in kernels]
        if rebuilds:
            known = [*(key for key, _ in kernels), *_gathered_by_kernel]
            self._base = _with_others(_gathered_by_kernel, known) if self._includes_others else dict(_gathered_by_kernel)
            self.rows = {key: _completed(rows) for key, rows in self._base.items()}
            self._add_running(kernels, set())
            changed.update(key for key in {**before, **self.rows} if anew or before.get(key) != self.rows.get(key))
        else:
            self._add_running(kernels, changed)
        self._programs, self._others = programs, others

    def _add_running(self, kernels, changed):
        for key, rows in kernels:
            before = self._keys.get(key[:2], key)
            if before != key:  # it had no title at the previous reading
                self.rows.pop(before, None)
                changed.add(before)
            self._keys[key[:2]] = key
            total = dict(self._base.get(key, ()))
            _add(total, rows)
            self.rows[key] = _completed(total)
            changed.add(key)


def _stamp():
    """Returns a value that changes whenever something is compiled or counted."""
    core = _core()
    return (_clears, _moves, core.counted() if core is not None else None, _others.state)


def _title(params):
    """Returns the title of the specialisation with these parameters (describe.cpp): their types, and the values of its constants."""
    return ", ".join(filter(None, map(_parameter, params)))


def _parameter(facts):
    _, name, kind, scalar, ndim, rows, columns, element_dim, *_, value = facts
    dtype = str(_dtypes.all_types[scalar - 1]) if scalar else "?"
    if element_dim:
        dtype = f"{'x'.join(map(str, (rows, columns)[:element_dim]))} {dtype}"
    if kind == "array":
        return f"{name}: {dtype}[{', '.join(':' * ndim)}]"
    if kind in ("scalar", "matrix", "view"):
        return f"{name}: {dtype}"
    if kind == "constant" and name != "self":
        return f"{name}={_value(value() if isinstance(value, _weakref.ref) else value)}"
    return ""  # members are listed as parameters of their own


def _value(value):
    if value is None or isinstance(value, (bool, int, float, str)):
        return repr(value) if len(repr(value)) < 24 else repr(value)[:20] + "..."
    try:
        shape = getattr(value, "shape", None)
        if isinstance(shape, tuple) and hasattr(value, "dtype"):
            return f"{value.dtype}{list(shape)}"
        return str(getattr(value, "__name__", None) or (value if isinstance(value, _dtypes.DType) else type(value).__name__))
    except Exception:  # from __getattr__ of an object of the user
        return type(value).__name__


def _outcomes(rows):
    """Removes the ends of loops, and the "taken" of a loop that counts a body on the line of its header."""
    ends = ("finished", "endless")
    loops = {key[1:5] for key in rows if key[0] in ends}  # without the index of the copy
    return {
        key: count for key, count in rows.items()
        if key[0] not in (*ends, "backward") and not (key[0] == "taken" and key[1:5] in loops)
    }  # fmt: skip


def counters():
    """Returns all counters: (what, file, scope, line, column, end_line, end_column) -> count. `what` is "line", or a branch: "taken",
    "not_taken", "entered", "zero_trips", "broken"."""
    return _outcomes(_rows())


def bodies_on_their_line(rows):
    """Returns (key, count) of loops with their body on the line of their header; the count is that of the body."""
    loops = {key[1:5] for key in rows if key[0] in ("finished", "endless")}
    return [(key, count) for key, count in rows.items() if key[0] == "taken" and key[1:5] in loops]


class FileCounts(dict):
    """line -> count for one file or cell: the count of the most frequent statement on the line, which may be the body of a loop.
    `arcs`: (from line, to line) -> count in the numbering of coverage.py, where the negative first line of a function stands for its entry
    and its exits.
    `branches`: line -> {"taken": n, "not_taken": n}.
    `loops`: line -> {"started", "zero_trips", "exhausted", "broken"}; "zero_trips" of a `while` that iterated is None.
    `copies`: line -> counts of its static copies, for a single specialisation only. `backward`: line -> how often it was run again for the
    computation of gradients; not included in the counts."""

    def __init__(self, lines, arcs, branches, loops, copies, backward):
        super().__init__(sorted(lines.items()))
        self.arcs, self.branches, self.loops, self.copies = arcs, branches, loops, copies
        self.backward = dict(sorted(backward.items()))


class Specialisation:
    """Counts of one specialisation of a kernel: `kernel`, `number` in the order of compilation, `title` with its types and values, and
    `files`."""

    def __init__(self, kernel, number, title, files):
        self.kernel, self.number, self.title, self.files = kernel, number, title, files

    def __repr__(self):
        return f"<{self.kernel}({self.title}), specialisation {self.number}: {', '.join(self.files)}>"


def _by_file(rows):
    """Returns file -> {(what, line, column): count} from {(what, file, line, column): count}."""
    files = {}
    for (what, file, line, column), count in rows.items():
        here = files.setdefault(file, {})
        here[what, line, column] = here.get((what, line, column), 0) + count
    return files


def _file_counts(file, rows, copies):
    from quadrants._coverage import flow as _coverage_flow

    lines, backward = {}, {}
    for (what, line, _), count in rows.items():
        if what in ("line", "backward"):
            into = lines if what == "line" else backward
            into[line] = into.get(line, 0) + count
    flow = _coverage_flow.of_file(file, rows, lines)
    for (_, line, _), count in bodies_on_their_line(rows):
        lines[line] = max(lines.get(line, 0), count)
    return FileCounts(lines, flow.arcs, flow.branches, flow.loops, copies, backward)


def _merged(others=True):
    merged = {}
    for (what, file, _, line, column, *_), count in _rows(others).items():
        merged[what, file, line, column] = merged.get((what, file, line, column), 0) + count
    return merged


def _snapshot(merged):
    return {file: _file_counts(file, rows, {}) for file, rows in _by_file(merged).items()}


def snapshot():
    """Returns file or cell -> FileCounts, summed over all kernels so far, and over the processes that `qd.distributed` set up; reading does
    not interrupt or change the counting."""
    return _snapshot(_merged())


def own_snapshot():
    """Returns the same for the kernels of this process alone."""
    return _snapshot(_merged(others=False))


class record:
    """`with qd.coverage.record() as counts:` stores the counts of the block in `counts` when the block ends, in the form of snapshot().
    With one launch in the block, these are the counts of that launch. Concurrent launches of other threads are included; after a clear() in
    the block, `counts` contains what ran since then."""

    def __enter__(self):
        self._clears, self._before, self._counts = _clears, _merged(), {}
        return self._counts

    def __exit__(self, *_):
        now = _merged()
        before = self._before if self._clears == _clears else {}
        self._counts.update(_snapshot({key: count - before.get(key, 0) for key, count in now.items()}))


def specialisations():
    """Returns the counts separately for each specialisation, as a list of Specialisation."""
    rows_of = sorted(_by_kernel().items())
    return [Specialisation(*key[:3], _kernel_files(rows)) for key, rows in rows_of]


def _kernel_files(rows):
    merged, copies = {}, {}
    for (what, file, _, line, column, _, _), count in sorted(rows.items(), key=lambda row: _in_order(*row[0])):
        merged[what, file, line, column] = merged.get((what, file, line, column), 0) + count
        if what == "line":
            copies.setdefault(file, {}).setdefault(line, []).append(count)
    return {file: _file_counts(file, here, copies.get(file, {})) for file, here in _by_file(merged).items()}


def _in_order(what, file, scope, line, column, end_line, copy):
    return what, file, line, column, copy, scope, end_line


def branches():
    """Returns file or cell -> {line: {what: count}} for conditions and loops."""
    result = {}
    for (what, file, _, line, *_), count in counters().items():
        if what != "line":
            kinds = result.setdefault(file, {}).setdefault(line, {})
            kinds[what] = kinds.get(what, 0) + count
    return result


def clear():
    """Clears all counts. The files for coverage.py retain them."""
    global _clears
    _clears += 1
    for keep in _before_clear:
        keep()
    _forget()
    for callback in _after_clear:
        callback()


def _forget():
    _gathered.clear()
    _gathered_by_kernel.clear()
    _others.clear()
    core = _core()
    if core is not None:
        core.clear_coverage()
