"""print, formatted strings and assertions: formats follow printf, as in compiled kernels."""

import re as _re
import string as _string

from quadrants import _exceptions, _settings
from quadrants._language import matrix as _matrix
from quadrants._python_backend import instances, numbers, places
from quadrants._python_backend.numbers import DryRun, Scalar, fail_type, typed
from quadrants._python_backend.values import Mat, Record, value_of


_INF = float("inf")
_LONGEST = 2047  # maximum length of an assertion message in bytes


def _spec(spec, kind):
    """Returns a printf format for Python's `%`, which supports the same ones except `a`."""
    if not spec:
        return "f" if numbers.is_real(kind) else "d"
    mismatch = f"'{spec}' doesn't match '{kind}'."
    flags = "-" if spec[0] == "<" else ""
    found = _re.fullmatch(r"[<>]?([-+ #0.\d]*)[hljzt]*(\D*)", spec)
    if not found or len(found[2]) > 1:
        fail_type(mismatch)
    flags += found[1]
    real, signed = numbers.is_real(kind), kind.kind == "int"
    letter = found[2] or ("f" if real else "d" if signed else "u")
    if (letter in "fFeEgG") != real or letter not in "fFeEgGdiuxXo":
        fail_type(mismatch)
    if (letter in "di" and not signed and kind is not numbers.u1) or (letter == "u" and found[2] and (signed or kind is numbers.u1)):
        fail_type(mismatch)
    if letter == "u":
        return flags.replace("+", "").replace(" ", "") + "d"
    return flags + letter


def formatted(x, spec=""):
    """Returns the text of a value as print writes it."""
    if isinstance(x, Text):
        return str(x)
    x = value_of(x)
    if numbers.is_constant(x) and (spec or isinstance(x, (bool, float))):
        x = typed(x) if spec else x
        if not spec:
            return str(int(x)) if isinstance(x, bool) else format(x, "f")
    if type(x) is Scalar:
        value = x.value
        if numbers.is_real(x.kind) and value != value:
            value = float("nan")
        if spec[-1:] in tuple("xXo") and value < 0:
            value &= (1 << x.kind.bits) - 1
        flags = _spec(spec, x.kind)
        if value in (_INF, -_INF) or value != value:
            flags = _re.sub(r"^([-+ #]*)0+", r"\1", flags)  # C pads these with spaces
        return ("%" + flags) % value
    if isinstance(x, Mat):
        return "[" + ", ".join(formatted(row, spec) for row in x.rows()) + "]"
    if isinstance(x, Record):
        return "{" + ", ".join(f"{name!r}: {formatted(x.get(name), spec)}" for name in x.names()) + "}"
    if isinstance(x, dict):
        return "{" + ", ".join(f"{_key(name)}: {formatted(v, spec)}" for name, v in x.items()) + "}"
    if isinstance(x, (tuple, list)):
        inside = ", ".join(_member(v, spec) for v in x)
        return f"[{inside}]" if isinstance(x, list) else f"({inside}{',' if len(x) == 1 else ''})"
    return format(x, spec) if spec else str(x)


def _key(x):
    return formatted(x) if isinstance(value_of(x), Scalar) else repr(x)


def _member(x, spec):
    return repr(x) if type(x) is str else formatted(x, spec)


class Text(str):
    """A formatted string that contains values known only at run time."""


def joined(pieces):
    """Evaluates an f-string, given as texts and pairs of a value and its format. One with only constants is a plain string."""
    made = "".join(p if type(p) is str else inserted(*p) for p in pieces)
    return made if all(type(p) is str or _is_known(value_of(p[0])) for p in pieces) else Text(made)


def _is_known(x):
    """Returns whether x is known at compile time."""
    if isinstance(x, (list, tuple)):
        return type(x) in (list, tuple) and all(map(_is_known, x))
    if isinstance(x, dict):
        return all(map(_is_known, x.values()))
    if isinstance(x, numbers.Known) and (isinstance(x, float) or x.kind is numbers.u1):
        return False  # it is formatted like a run-time value; for integers there is no difference
    return not isinstance(x, (Scalar, Mat, Record, Text))


def inserted(x, spec=""):
    """Returns the text of a value in a string: compile-time values without a format are formatted by Python."""
    x = value_of(x)
    known = _is_known(x) and not isinstance(x, _matrix.Matrix)
    return str(x) if known and not spec else formatted(x, spec)


def show(*args, sep=" ", end="\n", file=None, flush=False):
    if DryRun.active:
        return
    for name, text in (("sep", sep), ("end", end)):
        if text is not None and type(text) is not str:
            fail_type(f"`{name}` of print must be a string known at compile time")
    print((" " if sep is None else sep).join(formatted(a) for a in args), end=end, file=file, flush=flush)


def percent(pattern, args):
    """Implements pattern % args."""
    items = list(args) if isinstance(args, tuple) else [args]
    made = []
    for literal, spec in _re.findall(r"([^%]*(?:%%[^%]*)*)(?:%([^%diufFeEgGxXosr]*[diufFeEgGxXosr]))?", pattern):
        made.append(literal.replace("%%", "%"))
        if spec:
            if not items:
                raise _exceptions.QuadrantsSyntaxError("not enough arguments for format string")
            x = items.pop(0)
            real = type(x) is Scalar and numbers.is_real(x.kind)
            plain = spec[-1] in "sr" or (spec[-1] == "d" and real)
            made.append(inserted(x) if plain else formatted(x, spec))
    if items:
        raise _exceptions.QuadrantsSyntaxError("not all arguments converted during string formatting")
    return Text("".join(made))


def fill_in(pattern, args, keywords):
    """Implements pattern.format(*args, **keywords)."""
    if any(conversion for *_, conversion in _string.Formatter().parse(pattern)):
        return pattern.format(*args, **keywords)
    made, position, following, used = [], 0, 0, set()
    for literal, field, spec, _ in _string.Formatter().parse(pattern):
        made.append(literal)
        if field is None:
            continue
        if field == "" or field.isdigit():
            at = int(field) if field else following
            following += not field
            position = max(position, at + 1)
            if at < len(args):
                made.append(inserted(args[at], spec))
        elif field in keywords:
            used.add(field)
            made.append(inserted(keywords[field], spec))
        else:
            raise _exceptions.QuadrantsSyntaxError(f"Keyword '{field}' not found.")
    if position != len(args):
        raise _exceptions.QuadrantsSyntaxError(f"Expected {position} positional argument(s), but received {len(args)} instead.")
    for name in keywords:
        if name not in used:
            raise _exceptions.QuadrantsSyntaxError(f"Keyword '{name}' not used.")
    return Text("".join(made))


def _value_if_set(x):
    """Returns the value of a part of a condition; None if a name in it was not bound, because `and` or `or` left out an operand."""
    try:
        return value_of(x())
    except _exceptions.QuadrantsNameError:
        return None


def check(condition, message, *shown):
    """Implements assert. In debug mode, the message is built if the condition is false. Otherwise nothing is checked, but the condition and
    the message are evaluated for their side effects. `shown`: (words, value) of the parts of the condition."""
    if DryRun.active:
        return
    debug = _settings.current().debug
    if instances.tested(condition()) and debug:
        return
    text = message() if callable(message) else message
    if debug:
        values = [(words, _value_if_set(x)) for words, x in shown]
        values = [f"{words} = {formatted(x)}" for words, x in values if isinstance(x, (Scalar, Mat))]
        if values:
            text = f"{text}\nwith {', '.join(values)}"
        places.fail(str(text).encode()[:_LONGEST].decode(errors="ignore"))
