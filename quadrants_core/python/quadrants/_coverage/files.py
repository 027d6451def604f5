"""Integration of kernel coverage with coverage.py. Imported only while QD_KERNEL_COVERAGE requests it.

Each process writes the coverage of its kernels to `_qd_kcov.<pid>`, in the directory that was current when coverage was first enabled. The
engine counts on its own; a probe here is a line that is reported. Probes are numbered as kernels are compiled, and those above _MAX_PROBES
are omitted from the report.
"""

import ast
import atexit
import contextlib
import linecache
import logging
import os
import re
import shutil
import threading
import warnings

try:
    from coverage import Coverage as _Coverage, CoverageData as _CoverageData  # fails for an unrelated folder of the same name
except ImportError as error:
    raise ImportError(
        "QD_KERNEL_COVERAGE=1 needs the package `coverage`, which is not installed: pip install coverage, or unset "
        "QD_KERNEL_COVERAGE"
    ) from error

from quadrants import _environment, _native, _settings, _source
from quadrants._coverage import contexts as _coverage_contexts, counts as _coverage, data as _coverage_data, runs as _coverage_runs

FIELD_VAR_NAME = "_qd_cov"
_MAX_PROBES = _environment.value("coverage_max_probes")

_probe_counter = 0
_probe_map = {}  # id -> (file, line)
_accumulated_lines = {}  # file -> lines that ran in this process
_capacity_warning_emitted = False

_lock = threading.RLock()
_ids = {}  # (file, line) -> id
_paths = {}  # display name -> file
_accumulated_arcs = {}  # file -> arcs that ran
_earlier_counts = {}  # file -> line -> count before the counts were last cleared
_package = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
_field = None
_folder = None
_measured = None  # (whether arcs are measured, whether file names are relative)
_run = None  # identifies this process, once it has written, unlike an older one with the same id
_kept_sources = {}  # name of a source without a file -> path of the file that stores its text
names_of_sources = {}  # name of such a source -> prefix of the name of that file, which precedes the digest of the text
host_arcs = {}  # file -> arcs that ran outside kernels, as reported by notebooks


# --- interface for programs ------------------------------------------------------------------------------------------


class _Probes:
    """The state of each probe, by id: whether it has run in the running program."""

    def __init__(self, generation):
        self.generation = generation

    def to_numpy(self):
        import numpy

        ran = numpy.zeros(_MAX_PROBES, numpy.int32)
        for what, file, _, line, *_, count in _coverage._running():
            probe = _ids.get((_path_of(file), line)) if what == "line" and count else None
            if probe is not None and probe < _MAX_PROBES:
                ran[probe] = 1
        return ran


def ensure_field_allocated():
    """Enables coverage; get_field() then returns the probes of the running program."""
    global _field
    enable()
    with _lock:
        generation = _native.core().generation()
        if _field is None or getattr(_field, "generation", generation) != generation:
            _field = _Probes(generation)


def get_field():
    """Returns the probes of the running program, or None."""
    core = _coverage._core()
    if core is None or _field is None or getattr(_field, "generation", None) != core.generation():
        return None
    return _field


def _harvest_field():
    """Saves the state of the probes of the running program. Must be called while the program exists."""
    field = get_field()
    if field is None:
        return
    try:
        ran = field.to_numpy()
        with _lock:
            for probe, (file, line) in _probe_map.items():
                if probe < len(ran) and ran[probe] != 0:
                    _accumulated_lines.setdefault(file, set()).add(line)
    except Exception:
        logging.warning("Failed to read coverage field, coverage data for this session will be lost", exc_info=True)


def _warn_of_capacity():
    global _capacity_warning_emitted
    if not _capacity_warning_emitted:
        _capacity_warning_emitted = True
        warnings.warn(
            f"Kernel coverage probe capacity ({_MAX_PROBES}) exceeded. Additional kernel lines will not be tracked. "
            "Set QD_COVERAGE_MAX_PROBES to a higher value.",
            stacklevel=3,
        )


