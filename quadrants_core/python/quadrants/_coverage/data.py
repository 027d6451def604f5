"""Reads data files of coverage.py, with the additions of kernel coverage. Files may be damaged or of another kind: all data are validated
before use, a table is read completely or the file is refused, and the work is bounded by the size of the file."""

import contextlib
import os
import pathlib
import sqlite3
import stat

SCHEMA = 7  # version of coverage.py's tables, since its version 5
LONGEST = 1_000_000  # maximum number of lines of a source
MOST = 5_000_000  # maximum number of lines of all sources together
LARGEST = 64_000_000  # maximum size of a source, in bytes
SOURCES_OF_CELLS = "_qd_kcov_sources"  # folder for sources that are not in a file
_LONGEST_NAME = 4096
_steps = 20_000_000, 50  # maximum number of SQLite instructions: per file, and per byte of the file


class Damaged(Exception):
    """The file is unusable; the text completes "x ...", as in "x is damaged"."""


class Data:
    def __init__(self):
        self.names = []  # of all measured sources, including those of which no line ran
        self.tracers = {}  # name -> the plugin of coverage.py that measured it
        self.has_arcs = False
        self.ran = {}  # (name, context) -> the lines that ran as a bit set; arcs if has_arcs
        self.digests = []  # (name, digest) of the compiled texts
        self.counts = []  # (name, line, count)
        self.runs = []  # runs of pytest

    def fill(self, data, names, contexts=True):
        """Adds the data of these names to a data object of coverage.py."""
        wanted, by_context = set(names), {}
        for (name, context), ran in self.ran.items():
            if name in wanted:
                here = by_context.setdefault(context if contexts else "", {})
                here[name] = here[name] | ran if name in here else ran
        add = data.add_arcs if self.has_arcs else lambda ran: data.add_lines({name: lines_of(bits) for name, bits in ran.items()})
        add({})  # determines the kind of data if nothing ran
        for context, ran in sorted(by_context.items()):
            data.set_context(context)
            add(ran)
        data.touch_files([name for name in self.names if name in wanted])
        data.add_file_tracers({name: tracer for name, tracer in self.tracers.items() if name in wanted})


def lines_of(bits):
    return [line for line, bit in enumerate(reversed(bin(bits)[2:])) if bit == "1"]


def is_plain(path):
    """Returns whether it is a file that can be read to its end as a source."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return False
    of_the_system = os.path.abspath(path).startswith(("/dev/", "/proc/", "/sys/"))
    return stat.S_ISREG(found.st_mode) and found.st_size <= LARGEST and not of_the_system


def _check_size(path):
    """Checks the size, which detects a truncated or extended file without reading it."""
    try:
        found = os.stat(path)
        if not stat.S_ISREG(found.st_mode):
            raise Damaged("is not a regular file")
        with open(path, "rb") as file:
            head = file.read(100)
    except (OSError, ValueError) as error:
        raise Damaged(f"cannot be read ({getattr(error, 'strerror', None) or error})") from None
    if len(head) < 100 or not head.startswith(b"SQLite format 3\0"):
        raise Damaged("is damaged")
    page, pages = (int.from_bytes(head[at : at + size], "big") for at, size in ((16, 2), (28, 4)))
    if head[24:28] == head[92:96] and pages and pages * (65536 if page == 1 else page) != found.st_size:
        raise Damaged("is damaged")
    return found.st_size


@contextlib.contextmanager
def _opened(path):
    """Opens the database without any accompanying files: no journal, no lock."""
    size = _check_size(path)
    left = _steps[0] + _steps[1] * size

    def is_too_long():
        nonlocal left
        left -= 10_000
        return left < 0

    try:
        uri = pathlib.Path(path).absolute().as_uri() + "?mode=ro&immutable=1"
        with contextlib.closing(sqlite3.connect(uri, uri=True)) as database:
            database.set_progress_handler(is_too_long, 10_000)
            database.execute("pragma trusted_schema = off")
            if database.execute("pragma quick_check(1)").fetchall() != [("ok",)]:
                raise Damaged("is damaged")
            yield database
    except (sqlite3.Error, UnicodeError, OverflowError, MemoryError):
        raise Damaged("is damaged") from None


def _rows(database, table, **columns):
    """Yields rows after checking the type in each column; none if the table does not exist."""
    if not database.execute("select 1 from sqlite_master where type = 'table' and name = ?", (table,)).fetchall():
        return
    for row in database.execute(f"select {', '.join(columns)} from {table} not indexed"):
        if tuple(map(type, row)) != tuple(columns.values()):
            raise Damaged("is damaged")
        yield row


def _is_name(name):
    return 0 < len(name) <= _LONGEST_NAME and "\0" not in name


def read(path):
    """Reads a data file; raises Damaged."""
    data = Data()
    with _opened(path) as database:
        if list(_rows(database, "coverage_schema", version=int)) != [(SCHEMA,)]:
            raise Damaged("is damaged, or was written by an unsupported version of coverage.py")
        _read_coverage(database, data)
        _read_own(database, data)
    return data


def _read_coverage(database, data):
    names, contexts = (dict(_rows(database, table, id=int, **{column: str})) for table, column in (("file", "path"), ("context", "context")))
    data.names = sorted(names.values())
    if not all(map(_is_name, data.names)) or len(set(data.names)) != len(names):
        raise Damaged("is damaged")
    try:
        for file, tracer in _rows(database, "tracer", file_id=int, tracer=str):
            data.tracers[names[file]] = tracer
        for file, context, start, end in _rows(database, "arc", file_id=int, context_id=int, fromno=int, tono=int):
            if not -LONGEST <= start <= LONGEST or not -LONGEST <= end <= LONGEST:
                raise Damaged("is damaged")
            data.ran.setdefault((names[file], contexts[context]), set()).add((start, end))
        data.has_arcs = bool(data.ran) or dict(_rows(database, "meta", key=str, value=str)).get("has_arcs") == "1"
        for file, context, bits in _rows(database, "line_bits", file_id=int, context_id=int, numbits=bytes):
            if len(bits) > LONGEST // 8 or data.has_arcs:
                raise Damaged("is damaged")
            key = names[file], contexts[context]
            data.ran[key] = data.ran.get(key, 0) | int.from_bytes(bits, "little")
    except KeyError:  # a row refers to a missing file or context
        raise Damaged("is damaged") from None
    if not data.has_arcs and sum(bits.bit_count() for bits in _merged(data).values()) > MOST:
        raise Damaged("is damaged")


def _merged(data):
    lines = {}
    for (name, _), bits in data.ran.items():
        lines[name] = lines.get(name, 0) | bits
    return lines


def _read_own(database, data):
    data.digests = [row for row in _rows(database, "qd_sources", path=str, digest=str) if _is_name(row[0])]
    data.runs = [run for (run,) in _rows(database, "qd_runs", run=str)]
    data.counts = list(_rows(database, "qd_counts", path=str, line=int, count=int))
    if not all(_is_name(name) and 0 < line <= LONGEST and count >= 0 for name, line, count in data.counts):
        raise Damaged("is damaged")


def runs_in(path):
    """Returns the runs of pytest that wrote a file; none if the file is damaged."""
    try:
        with _opened(path) as database:
            return [run for (run,) in _rows(database, "qd_runs", run=str)]
    except Damaged:
        return []
