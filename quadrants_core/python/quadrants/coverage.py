"""qd.coverage: counts of lines, branches and transitions inside kernels. `python -m quadrants.coverage report` combines the files written
by processes with the data of coverage.py and reports the result."""

from quadrants._coverage.counts import FileCounts, Specialisation, branches, clear, counters, record, snapshot, specialisations

__all__ = ["FileCounts", "Specialisation", "branches", "clear", "counters", "main", "record", "snapshot", "specialisations"]


def main(arguments=None):
    """Runs the command and returns its exit status."""
    from quadrants._coverage import command as _coverage_command

    return _coverage_command.main(arguments)


if __name__ == "__main__":
    raise SystemExit(main())
