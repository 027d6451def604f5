"""Runs one program on every arch and compares the outcomes.

Each arch runs with one thread, so that iterations are in order, unless the program requests more. qd.python runs first, with a limit on its
iterations: a program that does not end there, or goes out of bounds, is only compiled, not run. """

import functools
import io
import itertools
import linecache
import re
import traceback
import warnings
from contextlib import redirect_stdout

import numpy as np

from tests.fuzz import regrouping

LIMIT = 8_000  # iterations
LONG = 300_000  # of a program that is known to end
ARCHS = ("interp", "cpu")
_numbers = itertools.count()


class Outcome:
    """The outcome of a program: "ok" with values, "error" (of the user, with class and text) or "broken" (a bug of the package)."""

    def __init__(self, how, exact=(), near=(), error=None, printed=""):
        self.how, self.exact, self.near, self.error, self.printed = how, exact, near, error, printed

    def describe(self):
        return f"{type(self.error).__name__}: {str(self.error)[:600]}" if self.error is not None else f"{self.exact} {self.near}"


def _plain(values):
    return [np.array(v, copy=True) for v in values]


@functools.lru_cache(1)
def _compiled(text):
    name = f"<fuzz {next(_numbers)}>"
    return compile(text, name, "exec"), name


def _options(text):
    """Returns the options for qd.init, which the program has in a line `OPTIONS = {...}`."""
    import quadrants as qd

    line = next((line for line in text.splitlines() if line.startswith("OPTIONS = ")), "OPTIONS = {}")
    return {name: getattr(qd, v) if isinstance(v, str) else v for name, v in eval(line.partition("=")[2]).items()}


def _has_any_order(text):
    """Returns whether iterations may run in any order: on several threads, or over storage whose order differs from that of the indices."""
    return any(word in text for word in ("'cpu_max_num_threads'", "layout=(", "order=", "active("))


def _printed(said, text):
    """Returns the lines that the kernels printed. The sign of NaN is not defined."""
    lines = re.sub(" *-?nan", " nan", said).splitlines()[1:]
    return sorted(_without_checks(lines)) if _has_any_order(text) else lines


def outcome(text, arch, limit=None, checked=False):
    """Runs the program on one arch. `checked`: it may go out of bounds."""
    import quadrants as qd
    from quadrants import _settings
    from quadrants._python_backend import functions, loops

    _settings.checks_python = False  # the run as Python is compared with the frontend's checks
    loops.Work.done, loops.Work.limit = 0, limit
    name, scope = None, {"__name__": "fuzz_program"}
    said = io.StringIO()
    try:
        with redirect_stdout(said), warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            options = {"fast_math": False, "offline_cache": False, "cpu_max_num_threads": 1, **_options(text)}
            if checked:
                options["check_out_of_bound"] = True
            qd.init(arch=arch, print_full_traceback=False, **options)
            code, name = _compiled(text)
            linecache.cache[name] = (len(text), None, text.splitlines(True), name)
            exec(code, scope)
            exact, near = scope["main"]()
            return Outcome("ok", _plain(exact), _plain(near), printed=_printed(said.getvalue(), text))
    except loops.OutOfWork as error:
        return Outcome("endless", error=error)
    except (qd.QuadrantsCompilationError, qd.QuadrantsRuntimeError) as error:
        return Outcome("error", error=error)
    except RecursionError as error:
        return Outcome("endless", error=error)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # exceptions of pytest are not derived from Exception
        return Outcome("foreign", error=error)
    finally:
        loops.Work.limit = None
        _settings.checks_python = True
        functions.forget()
        scope.clear()  # its functions reference it, and it references everything else
        linecache.cache.pop(name, None)


BAD = (SystemError, MemoryError)
CONSTANTS = (ZeroDivisionError, OverflowError, ValueError)  # raised by Python for numbers known at compile time
OF_CONSTANTS = ("ZeroDivisionError", "negative shift count", "exceeded the range of", "too large to convert to float", "integer division by zero")


def _has_line(error):
    """True if the error of a kernel names its place. Run-time errors have none, and neither have those of wrong arguments, which name the
    argument, or of a decorator or a func called by Python, whose line Python shows."""
    import quadrants as qd

    text = str(error)
    frame = traceback.extract_tb(error.__traceback__)[-1].filename
    if frame.endswith(".py") and not frame.endswith("_kernel.py"):
        return True  # the traceback of a function that Python called has the line
    is_signature = "is not a scalar type" in text
    is_call = "Expect element type" in text or "required element type" in text or "cannot be called from Python-scope" in text
    return not isinstance(error, qd.QuadrantsCompilationError) or ", line " in text or is_signature or is_call


_INTERNAL = ("internal", "please report", "report this", "bug in")


def is_internal(error):
    return any(word in str(error).lower() for word in _INTERNAL)


def _largest(x):
    return float(np.max(np.abs(x), where=np.isfinite(x), initial=0))


