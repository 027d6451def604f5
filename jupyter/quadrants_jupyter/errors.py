"""The display of an error of Quadrants in a notebook: its cause; the line of the cell with its caret; the calls that led there, innermost
first; advice, set apart. Frames of IPython and of the package itself are left out."""

import dis
import linecache
import os
import re
import sys
import sysconfig
import threading
import traceback
import types

import IPython
import quadrants
from quadrants import _exceptions, _settings
from quadrants_jupyter import cells

# Errors have a red background, light or dark, on which no colour is readable in every theme; black on yellow has its own background.
_bold, _marked, _plain = "\x1b[1m", "\x1b[30;43m", "\x1b[0m"
_most = 8  # maximum number of places shown; others, from the middle, are only counted

_place = re.compile(r'File "(.+)", line (\d+), in (.+):$')
_carets = re.compile(r" *\^+ *$")
_more = re.compile(r"\.\.\. \d+ more calls \.\.\.$")
_advice = re.compile(r"(Hint|Note): ")
_package = os.path.dirname(quadrants.__file__) + os.sep
_packages = (_package, os.path.dirname(sys.modules[__package__].__file__) + os.sep)
_REFUSALS = (TypeError, ValueError, ArithmeticError, LookupError)
_not_the_users = tuple(os.path.dirname(module.__file__) + os.sep for module in (quadrants, sys.modules[__package__], IPython))


def _classes():
    found = []
    for value in vars(_exceptions).values():
        if isinstance(value, type) and issubclass(value, Exception) and value.__module__ in (_exceptions.__name__, "quadrants"):
            found.append(value)
    return tuple(found)


class Place:
    """A line of the program with its marked part."""

    def __init__(self, file, number, scope, text="", carets=""):
        self.file, self.number, self.scope = file, number, scope
        cut = len(text) - len(text.lstrip())
        self.text, self.carets = text.strip(), carets[cut:].rstrip() if carets[:cut].isspace() or not cut else ""

    def lines(self, shell, before):
        cell = _exceptions.cell_name(self.file)
        name = (cell,) if cell != self.file else shell.compile.format_code_name(self.file) or ("File", self.file)
        yield f"{before}{_bold}{' '.join(name)}, line {self.number}{_plain}, in {self.scope}"
        start, end = len(self.carets) - len(self.carets.lstrip()), len(self.carets)
        if self.carets:
            yield f"    {self.text[:start]}{_marked}{self.text[start:end]}{_plain}{self.text[end:]}"
            yield f"    {_bold}{self.carets}{_plain}"
        elif self.text:
            yield "    " + self.text


class LeftOut:
    """Represents places that an error does not name."""

    def __init__(self, text):
        self.text = text

    def lines(self, shell, before):
        yield self.text


def _parsed(message):
    """Splits the text of an error into (places in kernels, outermost first; causes; advice)."""
    places, causes, advice = [], [], []
    lines = message.strip("\n").split("\n")
    while lines:
        line = lines.pop(0)
        match = _place.match(line)
        if match:
            text = lines.pop(0) if lines and not _place.match(lines[0]) else ""
            carets = lines.pop(0) if lines and _carets.match(lines[0]) else ""
            while len(lines) > 1 and _carets.match(lines[1]):  # only the first line of a long statement is shown
                del lines[:2]
            places.append(Place(match[1], int(match[2]), match[3], text, carets))
        elif places and _more.match(line):
            places.append(LeftOut(line))
        else:
            (advice if advice or _advice.match(line) else causes).append(line)
    if not causes and places:  # a place without known source
        causes, places[-1].text = [places[-1].text], ""
    return places, causes or [""], advice


def in_one_line(error):
    """Returns the class, the cause, and the innermost place in a kernel."""
    places, causes, _ = _parsed(str(error))
    where = [_exceptions.place_name(place.file, place.number) for place in places if isinstance(place, Place)][-1:]
    text = ": ".join(part for part in (type(error).__name__.lstrip("_"), causes[0]) if part)
    return f"{text} ({where[0]})" if where else text


def _is_the_users(shell, file):
    if shell.compile.format_code_name(file) is not None:
        return True
    installed = "site-packages" in file or "dist-packages" in file or file.startswith(os.path.dirname(sysconfig.get_path("stdlib")) + os.sep)
    return not (installed or file.startswith(_not_the_users) or file.startswith("<") or not os.path.exists(file))