class _CoverageASTRewriter(ast.NodeTransformer):
    """Inserts `field[probe] = 1` before every statement on a new line in the functions of a tree. The engine does not need these
    statements; this is for programs that rewrite their own trees."""

    def __init__(self, field_name, filepath, start_lineno, probe_id_start):
        self.probe_map = {}  # id -> (file, line)
        self.next_probe_id = probe_id_start
        self._place = field_name, filepath, start_lineno
        self._lines = set()

    def _probe(self, statement):
        field_name, filepath, start_lineno = self._place
        line = start_lineno + statement.lineno - 1
        if line in self._lines:
            return []
        self._lines.add(line)
        if self.next_probe_id >= _MAX_PROBES:
            _warn_of_capacity()
            return []
        probe = self.next_probe_id
        self.next_probe_id += 1
        self.probe_map[probe] = filepath, line
        store = ast.parse(f"{field_name}[{probe}] = 1").body[0]
        for node in ast.walk(store):
            ast.copy_location(node, statement)
            if hasattr(node, "end_lineno"):
                node.end_lineno, node.end_col_offset = statement.lineno, statement.col_offset
        return [store]

    def generic_visit(self, node):
        for name in ("body", "orelse", "finalbody"):
            statements = getattr(node, name, None)
            if not isinstance(statements, list) or isinstance(node, (ast.Module, ast.ClassDef)):
                continue
            covered = []
            for i, statement in enumerate(statements):
                docstring = name == "body" and i == 0 and isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
                if not (docstring and ast.get_docstring(node, clean=False) is not None):
                    covered += self._probe(statement)
                covered.append(self.visit(statement))
            setattr(node, name, covered)
        if isinstance(node, (ast.Module, ast.ClassDef)):
            node.body = [self.visit(statement) for statement in node.body]
        for handler in getattr(node, "handlers", ()):
            self.visit(handler)
        return node


# --- probes ----------------------------------------------------------------------------------------------------------


def _path_of(shown):
    """Returns the file of a source with the display name `shown`."""
    if shown not in _paths:
        file = next((text.file for text in _source.in_use.shown_as(shown)), shown)
        _paths[shown] = place_of(file)
    return _paths[shown]


def place_of(file):
    return file if file.startswith("<") else os.path.abspath(os.path.realpath(file))


def _register(lines):
    global _probe_counter
    ensure_field_allocated()
    with _lock:
        for shown, line in [*lines, *_coverage.left_out(lines)]:
            place = _path_of(shown), line
            if place in _ids:
                continue
            if _probe_counter >= _MAX_PROBES:
                _warn_of_capacity()
                return
            _ids[place] = _probe_counter
            _probe_map[_probe_counter] = place
            _probe_counter += 1


# --- files -----------------------------------------------------------------------------------------------------------


def _resolve_settings():
    """Returns (arcs, relative names) as configured in the running coverage.py, or without one, in its configuration."""
    arcs = relative = None
    try:
        host = _Coverage.current() or _Coverage()
        arcs, relative = bool(host.get_option("run:branch")), bool(host.get_option("run:relative_files"))
        if not arcs and _Coverage.current() is None:
            arcs = _has_arcs(os.path.join(_folder, host.get_option("run:data_file") or ".coverage"))
    except Exception:
        logging.warning("Kernel coverage could not read the configuration of coverage.py", exc_info=True)
    arcs_of_parent = os.environ.get("_QD_KCOV_ARC")
    return arcs_of_parent == "1" if arcs_of_parent else bool(arcs), bool(relative)


def _has_arcs(path):
    if not os.path.isfile(path):
        return False
    try:
        data = _CoverageData(basename=path)
        data.read()
        return bool(data.measured_files()) and data.has_arcs()
    except Exception:
        return False


def asked():
    """Returns the kind of data that the files contain if no counts are requested."""
    if _coverage_contexts.wanted():
        return "counts"
    return "arcs" if _measured[0] else "lines"


