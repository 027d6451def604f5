"""Explains why a kernel was or was not found in the cache."""

import difflib
import weakref

from quadrants import _native
from quadrants._cache import reads as _reads


class Specialisation:
    """The origin of one specialisation of a kernel.

    Args:
        number: its index among those of the kernel.
        arguments: the argument types, as text.
        outcome: the outcome, see the attribute.
        layer: the layer where the search ended.
        reasons: the differences from earlier cache entries.
        key: the key of its code, as text.

    Attributes:
        number: its index among those of the kernel.
        arguments: the argument types, as text.
        outcome: "loaded" (neither parsed nor compiled), "found" (parsed, its code was in the cache), "compiled", or "not kept" (nothing is
            cached on disk).
        layer: the layer where the search ended: "entry", "code" or "".
        reasons: the differences from earlier cache entries, a list of texts.
        key: the key of its code, as text.

    Example:
        See `qd.cache.why`.
    """

    def __init__(self, number, arguments, outcome, layer, reasons, key):
        self.number, self.arguments, self.outcome, self.layer = number, arguments, outcome, layer
        self.reasons, self.key = reasons, key

    def __str__(self):
        told = {
            "loaded": "loaded from disk: neither parsed nor compiled",
            "found": "parsed again; its code was found, so nothing was compiled",
            "compiled": "compiled",
            "not kept": "compiled; nothing is kept on disk",
        }[self.outcome]
        lines = [f"({self.arguments}): {told}"]
        lines += [f"    {reason}" for reason in self.reasons]
        if self.key:
            lines.append(f"    code: T{self.key[:12]}…qdc")
        return "\n".join(lines)


class Why:
    """The result of `qd.cache.why`. Prints as text.

    Args:
        kernel: the name of the kernel.
        specialisations: a list of `qd.cache.Specialisation`.
        remarks: notes about the kernel as a whole.

    Attributes:
        kernel: the name of the kernel.
        specialisations: one `qd.cache.Specialisation` for each, in the order in which they were made.
        remarks: notes about the kernel as a whole.

    Example:
        See `qd.cache.why`.
    """

    def __init__(self, kernel, specialisations, remarks):
        self.kernel, self.specialisations, self.remarks = kernel, specialisations, remarks

    def __repr__(self):
        return "\n".join([f"{self.kernel}:", *self.remarks, *(f"  {one}" for one in self.specialisations)])


def _changed_line(before, now, first):
    """Returns the first line in which two texts differ, from the second text."""
    old, new = before.splitlines(), now.splitlines()
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        was, is_now = (" ⏎ ".join(part.strip() for part in lines) for lines in (old[i1:i2], new[j1:j2]))
        if tag == "insert":
            return f"line {first + j1} is new: {is_now}"
        if tag == "delete":
            return f"line {first + j1}: {was}  is gone"
        return f"line {first + j1} was: {was}  and is: {is_now}"
    return None


def _options(before, now):
    names = (name for name in now if before.get(name) != now[name])
    return [f"option {name} was {before.get(name, 'unknown')} and is {now[name]}" for name in names]


def _parameters(before, now):
    if [p[0] for p in before] != [p[0] for p in now]:
        return ["the kernel has other parameters"]
    found = []
    for (name, was, old, old_exact), (_, is_now, new, new_exact) in zip(before, now):
        if was != is_now:
            found.append(f"type of {name}: was {was}, is {is_now}")
        elif old != new:
            found.append(f"value of {name}: was {old}, is {new}")
        elif old_exact != new_exact:
            found.append(f"{name}: the same type, but passed in a different way")
    return found


def _differences(before, now):
    """Describes the differences between the names of two cache entries."""
    found = []
    if before["compiler"] != now["compiler"]:
        found.append("the build of Quadrants has changed")
    if before["python"] != now["python"]:
        found.append("the version of Python has changed")
    line = _changed_line(before["text"], now["text"], now["line"])
    if line:
        found.append(line)
    elif before["line"] != now["line"]:
        found.append(f"the kernel begins at line {now['line']}, and began at line {before['line']} before")
    found += _options(before["options"], now["options"])
    if before["code_options"] != now["code_options"]:
        found.append("an option of the compiler has changed, such as opt_level, random_seed or cpu_max_num_threads")
    found += _parameters(before["parameters"], now["parameters"])
    if before["closure"] != now["closure"]:
        found += [f"captured: was {a}, is {b}" for a, b in zip(before["closure"], now["closure"]) if a != b] or ["it captures more variables"]
    return found


