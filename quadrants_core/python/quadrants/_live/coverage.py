"""Counts of listings in the form sent to the front end: the Python side of widgets/protocol/coverage.ts."""

from quadrants._live.counts import Kernel, code_lines, outcomes_of
from quadrants._live.kept import lines_of

OUTCOMES = ("taken", "not_taken", "entered", "zero_trips", "broken", "exhausted")


def count_of(entry, number, reading):
    """Returns the count of a line, or None if nothing is counted; 0 also for a kernel that has never been called."""
    count = reading.count(entry.label, number)
    return 0 if count is None and getattr(entry, "waits", False) else count


def _line(listing, entry, number, history):
    return {
        "number": number + entry.shift,
        "count": count_of(entry, number, history.now),
        "newest": history.newest(listing, entry, number),
        "previous": history.previous(listing, entry, number),
        "launched": history.now.launched(entry.label, number),
        "outcomes": _outcomes_in_order(history.now, entry, number),
    }


def _outcomes_in_order(counts, entry, number):
    outcomes = outcomes_of(counts, entry, number)
    return {name: outcomes[name] for name in OUTCOMES if name in outcomes}


def _specialisations(listing, reading):
    """Returns the specialisations that have been launched, of kernels that are still in a listing; equal ones, from programs that have
    ended, are merged."""
    places = [(entry, number) for entry in listing.entries for number in code_lines(entry)]
    found = {}
    for kernel in reading.kernels_at({entry.label for entry in listing.entries}).values():
        if kernel.launched and any(kernel.count(e.label, n) is not None for e, n in places):
            key = kernel.place, kernel.name, kernel.title
            found[key] = Kernel(kernel.name, kernel.title, {}) if key not in found else found[key]
            found[key].add(kernel)
    result, names = [], {}
    for kernel in found.values():
        name = f"{kernel.name.replace('<locals>.', '')}({kernel.title})"
        names[name] = names.get(name, 0) + 1
        lines = [{"number": number + entry.shift, "count": kernel.count(entry.label, number),
                  "copies": [count for _, count in sorted(kernel.copies[entry.label][number].items())],
                  "outcomes": _outcomes_in_order(kernel, entry, number)}
                 for entry, number in places if kernel.count(entry.label, number) is not None]
        lines.sort(key=lambda line: line["number"])
        result.append({"name": name if names[name] == 1 else f"{name}, number {names[name]}", "lines": lines})
    return result


def coverage_of(listings, history):
    """Returns listing -> its Coverage."""
    reading, result = history.now, {}
    for listing in listings:
        lines = [_line(listing, entry, number, history) for entry in listing.entries for number in code_lines(entry)
                 if count_of(entry, number, reading) is not None]
        ran = any(line["count"] for line in lines)
        history.set_most(listing, _busiest(lines))
        result[listing] = {
            "label": listing.label,
            "digest": listing.digest,
            "lines": sorted(lines, key=lambda line: line["number"]) if ran else [],
            "specialisations": _specialisations(listing, reading) if ran else [],
            "kept": lines_of(listing.entries, history.kept),
        }
    return result


def _busiest(lines):
    changes = [abs(line["newest"] - line["previous"]) for line in lines if line["previous"] is not None]
    return {"total": max((line["count"] for line in lines), default=0),
            "newest": max((line["newest"] for line in lines), default=0),
            "difference": max(changes, default=0)}