def _calls(shell, tb):
    """Yields places in the user's Python code, outermost first."""
    for frame, number in traceback.walk_tb(tb):
        file = frame.f_code.co_filename
        if not _is_the_users(shell, file):
            continue
        text = linecache.getline(file, number)
        if not text.lstrip().startswith(("get_ipython().run_", "await get_ipython().run_")):
            yield Place(file, number, frame.f_code.co_name, text)


def render(shell, kind, error, tb):
    in_kernels, causes, advice = _parsed(str(error))
    lines = [f"{_bold}{kind.__name__.lstrip('_')}{_plain}: {_bold}{causes[0]}{_plain}", *causes[1:], ""]
    places = [*_calls(shell, tb), *in_kernels][::-1]
    left_out = len(places) - _most
    for at, place in enumerate(places):
        if left_out > 1 and at == _most // 2:
            lines.append(f"... {left_out} calls ...")
        if left_out <= 1 or not _most // 2 <= at < _most // 2 + left_out:
            lines += place.lines(shell, "called from " if at else "")
    if advice:
        lines += ["", *(f"{_bold}{line}{_plain}" for line in advice)]
    return lines


def _without_package(shell, error, tb):
    """Returns the traceback up to the user's call of the package, if the package refuses something with `raise` or in a call of Python
    or NumPy, since its own frames do not explain the mistake. Errors of other kinds may be the package's own and stay whole."""
    entries = []
    while tb is not None:
        entries.append(tb)
        tb = tb.tb_next
    files = [entry.tb_frame.f_code.co_filename for entry in entries]
    inside = len(entries)
    while inside > 1 and not _is_the_users(shell, files[inside - 1]):
        inside -= 1
    raises = entries and dis.opname[entries[-1].tb_frame.f_code.co_code[entries[-1].tb_lasti]] == "RAISE_VARARGS"
    refuses = isinstance(error, _REFUSALS) or (raises and files[-1].startswith(_package))
    of_package = any(file.startswith(_packages) for file in files[inside:])
    if not refuses or not of_package or _settings.special.print_full_traceback:
        return entries[0] if entries else None
    shown = None
    for entry in reversed(entries[:inside]):
        shown = types.TracebackType(shown, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return shown


def _show_syntax_error(shell, kind, error, tb):
    """Shows a SyntaxError with the frames from the user's first one on; none if the text of a cell is invalid."""
    first = next(_calls(shell, tb), None)
    frames = traceback.extract_tb(tb) if first else []
    while frames and (frames[0].filename, frames[0].lineno) != (first.file, first.number):
        del frames[0]
    shell._showtraceback(kind, error, shell.SyntaxTB.structured_traceback(kind, error, frames))


def _show(shell, kind, error, tb, tb_offset=None):
    sys.last_type, sys.last_value, sys.last_traceback = kind, error, tb  # for %debug and %tb
    if sys.version_info >= (3, 12):
        sys.last_exc = error
    ours, calls = cells.calls_of(error)
    if not issubclass(kind, _classes()):
        if issubclass(kind, SyntaxError):
            _show_syntax_error(shell, kind, error, calls if ours else tb)
        elif not ours:
            shell.showtraceback((kind, error, _without_package(shell, error, tb)), running_compiled_code=True)
        else:
            shell.showtraceback((kind, error, _without_package(shell, error, calls)), tb_offset=0, running_compiled_code=True)
        return []
    try:
        lines = render(shell, kind, error, tb)
    except Exception as failure:  # IPython would unregister this function
        lines = [f"{kind.__name__} (it cannot be shown: {type(failure).__name__})"]
    shell._showtraceback(kind, error, lines)
    return lines


def _in_thread(shell, otherwise):
    """Returns a hook for errors that end a thread; `otherwise` handles those of other kinds."""

    def hook(args):
        if not issubclass(args.exc_type, _classes()) or args.exc_value is None:
            return otherwise(args)
        name = args.thread.name if args.thread is not None else "unknown"
        lines = render(shell, args.exc_type, args.exc_value, args.exc_traceback)
        print("\n".join([f"Exception in thread {name}:", *lines]), file=sys.stderr, flush=True)

    hook.otherwise = otherwise
    return hook


def register(shell):
    threading.excepthook = _in_thread(shell, threading.excepthook)
    shell.set_custom_exc((BaseException,), _show)
    _exceptions.source_width = None  # cells wrap lines themselves
    for kind in _classes():  # for errors shown outside a cell
        kind._render_traceback_ = lambda error: render(shell, type(error), error, error.__traceback__)


def unregister(shell):
    threading.excepthook = getattr(threading.excepthook, "otherwise", threading.excepthook)
    shell.set_custom_exc((), None)
    for kind in _classes():
        del kind._render_traceback_