def _is_ours(file):
    return file.startswith(_package + os.sep)


def _can_be_opened(file):
    return os.path.exists(file) or any(mark in file for mark in (".zip" + os.sep, ".egg" + os.sep, ".pex" + os.sep))


def _name_in_data(file, relative):
    """Returns the name of a file in the data. A cell, or text passed to exec, is written unchanged to a file next to the data, so that
    reports can open it."""
    if not _can_be_opened(file):
        file = _kept(file)
    if relative and file.startswith(_folder + os.sep):
        file = file[len(_folder) + 1 :]
    return file.encode("utf-8", "backslashreplace").decode("utf-8")  # the data are encoded as text


def _kept(file):
    if file not in _kept_sources:
        text = next((text for text in _source.in_use.values() if _path_of(text.shown) == file), None)
        lines = text.lines if text is not None else linecache.getlines(file)
        if not lines:
            return file
        import hashlib

        content = "".join(lines)
        shown = file if text is None else text.shown
        name = names_of_sources.get(file) or re.sub(r"\W+", "_", os.path.basename(shown)).strip("_") or "source"
        mark = hashlib.sha256(content.encode()).hexdigest()[:8]
        folder = os.path.join(_folder, _coverage_data.SOURCES_OF_CELLS)
        path = os.path.join(folder, f"{name}_{mark}.py")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if not os.path.exists(path):
            with open(path, "w", encoding="utf-8") as out:
                out.write(content)
        _kept_sources[file] = path
    return _kept_sources[file]


def _counts():
    """Returns file -> line -> count, and records the arcs as well."""
    total = {file: dict(lines) for file, lines in _earlier_counts.items()}
    for shown, counts in _coverage.own_snapshot().items():  # other processes write files of their own
        file = _path_of(shown)
        _accumulated_arcs.setdefault(file, set()).update(counts.arcs)
        here = total.setdefault(file, {})
        for line, count in counts.items():
            here[line] = here.get(line, 0) + count
    return total


def _keep():
    """Called before the counts are cleared."""
    _harvest_field()
    _earlier_counts.update(_counts())


def _in_contexts(lines):
    """Returns context -> file -> (lines, arcs or None: all known arcs) for these lines by file."""
    apart = _coverage_contexts.apart()
    if None in apart.values():
        return {context: {file: (ran, None) for file, ran in lines.items()} for context in apart}
    found, rest = {}, {file: set(ran) for file, ran in lines.items()}
    for context, files in apart.items():
        for shown, (ran, arcs) in files.items():
            file = _path_of(shown)
            if file in lines:
                found.setdefault(context, {})[file] = (ran & lines[file], arcs)
                rest[file] -= ran
    for file, ran in rest.items():
        if ran:
            already, _ = found.setdefault("", {}).get(file, (set(), None))
            found[""][file] = (already | ran, None)
    return found


def _arcs_of(file, lines, known=None):
    """Returns the arcs that ran between lines with a probe."""
    known = _accumulated_arcs.get(file, ()) if known is None else known
    arcs = {arc for arc in known if all(line < 0 or line in lines for line in arc)}
    reached = {line for arc in arcs for line in arc}
    for line in lines - reached:  # the enclosing function could not be read again
        arcs |= {(-min(lines), line), (line, -min(lines))}
    return sorted(arcs)