def _candidates(own, files):
    """Returns the cache entries of the kernel that existed when this one was written, most similar first."""
    same = [f for f in files if f["entry"] and not f["problem"]]
    ours = [f for f in same if f["entry"]["name"] == own["name"]]
    written = max((f["changed"] for f in ours if f["used"]), default=float("inf"))
    place = own["name"]["file"], own["name"]["name"]
    others = []
    for file in same:
        name = file["entry"]["name"]
        if (name["file"], name["name"]) != place or file["used"] and file in ours or file["changed"] > written:
            continue
        differences = _differences(name, own["name"])
        if not differences or name["line"] != own["name"]["line"]:
            found = _reads.difference(file["entry"]["entries"][0], own["entries"][0], anywhere=True)
            differences[:0] = [found] if found else []
        others.append((len(differences), -file["changed"], differences or ["it was compiled for another processor or build"]))
    return sorted(others, key=lambda other: other[:2])


def _reasons(provenance, own, files):
    if provenance["matched"]:
        return ["nothing that it reads has changed, but its code on disk was missing or damaged"]
    if own is None and not provenance["kept"]:
        return ["it reads an object whose changes cannot be detected, so it is parsed in every process"]
    if own is None:
        return []
    entries = own["entries"] if provenance["kept"] else []
    if len(entries) > 1:
        difference = _reads.difference(entries[1], entries[0])
        if difference:
            return [difference]
    if not provenance["kept"]:
        return ["it reads an object whose changes cannot be detected, so it is parsed in every process"]
    others = _candidates(own, files)
    return others[0][2] if others else ["this kernel was not in the cache"]


def _specialisation(number, params, provenance, records, files):
    arguments = ", ".join(f"{p[1]}: {_shown(p)}" for p in params if "." not in p[1])
    own = records.get(number)
    key = provenance["key"]
    if provenance["recalled"]:
        return Specialisation(number, arguments, "loaded", "entry", [], key)
    if not provenance["keyed"]:
        outcome = "found" if provenance["cached"] else "not kept"
        return Specialisation(number, arguments, outcome, "code" if provenance["cached"] else "", [], key)
    outcome, layer = ("found", "code") if provenance["cached"] else ("compiled", "")
    return Specialisation(number, arguments, outcome, layer, _reasons(provenance, own, files), key)


def _shown(param):
    _, _, kind, scalar, ndim, rows, cols, element_dim, _, _, _, _, value = param
    from quadrants import _dtypes

    dtype = str(_dtypes.all_types[scalar - 1]).removeprefix("quadrants.") if scalar else ""
    if kind == "constant":
        if isinstance(value, weakref.ref):
            value = value()
            if value is None:
                return "an object that is gone"
        return repr(value) if isinstance(value, (bool, int, float, str, type(None))) else type(value).__name__
    element = f"{rows}x{cols} {dtype}" if element_dim else dtype
    return f"{kind} {element}, {ndim} {'index' if ndim == 1 else 'indices'}" if kind == "array" else element or kind


def why(kernel, runs_as_python):
    primal = getattr(kernel, "_primal", None)
    found = primal.kernel() if primal is not None else None
    if found is None or not hasattr(found, "_records"):
        raise TypeError(f"qd.cache.why: {kernel!r} is not a kernel; pass a function decorated with @qd.kernel")
    if runs_as_python:
        return Why(primal.name, [], ["  runs as Python on arch=qd.python: nothing is compiled, and nothing is kept"])
    plans = found._plans()
    if not plans:
        return Why(primal.name, [], ["  not called yet in this program"])
    files = _native.core().kept_files(True)
    records = dict(found._records())
    made = [_specialisation(number, params, provenance, records, files) for number, params, provenance in plans]
    return Why(primal.name, made, [])
