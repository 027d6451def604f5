"""What the files of kernel coverage say of themselves, in tables of their own beside those of coverage.py: of which text the
lines are, how often each ran, and which run of pytest wrote them. Knows nothing of kernels, so reports need no compiler."""

import contextlib
import glob
import hashlib
import logging
import os
import re
import sqlite3
import tokenize

from quadrants._coverage import data as _coverage_data

_RUN = "_QD_KCOV_RUN"  # in the environment of a run's processes: the process that began it, and the data file of pytest-cov


def digest_of(text):
    """Of a source, however its last line ends."""
    return hashlib.sha256("\n".join(text.splitlines()).encode("utf-8", "surrogatepass")).hexdigest()


def digest_of_file(path):
    """None where there is no text to be had."""
    if not _coverage_data.is_plain(path):
        return None
    try:
        with tokenize.open(path) as file:
            return digest_of(file.read())
    except (OSError, SyntaxError, UnicodeDecodeError):
        return None


# --- tables ----------------------------------------------------------------------------------------------------------


def write_tables(path, process, digests, counts):
    """`digests`: (name, digest); `counts`: (name, line, count), of this process."""
    run = os.environ.get(_RUN)
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        database.execute("create table if not exists qd_sources (path text, digest text, unique (path, digest))")
        database.executemany("insert or ignore into qd_sources values (?, ?)", digests)
        database.execute("create table if not exists qd_runs (run text unique)")
        if run:
            database.execute("insert or ignore into qd_runs values (?)", (run,))
        database.execute("create table if not exists qd_counts (run text, path text, line integer, count integer)")
        database.execute("delete from qd_counts where run = ?", (process,))
        values = [(process, *place, min(count, 2**63 - 1)) for *place, count in counts]
        database.executemany("insert into qd_counts values (?, ?, ?, ?)", values)


def stale_names(data, file_of):
    """The names whose text is another one now; `file_of` tells where the text of a name stands."""
    return {name for name, digest in data.digests if digest_of_file(file_of(name)) not in (None, digest)}


# --- runs of pytest --------------------------------------------------------------------------------------------------


def begin(data_file):
    """Processes that start from here belong to this run."""
    os.environ[_RUN] = f"{os.getpid()} {data_file}"
    return os.environ[_RUN]


def files_in(folder):
    return sorted(glob.glob(os.path.join(glob.escape(folder), "_qd_kcov.*")))


def drop_earlier(folder, run):
    """As pytest-cov drops its own data at the start: removes the files of runs that are over and had the same data file. What
    other programs wrote, or a run with another data file or one under way, stays."""
    _, _, data_file = run.partition(" ")
    for path in files_in(folder):
        runs = [re.fullmatch(r"(\d{1,9}) (.*)", one, re.S) for one in _coverage_data.runs_in(path)]
        if runs and all(one and one[2] == data_file and not _is_alive(int(one[1])) for one in runs):
            with contextlib.suppress(OSError):
                os.remove(path)


def _is_alive(process):
    if process == os.getpid():
        return False  # an earlier process with the same id
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True


def hand_over(folder, running, only=None):
    """Adds what the kernels of this run ran, or those of one process of it, to the data of a coverage.Coverage that measures:
    of the files that it measures itself."""
    import coverage

    paths = files_in(folder) if only is None else [os.path.join(folder, f"_qd_kcov.{only}")]
    data = running.get_data()
    for path in paths:
        if os.environ.get(_RUN) not in _coverage_data.runs_in(path):
            continue
        try:
            kernels = _coverage_data.read(path)
            taken = coverage.CoverageData(no_disk=True)
            kernels.fill(taken, [name for name in kernels.names if _measures(running, data, name)])
            data.update(taken)
        except (_coverage_data.Damaged, coverage.CoverageException, sqlite3.Error) as error:
            logging.warning("Kernel coverage of %s is not in the report of pytest-cov: %s", path, error)


def _measures(running, data, name):
    """Whether the host's measurement is of this file."""
    if name in data.measured_files():
        return True
    try:
        return bool(running._inorout.should_trace(os.path.abspath(name)).trace)
    except Exception:
        return False
