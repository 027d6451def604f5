"""The public exception classes, and the text of exceptions raised by the core."""

import builtins as _builtins
import contextlib as _contextlib

from quadrants import _logging, _settings
from quadrants._logging import warn_caller


class QuadrantsCompilationError(Exception):
    """An error in a kernel, found during compilation; the subclasses are syntax, type, name and index errors. The message shows the line
    with a caret, and the calls of funcs that lead to it.

    Example:
        >>> @qd.kernel
        ... def f():
        ...     x = y
        >>> try:
        ...     f()
        ... except qd.QuadrantsCompilationError as e:
        ...     print(type(e).__name__)
        QuadrantsNameError
    """


class QuadrantsSyntaxError(QuadrantsCompilationError, SyntaxError):
    """A kernel uses Python syntax or a construct that the language does not support.

    Example:
        >>> issubclass(qd.QuadrantsSyntaxError, qd.QuadrantsCompilationError)
        True
    """

    def __str__(self):
        return str(self.args[0]) if self.args else ""


class QuadrantsNameError(QuadrantsCompilationError, NameError):
    """A name in a kernel is not defined.

    Example:
        >>> issubclass(qd.QuadrantsNameError, qd.QuadrantsCompilationError)
        True
    """


class QuadrantsIndexError(QuadrantsCompilationError, IndexError):
    """The number or type of indices is wrong.

    Example:
        >>> issubclass(qd.QuadrantsIndexError, (qd.QuadrantsCompilationError, IndexError))
        True
    """


class QuadrantsTypeError(QuadrantsCompilationError, TypeError):
    """Types in a kernel do not match.

    Example:
        >>> issubclass(qd.QuadrantsTypeError, qd.QuadrantsCompilationError)
        True
    """


class QuadrantsArgumentError(QuadrantsSyntaxError, TypeError):
    """A kernel or func is called with arguments that do not match its signature; Python raises TypeError for this.

    Example:
        >>> @qd.func
        ... def half(x):
        ...     return x / 2
        >>> @qd.kernel
        ... def f() -> qd.f32:
        ...     return half(1, 2)
        >>> try:
        ...     f()
        ... except qd.QuadrantsArgumentError as e:
        ...     print(isinstance(e, TypeError))
        True
    """


class QuadrantsStaticAssertionError(QuadrantsCompilationError, AssertionError):
    """qd.static_assert failed during the compilation of a kernel."""


class QuadrantsRuntimeError(RuntimeError):
    """A call cannot be carried out.

    Example:
        >>> issubclass(qd.QuadrantsRuntimeError, RuntimeError)
        True
    """


class QuadrantsAssertionError(QuadrantsRuntimeError, AssertionError):
    """With debug=True, an assertion in a kernel failed or an index was out of bounds.

    Example:
        >>> qd.init(arch=qd.cpu, debug=True)
        >>> @qd.kernel
        ... def f(x: qd.i32):
        ...     assert x > 0, "too small"
        >>> try:
        ...     f(0)
        ... except qd.QuadrantsAssertionError as e:
        ...     print("too small" in str(e))
        True
    """


class QuadrantsRuntimeTypeError(QuadrantsRuntimeError, TypeError):
    """An argument of a call has the wrong type.

    Example:
        >>> @qd.kernel
        ... def f(x: qd.i32): pass
        >>> try:
        ...     f("a")
        ... except qd.QuadrantsRuntimeTypeError as e:
        ...     print("refused")
        refused
    """


class QuadrantsInterruptedError(QuadrantsRuntimeError):
    """Ctrl-C, or Stop in a notebook, ended a kernel launched by a thread other than the main thread. On the main thread, KeyboardInterrupt
    is raised instead.

    Example:
        >>> issubclass(qd.QuadrantsInterruptedError, qd.QuadrantsRuntimeError)
        True
    """


class DeprecatedSpelling(DeprecationWarning, UserWarning):
    """The warning about `pure`. It was a UserWarning, and programs filter it as one."""


def _shown_as(public):
    """Decorates a subclass that adds a built-in class to a public one: tracebacks show the name of the public class."""

    def named(own):
        key = own.__name__
        own.__name__ = own.__qualname__ = public.__name__
        own.__module__ = "quadrants"
        own.__reduce__ = lambda self: (_remade, (key, self.args), self.__dict__ or None)  # pickle would otherwise look the class up by its name
        return own

    return named


