"""A kernel error shows the calls that lead to it, the line of the cell with its caret, the cause and what to do; the
frames of IPython and of this package stay away."""

import linecache
import traceback

from quadrants import _exceptions

_bold, _plain = "\x1b[1m", "\x1b[0m"  # no colours: errors stand on red, where red is hard to read


def _classes():
    found = []
    for value in vars(_exceptions).values():
        if isinstance(value, type) and issubclass(value, Exception) and value.__module__ == _exceptions.__name__:
            found.append(value)
    return tuple(found)


def _where(shell, filename):
    name = shell.compile.format_code_name(filename) if hasattr(shell.compile, "format_code_name") else None
    return " ".join(name) if name else None


def render(shell, kind, error, tb):
    lines = [f"{_bold}{kind.__name__.lstrip('_')}{_plain}"]
    for frame, number in traceback.walk_tb(tb):
        filename = frame.f_code.co_filename
        where = _where(shell, filename)
        if where is None:
            continue
        text = linecache.getline(filename, number).strip()
        if text.startswith("get_ipython().run_"):
            continue
        lines.append(f"{where}, line {number}, in {frame.f_code.co_name}")
        lines.append("    " + text)
    lines.append(str(error).strip("\n"))
    return lines


def _show(shell, kind, error, tb, tb_offset=None):
    lines = render(shell, kind, error, tb)
    shell._showtraceback(kind, error, lines)
    return lines


def register(shell):
    shell.set_custom_exc(_classes(), _show)


def unregister(shell):
    shell.set_custom_exc((), None)
