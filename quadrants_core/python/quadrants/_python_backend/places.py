"""The location in a running kernel, in the form used by compiled kernels: the calls from the kernel inwards, each with its source and
carets."""

import ast as _ast
import re as _re
import sys as _sys
import weakref as _weakref

from quadrants import _exceptions

_known = {}  # id of code made by rewrite.py -> (file, name of the function, whether it is nested in the function's code)


def remember(code, file, name):
    """Registers `code` as the function `name` of `file`."""
    _keep(code, file, name, False)
    inside = [c for c in code.co_consts if isinstance(c, type(code))]
    while inside:
        inner = inside.pop()
        _keep(inner, file, name, True)
        inside += [c for c in inner.co_consts if isinstance(c, type(code))]


def _keep(code, *known):
    _known[id(code)] = known  # by id, since equal code objects of different functions compare equal
    _weakref.finalize(code, _known.pop, id(code), None).atexit = False


def start(function, *args):
    """Runs a kernel; marks the outermost frame that belongs to it."""
    return function(*args)


def here():
    """Returns [(file, function, line, column, end_line, end_column)], the kernel first. Funcs of the package are omitted."""
    trace, frame, inner = [], _sys._getframe(1), False
    while frame is not None and frame.f_code is not start.__code__:
        known = _known.get(id(frame.f_code))
        if known is not None:
            file, name, is_inside = known
            if not inner:
                line, end_line, column, end_column = _position(frame)
                if not frame.f_code.co_filename.startswith(_exceptions._PACKAGE):
                    trace.append((file, name, line, column, end_line, end_column))
            inner = is_inside  # the enclosing function's frame is at the same location as the expression
        frame = frame.f_back
    return trace[::-1]


def _position(frame):
    for k, position in enumerate(frame.f_code.co_positions()):
        if 2 * k == frame.f_lasti:
            line, end_line, column, end_column = position
            return line or 0, end_line or 0, column or 0, end_column or 0
    return frame.f_lineno, frame.f_lineno, 0, 0


def kernel():
    """Returns the name of the running kernel."""
    trace = here()
    return trace[0][1] if trace else "?"


_LONGEST = 60  # maximum length of an expression that names a field


def subscripted():
    """Returns `x` where an element `x[..]` is being read or written: the source text if it is short, or ""."""
    file, _, line, column, end_line, end_column = here()[-1]
    if line != end_line:
        return ""
    words = _exceptions._source_line(file, line).encode()[column:end_column].decode(errors="replace")
    try:
        node = _ast.parse(words, mode="eval").body
    except SyntaxError:
        return ""
    base = node.value if isinstance(node, _ast.Subscript) else None
    return words.encode()[: base.end_col_offset].decode() if base is not None and base.end_col_offset <= _LONGEST else ""


def fail(text):
    """Raises an assertion failure of the running kernel."""
    raise _exceptions.from_core("QuadrantsAssertionError", text, here(), "")


_MOST_REMARKS = 100  # maximum number of reports per location and launch
_remarks = {}  # (text, location) -> number of occurrences in this launch


def report(text):
    """Prints a line of text and the location, up to a limited number of times per launch."""
    key = text, tuple(here())
    _remarks[key] = times = _remarks.get(key, 0) + 1
    if times <= _MOST_REMARKS:
        print(text + _shown(key[1]), end="", flush=True)


def report_suppressed_messages():
    """Prints the number of suppressed reports; called at the end of a launch."""
    for (text, place), times in _remarks.items():
        if times > _MOST_REMARKS:
            print(f"and {times - _MOST_REMARKS} more in this launch: {text}" + _shown(place), end="", flush=True)
    _remarks.clear()


def _shown(places):
    """The places, those in cells named as tracebacks name them."""
    return _re.sub(r'File "(cell \d+)"', lambda m: _exceptions.cell_name(m[1]), "".join(map(_block, places)))


_MOST_LINES = 6


def _block(at):
    """Formats a location with all of its lines, like the compiler."""
    file, name, first, column, last, end_column = at
    text = _exceptions.place_line(file, name, first) + "\n"
    for number in range(first, min(last, first + _MOST_LINES - 1) + 1):
        line = _exceptions._source_line(file, number)
        begin = column if number == first else len(line) - len(line.lstrip())
        end = end_column if number == last else len(line.encode())
        text += "\n".join(_exceptions.marked_line(line, begin, end)) + "\n"
    return text