def _remade(key, args):
    return globals()[key](*args)


@_shown_as(QuadrantsAssertionError)
class _OutOfBounds(QuadrantsAssertionError, IndexError):
    """An index from Python is out of bounds; also an IndexError, so that iteration stops."""


@_shown_as(QuadrantsRuntimeError)
class _OutOfMemory(QuadrantsRuntimeError, MemoryError):
    """The device is out of memory."""


@_shown_as(QuadrantsRuntimeTypeError)
class _Mismatch(QuadrantsRuntimeTypeError, ValueError):
    """An array does not match its parameter; also a ValueError, which programs catch."""


_ENOMEM = 12
_PACKAGE = __file__.rpartition("/")[0] + "/"  # funcs of the package itself are omitted from call chains

# Display names of source files in messages (a notebook maps a cell's file to "cell 4"), and the reverse mapping. A cell that is executed
# again gets a new name, while code compiled earlier has the old one.
_display_names = {}
_files_shown_as = {}  # display name -> all files that have had it, newest last
_named_now = {}  # (name, line) -> name of the cell that currently contains the same definition

received_lines = {}  # file or cell of another process -> its lines as far as they are known; the others are empty


def _raw():
    return bool(_settings.special.print_full_traceback)


def _class(name):
    return globals()[name]


def _source_line(file, line):
    import linecache

    shown_so = _files_shown_as.get(file, [file])  # several, since code executed by a cell has the cell's name
    received = (text for real in reversed(shown_so) for text in received_lines.get(real, ())[line - 1 : line] if text.strip())
    lines = (linecache.getline(real, line).rstrip("\n") for real in reversed(shown_so))
    return next((text.rstrip("\n") for text in (*received, *lines) if text), "")


def source_of(file):
    """Returns the text of a file given its display name; "" if it is not available."""
    import linecache

    texts = ("".join(received_lines.get(real) or linecache.getlines(real)) for real in reversed(_files_shown_as.get(file, [file])))
    return next((text for text in texts if text), "")


_TAB = 4  # tab stops of a displayed line are multiples of this


def place_line(file, scope, line):
    """Returns the location line of an error; a function is named without its enclosing class or function."""
    return f'File "{named_now(file, line)}", line {line}, in {scope.rpartition(".")[2]}:'


def cell_name(shown):
    """Returns "Cell In[4]" for the name "cell 4", as notebooks write it; other names are returned unchanged."""
    word, _, number = shown.partition(" ")
    return f"Cell In[{number}]" if word == "cell" and number.isdigit() else shown


def place_name(shown, line):
    """Returns the location of a line in the format of tracebacks."""
    name = cell_name(shown)
    return f"{name}, line {line}" if name != shown else f'File "{shown}", line {line}'


def named_now(file, line):
    """Returns the cell that currently contains a definition, if its cell was executed again without changing it; else the same name."""
    return _named_now.get((file, line), file)


def _with_names_of_now(rendered):
    if not _named_now:
        return rendered
    import re

    return re.sub(r'(?m)^File "(.+)", line (\d+), in ', lambda m: f'File "{named_now(m[1], int(m[2]))}", line {m[2]}, in ', rendered)


def marked_line(text, column, end_column):
    """Returns a source line, and carets under the given range of its bytes."""
    before, whole = (text.encode()[:at].decode(errors="replace").expandtabs(_TAB) for at in (column, end_column))
    return text.expandtabs(_TAB), " " * len(before) + "^" * max(len(whole) - len(before), 1)


def place_block(trace):
    """Returns the call chain with source lines and carets, outermost call first."""
    lines = []
    for file, scope, line, column, end_line, end_column in trace:
        lines.append(place_line(file, scope, line))
        text = _source_line(file, line)
        if not text:
            continue
        shown, carets = marked_line(text, column, end_column)
        lines.append(shown)
        if end_line == line and column < end_column <= len(text.encode()):
            lines.append(carets)
    return "\n".join(lines)


def _noted(error, hint):
    """Attaches the hint as a note. Used if the traceback shows the location, so that the text of the error is only its message."""
    if hint:
        error.add_note(hint)
    return error


source_width = 80  # longer source lines are wrapped together with their carets; None: they are not wrapped


