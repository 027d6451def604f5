"""What a kernel read while it was compiled (frontend/reads.h), in words."""

import difflib
import struct

from quadrants import _exceptions

# How a read was made: the order of quadrants_core/frontend/read.h.
(KERNEL, PARAM, NAME, ATTRIBUTE, ITEM, SELF, METHOD, FUNCTION, ANNOTATION, DEFAULTS, LIBRARY, RETURNS, MEMBER, VALUE) = range(14)


def value_in(found):
    """What was there, as text, from its print (frontend/prints.cpp); None if the print does not show it."""
    tag, rest = found[:1], found[1:]
    if tag in (b"N", b"T", b"F"):
        return {b"N": "None", b"T": "True", b"F": "False"}[tag]
    if tag == b"i":
        return str(struct.unpack("=q", rest)[0])
    if tag == b"f":
        return repr(struct.unpack("=d", rest)[0])
    if tag in (b"I", b"s"):
        text = rest[8:].decode("utf-8", "replace")
        return repr(text) if tag == b"s" else text
    if tag == b"n":
        size = struct.unpack("=Q", rest[:8])[0]
        return f"{rest[8 : 8 + size].decode()}({value_in(rest[8 + size :])})"
    return None


def _path(reads, number):
    """Where read `number` found what it found."""
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
    """(file, first line, what tells its lines from others) of a read of a source."""
    file, first, digits = key.rsplit("\n", 2)
    return file, int(first), [digits[i : i + 4] for i in range(0, len(digits), 4)]


def _moved(before, now):
    """What differs between two texts of a func, of which the lines of the second can be read."""
    (_, old_first, old), (file, first, new) = _lines(before), _lines(now)
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "delete":
            return f"{i2 - i1} lines are gone before line {first + j1}" if i2 - i1 > 1 else f"a line is gone before line {first + j1}"
        if tag != "equal":
            text = _exceptions._source_line(file, first + j1).strip()
            return f"line {first + j1} is {'new' if tag == 'insert' else 'now'}" + (f": {text}" if text else "")
    return f"it begins at line {first} of {file}, before at line {old_first}"


def difference(before, now, anywhere=False):
    """The first thing that two readings of one kernel found different, in words; None if there is none. `anywhere`: but for the lines
    at which it and its funcs stand."""
    for number, (old, new) in enumerate(zip(before, now)):
        if old[0] == new[0] == FUNCTION and old[1] == new[1]:
            if old[4] != new[4] and not (anywhere and _lines(old[3])[2] == _lines(new[3])[2]):
                return f"{_path(now, number)} changed: {_moved(old[3], new[3])}"
            continue
        if old == new or anywhere and old[0] == new[0] == KERNEL:
            continue
        if old[:4] != new[:4]:
            return f"it reads {_path(now, number)} where it read {_path(before, number)}"
        if new[0] == KERNEL:
            return "the source of the kernel"
        was, is_now = value_in(old[4]), value_in(new[4])
        where = _path(now, number)
        if was is not None and is_now is not None:
            return f"{where} was {was} and is {is_now}"
        return f"{where} is not what it was"
    if len(before) != len(now):
        longer = max(before, now, key=len)
        return f"{_path(longer, min(len(before), len(now)))} is read {'no more' if longer is before else 'now'}"
    return None