def _same(a, b, tolerance, explained=lambda *difference: False):
    """`explained` returns True if these elements may differ."""
    if len(a) != len(b):
        return False
    for x, y in zip(a, b):
        if x.shape != y.shape or x.dtype.kind != y.dtype.kind:
            return False
        if x.tobytes() == y.tobytes() and x.dtype == y.dtype:
            continue
        if x.dtype.kind == "f":
            least = max(tolerance, 3e-38, 64 * np.finfo(x.dtype).eps * _largest(x) if tolerance else 0)
            differs = ~np.isclose(x, y, rtol=tolerance, atol=least, equal_nan=True)
            if np.any(differs) and not explained(x, y, differs):
                return False
        elif not np.array_equal(x, y):
            return False
    return True


def _difference(a, b, overflows):
    for k, (x, y) in enumerate(zip(a.exact, b.exact)):
        if not _same([x], [y], 0):
            return f"result {k}: {x.tolist()} as Python, {y.tolist()} compiled"
    for k, (x, y) in enumerate(zip(a.near, b.near)):
        if not _same([x], [y], 1e-4, lambda *difference, k=k: overflows.explain(k, *difference)):
            return f"near result {k}: {x.tolist()} as Python, {y.tolist()} compiled"
    return _other_text(a, b, _without_checks)


def _without_checks(lines):
    """Returns the output of the program itself, which begins with @@. Debug mode also reports overflows of compiled code, with the
    source."""
    return [line for line in lines if line.startswith("@@")]


def _other_text(a, b, kept=lambda lines: lines):
    for x, y in itertools.zip_longest(kept(a.printed), kept(b.printed)):
        if x != y:
            return f"printed: {x!r} and {y!r}"
    return None


def _failed_alike(a, b, text):
    """Returns whether two failed assertions of a program are the same one, unless iterations may come in any order."""
    if any(words in str(a) for words in ("integer division", "Out of bound")):
        return False
    messages = [str(e).strip().splitlines()[0] for e in (a, b)]
    return _has_any_order(text) or not messages[0].startswith("claim") or messages[0] == messages[1]


def fault(text, valid=False, announce=lambda: None, archs=ARCHS):
    """Returns the compiler's fault on this program as (kind, text), or None.

    `valid`: the program is known to be valid, so that an error is a fault too. `announce` is called before running a program that did not
    end as Python, and may therefore be endless."""
    import quadrants as qd

    oracle = "interp" if 'ORACLE = "interp"' in text else "python"  # for programs that use features qd.python lacks
    is_sparse = oracle != "python"
    if is_sparse and not valid:
        announce()  # it may be endless there
    python = outcome(text, oracle, LONG if valid else LIMIT, checked=is_sparse and not valid)
    if python.how == "endless":
        return ("endless as Python", python.describe()) if valid else None
    if isinstance(python.error, CONSTANTS):
        valid = False
    if python.how == "foreign" and valid:
        return "qd.python fails", python.describe()
    if python.how != "ok":
        announce()
    first = None

    def near_of(changed):
        again = outcome(changed, oracle, LONG if valid else LIMIT, checked=is_sparse and not valid)
        return again.near if again.how == "ok" else None

    overflows = regrouping.Overflows(text, near_of)
    for arch in archs:
        if arch == oracle:
            continue
        got = outcome(text, arch, checked=not valid)
        if got.how == "foreign":
            if python.how == "foreign" and type(python.error) is type(got.error):
                continue
            if not valid and not isinstance(got.error, BAD):
                continue  # raised by the host code of the program
            return f"{arch}: {type(got.error).__name__} is no user error", got.describe()
        both = python.how == got.how == "error"
        if both and isinstance(python.error, qd.QuadrantsAssertionError) and isinstance(got.error, qd.QuadrantsAssertionError):
            if valid and not _failed_alike(python.error, got.error, text):
                return f"{arch}: another assertion", python.describe() + "\n" + got.describe()
            continue
        if got.how == "error":
            if is_internal(got.error):
                return f"{arch}: internal error", got.describe()
            if any(words in str(got.error) for words in OF_CONSTANTS):
                continue
            if not _has_line(got.error):
                return f"{arch}: an error without a line", got.describe()
            if python.how == "error":
                continue
            if valid:
                return f"{arch}: a valid program is refused", got.describe()
            continue
        if python.how == "error":
            if valid and "division by zero" in str(python.error):
                return f"{arch}: no division by zero", python.describe()
            if valid:
                return "qd.python refuses a valid program", python.describe()
            continue
        races = not valid and "cpu_max_num_threads" in text  # its results may depend on the order of iterations
        if python.how == "ok" and not races:
            text_of = _difference(python, got, overflows) or (first and _other_text(first, got))
            if text_of:
                return f"{arch}: another result", text_of
            first = first or got
    return None