def _wrapped(rendered):
    if source_width is None:
        return rendered
    out, lines = [], rendered.split("\n")
    while lines:
        line = lines.pop(0)
        if len(line) <= source_width or not lines or not lines[0] or lines[0].strip(" ").strip("^"):
            out.append(line)
            continue
        carets = lines.pop(0)
        for start in range(0, len(line), source_width):
            out += filter(str.strip, (line[start : start + source_width], carets[start : start + source_width].rstrip()))
    return "\n".join(out)


def from_frontend(name, message, rendered):
    rendered = _wrapped(_with_names_of_now(rendered))
    if _raw():
        kind = QuadrantsStaticAssertionError if name == "QuadrantsAssertionError" else _class(name)
        return _noted(kind(message), rendered.rpartition(message)[2].strip("\n") if message else "")
    if name == "QuadrantsAssertionError":  # no kernel is running yet, so it is from qd.static_assert
        return QuadrantsStaticAssertionError(f"\n{rendered.removesuffix(message)}AssertionError: {message}")
    return _class(name)("\n" + rendered)


def from_core(name, message, trace, hint):
    if _raw():
        return _noted(_class(name)(message), hint)
    own = [at for at in trace if not at[0].startswith(_PACKAGE)] or trace
    parts = [message] + ([place_block(own)] if own else [])
    if len(own) < len(trace):
        parts.append(f"This is in `{trace[len(own)][1]}`, which Quadrants itself provides for the line above.")
    elif hint:  # hints refer to lines of user code
        parts.append(hint)
    return _class(name)(("\n" if trace else "") + "\n".join(parts))


def _text_of(error):
    try:
        return str(error)
    except Exception as failure:
        return f"<str() of this error failed: {type(failure).__name__}>"


def from_foreign(error, trace):
    """Returns the exception to raise after user code, called at compile time, raised `error`."""
    if error is None:
        return QuadrantsCompilationError("a kernel could not be compiled")
    if not isinstance(error, Exception) or not trace or _raw():
        return error
    trace = [at for at in trace if not at[0].startswith(_PACKAGE)] or trace
    if isinstance(error, (QuadrantsCompilationError, QuadrantsRuntimeError)):
        wrapped = type(error)("\n" + place_block(trace) + "\n" + str(error))
    else:
        wrapped = QuadrantsCompilationError(f"\n{place_block(trace)}\n{type(error).__name__}: {_text_of(error)}")
    wrapped.__cause__ = error
    return wrapped


_HINT = "\nHint: "


def name_kernel(error, info):
    """Adds the name of the called kernel to the text of an error about arguments."""
    if isinstance(error, QuadrantsRuntimeTypeError) and len(error.args) == 1 and not str(error).startswith("\n"):
        text, hint, advice = str(error).partition(_HINT)
        error.args = (f"{text} (in a call of the kernel `{info.name}`){hint}{advice}",)


def from_device(text, call, code):
    if code == _ENOMEM:
        return _OutOfMemory(text.partition(f" failed with code {code}: ")[2])
    return QuadrantsRuntimeError(text)


def from_internal(text):
    return QuadrantsRuntimeError(
        f"Internal error: {text}\nThis is a bug of Quadrants, not of your program. Please report it with the kernel that "
        "shows it; QD_DUMP=all prints what the compiler made of it."
    )


_unwarned = 0
_told = {}  # file -> registry of the warnings filter: each specialisation and each derivative would repeat the warning


@_contextlib.contextmanager
def unwarned():
    """Suppresses the compiler's warnings while kernels are compiled again."""
    global _unwarned
    _unwarned += 1
    try:
        yield
    finally:
        _unwarned -= 1


def warn(category, message, file, line):
    """Issues a warning of the compiler; the category "log" goes to the log."""
    import warnings

    if _unwarned:
        return
    if category == "log":
        _logging.warn(f"{file}:{line}: {message}" if file else message)
        return
    kind = getattr(_builtins, category, UserWarning)
    if file and line:
        warnings.warn_explicit(message, kind, file, line, registry=_told.setdefault(file, {}))
    else:
        warn_caller(message, kind)


def not_available(name, instead=""):
    return QuadrantsRuntimeError(f"{name} is not available yet" + (f"; {instead}" if instead else ""))
