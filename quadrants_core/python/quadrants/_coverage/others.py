"""Counts that other processes have reported. A report gives the sum since the process started, so a report that arrives twice, or after
a newer one, changes nothing."""

import os as _os

_received = {}  # process -> {key of a kernel: (number of the report, {row: count})}; keys and rows as in counts._by_kernel()
_cleared = {}  # (process, key of a kernel) -> {row: count} at the last clear
_own = None  # (process id, name of this process)
state = object()  # replaced whenever the counts change


def name_of_process():
    """Returns a name of this process that no other process has, on any machine."""
    global _own
    if _own is None or _own[0] != _os.getpid():  # a forked child
        import uuid

        _own = _os.getpid(), f"{_os.uname().nodename} {_os.getpid()} {uuid.uuid4().hex}"
    return _own[1]


def receive(process, number, kernels):
    """Replaces the counts of the kernels in a report. Readers in other threads see the counts before or after it.

    Args:
        process: the name of the process.
        number: the number of the report; later ones have higher numbers.
        kernels: key -> {row: count}.
    """
    global state
    before = _received.get(process, {})
    newer = {key: (number, rows) for key, rows in kernels.items() if key not in before or before[key][0] < number}
    if newer:
        _received[process] = {**before, **newer}
        state = object()


def by_kernel():
    """Returns key -> {row: count}, the sums over processes since the last clear. Processes may number specialisations in different orders;
    the number here is the lowest that any of them has given."""
    numbers, sums = {}, {}
    for process, kernels in list(_received.items()):
        for (kernel, number, *what), (_, rows) in kernels.items():
            if not rows:
                continue
            of = kernel, *what
            numbers[of] = min(number, numbers.get(of, number))
            total = sums.setdefault(of, {})
            before = _cleared.get((process, (kernel, number, *what)), {})
            for row, count in rows.items():
                total[row] = total.get(row, 0) + count - before.get(row, 0)
    return {(kernel, numbers[kernel, title, place], title, place): rows for (kernel, title, place), rows in sums.items()}


def clear():
    global state
    for process, kernels in list(_received.items()):
        for key, (_, rows) in kernels.items():
            _cleared[process, key] = rows
    state = object()


def forget():
    """To be called in a forked child: the reports belong to its parent."""
    global state
    _received.clear()
    _cleared.clear()
    state = object()

