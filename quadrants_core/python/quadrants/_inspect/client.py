"""The command `quadrants inspect`: opens a window on a running program."""

import os
import sys

from quadrants._inspect import sockets
from quadrants._windows import process as _process


def show_programs():
    """Prints the programs that can be attached to; returns the exit status."""
    found = list(sockets.programs())
    if not found:
        print("There is no program to attach to. Start one with: QD_INSPECT=attach python program.py")
    for one in found:
        print(f"{one['process']:>8}  {one['program']}{'  (has a window)' if one['attached'] else ''}")
    return 0


def show(number, seen):
    """Replaces this process by the window of a program. Returns an exit status only on failure."""
    path = _process.executable()
    if path is None:
        return _refuse("this build has no windows (QD_INSPECTOR=OFF)")
    try:
        connection = sockets.attach(number)
    except sockets.Refused as why:
        return _refuse(why)
    os.dup2(connection.fileno(), 3)  # the window inherits only this descriptor
    os.execv(path, [path, "--socket", "3", "--attached" if seen else "--unseen"])


def _refuse(why):
    print(f"quadrants inspect: {why}", file=sys.stderr)
    return 1