def _write():
    global _run
    _harvest_field()
    counts = _counts()
    with _lock:
        lines = {file: set(ran) for file, ran in _accumulated_lines.items() if ran and not _is_ours(file)}
    places = [*lines, *(file for file, ran in host_arcs.items() if ran and file not in lines)]
    if not places:
        return None
    arcs, relative = _measured
    path = os.path.join(_folder, f"_qd_kcov.{os.getpid()}")
    names = {file: _name_in_data(file, relative) for file in places}
    # Written to a temporary file first, so that a full disk leaves the existing data intact.
    part = os.path.join(_folder, f"._qd_kcov.{os.getpid()}.part")
    try:
        if _run is not None or _continues(path, arcs):
            with contextlib.suppress(FileNotFoundError):
                shutil.copyfile(path, part)
        data = _CoverageData(basename=part)
        for context, files in {**_in_contexts(lines), None: host_arcs}.items():
            data.set_context(context or "")
            if arcs:
                data.add_arcs({names[f]: list(ran) if context is None else _arcs_of(f, *ran) for f, ran in files.items() if f in names})
            else:
                data.add_lines({names[f]: sorted(_reached(ran) if context is None else ran[0]) for f, ran in files.items() if f in names})
        data.write()
        data.close(force=True)
        run = _run or os.urandom(8).hex()
        wanted = lines if _environment.value("coverage_counts") else ()
        counted = [(names[file], line, counts.get(file, {}).get(line, 0)) for file in wanted for line in lines[file]]
        _coverage_runs.write_tables(part, run, _digests(names), counted)
        os.replace(part, path)
        _run = run
    finally:
        for left in (part, part + "-journal"):
            with contextlib.suppress(FileNotFoundError):
                os.remove(left)
    return path


def _continues(path, arcs):
    """Returns whether the data of an older process with the same id can be kept: same mode and same texts."""
    if not os.path.exists(path) or _has_arcs(path) != arcs:
        return False
    try:
        return not _coverage_runs.stale_names(_coverage_data.read(path), lambda name: os.path.join(_folder, name))
    except _coverage_data.Damaged:
        return False


def _digests(names):
    """Returns (name in the data, digest) of the compiled texts."""
    texts = {(_path_of(text.shown), id(text.lines)): text.lines for text in list(_source.in_use.values())}
    return [(names[file], _coverage_runs.digest_of("".join(lines))) for (file, _), lines in texts.items() if file in names]


def _reached(arcs):
    return {line for arc in arcs for line in arc if line > 0}


def write_now():
    """Writes what has run so far; returns the path of the data, or None if nothing ran."""
    return _write()


def arcs_of_kernels(file):
    """Returns the arcs that have run so far."""
    _harvest_field()
    _counts()
    return _arcs_of(file, _accumulated_lines.get(file, set()))


def name_of(file):
    """Returns the name of a file in the data."""
    return _name_in_data(file, _measured[1])


def files_of_kernels():
    """Returns (file, its name in the data) for the files whose kernels have run."""
    return [(file, name_of(file)) for file, ran in _accumulated_lines.items() if ran and not _is_ours(file)]


def flush():
    """Writes what has run so far to the file of this process."""
    try:
        _write()
    except Exception:
        logging.warning("Kernel coverage could not be written to %s", _folder, exc_info=True)


# --- activation ------------------------------------------------------------------------------------------------------


def enable(folder=None):
    """Enables coverage: records the folder of the files, and ensures that they are written however the process ends."""
    global _folder, _measured
    if _folder is not None:
        return
    _folder = os.environ.get("_QD_KCOV_FOLDER") or folder or os.getcwd()
    _measured = _resolve_settings()
    os.environ.setdefault("_QD_KCOV_ARC", "1" if _measured[0] else "0")  # for child processes
    _coverage._listeners.append(_register)
    _coverage._before_clear.append(_keep)
    _coverage_contexts.follow()
    _settings.before_reset.insert(0, _harvest_field)
    atexit.register(flush)
    os.register_at_fork(after_in_child=_forget)
    _exit = os._exit

    def exit_with_data(status):
        flush()
        _exit(status)

    os._exit = exit_with_data


def _forget():
    """Resets the state in a forked child, which has coverage of its own."""
    global _lock, _run
    _lock, _run = threading.RLock(), None
    _accumulated_lines.clear()
    _accumulated_arcs.clear()
    _earlier_counts.clear()
    _coverage_contexts.forget()
    _coverage._forget()
