"""Where a running kernel is, as compiled kernels say it: the calls from the kernel inwards, each with its source and carets."""

import ast as _ast
import re as _re
import sys as _sys
import weakref as _weakref

from quadrants import _exceptions

_known = {}  # id of code that rewrite.py made -> (file, name of the function, whether it is code inside of the function's)


def remember(code, file, name):
    """`code` is the function `name` of `file`."""
    _keep(code, file, name, False)
    inside = [c for c in code.co_consts if isinstance(c, type(code))]
    while inside:
        inner = inside.pop()
        _keep(inner, file, name, True)
        inside += [c for c in inner.co_consts if isinstance(c, type(code))]


def _keep(code, *known):
    _known[id(code)] = known  # equal code of another function is another one
    _weakref.finalize(code, _known.pop, id(code), None).atexit = False


def start(function, *args):
    """Runs a kernel: no call outside of it is one of its calls."""
    return function(*args)


def here():
    """[(file, function, line, column, end_line, end_column)], the kernel first. Funcs of the package are left out."""
    trace, frame, inner = [], _sys._getframe(1), False
    while frame is not None and frame.f_code is not start.__code__:
        known = _known.get(id(frame.f_code))
        if known is not None:
            file, name, is_inside = known
            if not inner:
                line, end_line, column, end_column = _position(frame)
                if not frame.f_code.co_filename.startswith(_exceptions._PACKAGE):
                    trace.append((file, name, line, column, end_line, end_column))
            inner = is_inside  # the function around an expression stands where the expression does
        frame = frame.f_back
    return trace[::-1]


def _position(frame):
    for k, position in enumerate(frame.f_code.co_positions()):
        if 2 * k == frame.f_lasti:
            line, end_line, column, end_column = position
            return line or 0, end_line or 0, column or 0, end_column or 0
    return frame.f_lineno, frame.f_lineno, 0, 0


def kernel():
    """The name of the kernel that runs."""
    trace = here()
    return trace[0][1] if trace else "?"


_LONGEST = 60  # of an expression that names a field


def subscripted():
    """`x` where an element `x[..]` is read or written: a short expression as it stands in the source, or ""."""
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
    """An assertion of the running kernel fails."""
    raise _exceptions.from_core("QuadrantsAssertionError", text, here(), "")


_MOST_REMARKS = 100  # of one place in one launch
_remarks = {}  # (text, place): how often in this launch


def report(text):
    """A line of text and the place, printed; a limited number of times a launch."""
    key = text, tuple(here())
    _remarks[key] = times = _remarks.get(key, 0) + 1
    if times <= _MOST_REMARKS:
        print(text + _shown(key[1]), end="", flush=True)


def tell_remarks():
    """At the end of a launch: what was reported beyond the limit."""
    for (text, place), times in _remarks.items():
        if times > _MOST_REMARKS:
            print(f"and {times - _MOST_REMARKS} more in this launch: {text}" + _shown(place), end="", flush=True)
    _remarks.clear()


def _shown(places):
    """The places, those in cells named as tracebacks name them."""
    return _re.sub(r'File "(cell \d+)"', lambda m: _exceptions.cell_name(m[1]), "".join(map(_block, places)))


_MOST_LINES = 6


def _block(at):
    """A place with all of its lines, as the compiler shows it."""
    file, name, first, column, last, end_column = at
    text = _exceptions.place_line(file, name, first) + "\n"
    for number in range(first, min(last, first + _MOST_LINES - 1) + 1):
        line = _exceptions._source_line(file, number)
        begin = column if number == first else len(line) - len(line.lstrip())
        end = end_column if number == last else len(line.encode())
        text += "\n".join(_exceptions.marked_line(line, begin, end)) + "\n"
    return text
