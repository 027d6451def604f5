"""Describes in words what a kernel read during compilation (frontend/dependencies.h)."""

import difflib
import struct

from quadrants import _dtypes, _exceptions

# The kinds of dependencies, in the order of quadrants_core/frontend/dependency.h.
(KERNEL, PARAM, NAME, ATTRIBUTE, ITEM, SELF, METHOD, FUNCTION, ANNOTATION, DEFAULTS, LIBRARY, RETURNS, MEMBER, VALUE) = range(14)


class _Print:
    """Parser of an object's fingerprint (frontend/fingerprint.cpp). Raises ValueError or struct.error if it cannot be decoded."""

    def __init__(self, found):
        self.found, self.at = found, 0

    def numbers(self, form):
        read = struct.unpack_from("=" + form, self.found, self.at)
        self.at += struct.calcsize("=" + form)
        return read[0] if len(read) == 1 else read

    def text(self):
        size = self.numbers("Q")
        self.at += size
        if self.at > len(self.found):
            raise ValueError("a string is truncated")
        return self.found[self.at - size : self.at].decode("utf-8", "replace")

    def list(self, count=None):
        return [self.value() for _ in range(self.numbers("q") if count is None else count)]

    def value(self):
        tag = self.numbers("c")
        show = _SHOWN.get(tag)
        if show is None:
            raise ValueError(f"unknown value: {tag}")
        return show(self)

    def tuple(self):
        items = self.list()
        return f"({', '.join(items)}{',' * (len(items) == 1)})"

    def dict(self):
        items = self.list(2 * self.numbers("q"))
        return f"{{{', '.join(f'{key}: {value}' for key, value in zip(items[::2], items[1::2]))}}}"

    def range(self):
        start, stop, step = self.list(3)
        return f"range({start}, {stop}{'' if step == '1' else ', ' + step})"

    def member(self):
        """A member of an enumeration: the outline of its class, then the number."""
        self.numbers("cBB")
        _, _, name = self.text(), self.text(), self.text()
        return f"{name}({self.value()})"

    def dtype(self):
        number = int(self.value())
        if not 0 < number <= len(_dtypes.all_types):
            raise ValueError("no dtype")
        return str(_dtypes.all_types[number - 1]).removeprefix("quadrants.")

    def matrix_type(self):
        n, m, ndim, dtype = self.list(4)
        return f"vector({n}, {dtype})" if ndim == "1" else f"matrix({n}, {m}, {dtype})"

    def matrix(self):
        return self.list(4)[3]


_SHOWN = {
    b"N": lambda read: "None",
    b"T": lambda read: "True",
    b"F": lambda read: "False",
    b"?": lambda read: "…",
    b"i": lambda read: str(read.numbers("q")),
    b"f": lambda read: repr(read.numbers("d")),
    b"I": _Print.text,
    b"s": lambda read: repr(read.text()),
    b"b": _Print.text,
    b"n": lambda read: f"{read.text()}({read.value()})",
    b"(": _Print.tuple,
    b"[": lambda read: f"[{', '.join(read.list())}]",
    b"{": _Print.dict,
    b"r": _Print.range,
    b"E": _Print.member,
    b"d": _Print.dtype,
    b"V": _Print.matrix_type,
    b"X": _Print.matrix,
}


def value_in(found):
    """Returns the value as text, decoded from its fingerprint; None if the fingerprint does not contain it."""
    read = _Print(found)
    try:
        shown = read.value()
    except (ValueError, struct.error):
        return None
    return shown if read.at == len(found) else None


def _path(reads, number):
    """Returns the location of read `number`, as text."""
    how, parent, index, key, _ = reads[number]
    if how == KERNEL:
        return "the kernel"
    if how == PARAM:
        return f"argument {index + 1}"
    if how == NAME:
        return key
    if how in (ATTRIBUTE, MEMBER):
        owner = "" if how == MEMBER else _path(reads, parent) + "."
        return owner + key
    if how == ITEM:
        return f"{_path(reads, parent)}[{index}]"
    if how == FUNCTION:
        return f"the source of {_path(reads, parent)}"
    if how == ANNOTATION:
        return f"the annotation of {key}"
    if how == DEFAULTS:
        return f"the defaults of {_path(reads, parent).removeprefix('the source of ')}"
    if how == LIBRARY:
        return f"{key} of this package"
    if how == RETURNS:
        return "the type that is returned"
    return _path(reads, parent)


def _lines(key):
    """Returns (file, first line, digests of the lines) of the read of a source."""
    file, first, digits = key.rsplit("\n", 2)
    return file, int(first), [digits[i : i + 4] for i in range(0, len(digits), 4)]


def _moved(before, now):
    """Describes the difference between two texts of a func; only the lines of the second are available."""
    (_, old_first, old), (file, first, new) = _lines(before), _lines(now)
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "delete":
            return f"{i2 - i1} lines are gone before line {first + j1}" if i2 - i1 > 1 else f"a line is gone before line {first + j1}"
        if tag != "equal":
            text = _exceptions._source_line(file, first + j1).strip()
            return f"line {first + j1} is {'new' if tag == 'insert' else 'now'}" + (f": {text}" if text else "")
    return f"it begins at line {first} of {file}, and began at line {old_first} before"


def difference(before, now, anywhere=False):
    """Describes the first difference between two readings of a kernel, or returns None. `anywhere`: ignores the line numbers of the kernel
    and its funcs."""
    for number, (old, new) in enumerate(zip(before, now)):
        if old[0] == new[0] == FUNCTION and old[1] == new[1]:
            if old[4] != new[4] and not (anywhere and _lines(old[3])[2] == _lines(new[3])[2]):
                return f"{_path(now, number)} changed: {_moved(old[3], new[3])}"
            continue
        if old == new or anywhere and old[0] == new[0] == KERNEL:
            continue
        if old[:4] != new[:4]:
            return f"it reads {_path(now, number)}, and read {_path(before, number)} before"
        if new[0] == KERNEL:
            return "the source of the kernel"
        was, is_now = value_in(old[4]), value_in(new[4])
        where = _path(now, number)
        if was is not None and is_now is not None:
            return f"{where} was {was} and is {is_now}"
        return f"{where} has changed"
    if len(before) != len(now):
        longer = max(before, now, key=len)
        return f"{_path(longer, min(len(before), len(now)))} is {'no longer' if longer is before else 'now'} read"
    return None
