"""Metadata in the files of kernel coverage, in additional tables next to those of coverage.py: the text that the lines refer to, the
execution counts, and the run of pytest that wrote the file. This module does not depend on kernels, so reports do not need the compiler."""

import contextlib
import glob
import hashlib
import logging
import os
import re
import sqlite3
import tokenize

from quadrants._coverage import data as _coverage_data

_RUN = "_QD_KCOV_RUN"  # environment variable for the processes of a run: the process that started the run, and the data file of pytest-cov


def digest_of(text):
    """Returns the digest of a source, regardless of how its last line ends."""
    return hashlib.sha256("\n".join(text.splitlines()).encode("utf-8", "surrogatepass")).hexdigest()


def digest_of_file(path):
    """Returns the digest of a file, or None if it cannot be read as text."""
    if not _coverage_data.is_plain(path):
        return None
    try:
        with tokenize.open(path) as file:
            return digest_of(file.read())
    except (OSError, SyntaxError, UnicodeDecodeError):
        return None


# --- tables ----------------------------------------------------------------------------------------------------------


def write_tables(path, process, digests, counts):
    """Writes the tables of this process. `digests`: (name, digest); `counts`: (name, line, count)."""
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
    """Returns the names whose text has changed; `file_of` returns the file of a name."""
    return {name for name, digest in data.digests if digest_of_file(file_of(name)) not in (None, digest)}


# --- runs of pytest --------------------------------------------------------------------------------------------------


def begin(data_file):
    """Starts a run; processes started from here on belong to it."""
    os.environ[_RUN] = f"{os.getpid()} {data_file}"
    return os.environ[_RUN]


def files_in(folder):
    return sorted(glob.glob(os.path.join(glob.escape(folder), "_qd_kcov.*")))


def drop_earlier(folder, run):
    """Removes the files of completed runs with the same data file, as pytest-cov removes its own data at the start. Files of other
    programs, and of runs that are active or have another data file, are kept."""
    _, _, data_file = run.partition(" ")
    for path in files_in(folder):
        runs = [re.fullmatch(r"(\d{1,9}) (.*)", one, re.S) for one in _coverage_data.runs_in(path)]
        if runs and all(one and one[2] == data_file and not _is_alive(int(one[1])) for one in runs):
            with contextlib.suppress(OSError):
                os.remove(path)


def _is_alive(process):
    if process == os.getpid():
        return False  # the file is from an earlier process with the same id
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True


def hand_over(folder, running, only=None):
    """Adds the coverage of the kernels of this run, or of one of its processes, to the data of an active coverage.Coverage, for the files
    that it measures itself."""
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
    """Returns whether the host measures this file."""
    if name in data.measured_files():
        return True
    try:
        return bool(running._inorout.should_trace(os.path.abspath(name)).trace)
    except Exception:
        return False
