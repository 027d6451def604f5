"""Which part of the counts is of the newest run of a listing's kernels, and which of the run before: a run is an execution during
which a count of the listing's kernels grew. In a notebook an execution is that of a cell or of a callback, or the time between two of
them, when threads and tasks may launch; in a program it is the time since somebody set a mark. What is counted by kernels whose cell
has other ones by now is left out."""

import collections

from quadrants._live.counts import nothing
from quadrants._live.kept import lines_of

quantities = ("total", "newest", "difference")


class Run:
    """Counts at the start and at the end of one execution."""

    def __init__(self, execution, start):
        self.execution, self.start, self.end = execution, start, start

    def gained(self, name, line):
        return max(0, (self.end.count(name, line) or 0) - (self.start.count(name, line) or 0))


class Listing:
    """A cell or a file with kernels or funcs. `known_as`: the front end's id of a cell, None where it has none; the path of a file."""

    def __init__(self, known_as):
        self.known_as, self.label, self.digest = known_as, "", ""
        self.entries = []  # what stands in it; what a later cell defines again stands there
        self.runs = collections.deque(maxlen=2)  # the run before, the newest run
        self.most = dict.fromkeys(quantities, 0)  # of its busiest lines

    def changes(self, before, now):
        """By how much each line's count changed. `before`, `now`: Reading.lines"""
        for entry in self.entries:
            older, newer = before.get(entry.label, {}), now.get(entry.label, {})
            for line in {**older, **newer}:
                if entry.first_line <= line <= entry.last_line:
                    yield newer.get(line, 0) - older.get(line, 0)

    def judged(self, before, now):
        """Whether other lines than before say never where they have no count. `before`, `now`: Reading.launched"""
        return any(entry.first_line <= line <= entry.last_line
                   for entry in self.entries for line in before.get(entry.label, set()) ^ now.get(entry.label, set()))

    def newest(self, entry, line):
        return self.runs[-1].gained(entry.label, line) if self.runs else 0

    def previous(self, entry, line):
        """None where the kernel or func did not exist yet, too."""
        if len(self.runs) < 2 or self.runs[0].execution < entry.since:
            return None
        return self.runs[0].gained(entry.label, line)


class History:
    def __init__(self):
        self.listings = {}  # what it is known as, else its label -> Listing
        self.labels = set()  # of all listings so far
        self.replaced = set()  # places of kernels that are left out
        self.execution = 0
        self.start = self.now = nothing
        self.kept = {}  # as kept.kept_now() gives it

    def begin(self):
        """Another execution starts."""
        self.execution += 1
        self.start = self.now

    def define(self, known_as, label, digest, entries):
        """These stand in the listing now."""
        listing = self.listings.setdefault(known_as or label, Listing(known_as))
        listing.label, listing.digest = label, digest
        self.labels.add(label)
        for other in self.listings.values():
            other.entries = [e for e in other.entries if e not in entries]
        listing.entries = list(entries)
        for entry in entries:
            if not hasattr(entry, "since"):
                entry.since = self.execution
        self.listings = {key: one for key, one in self.listings.items() if one.entries or one is listing}
        return listing

    def read(self, reading):
        """Takes what was counted by now, in the execution that goes on; gives the listings whose counts changed, or what they say of lines
        without."""
        changed = self.leave_out_replaced(reading)
        before, self.now = self.now, reading
        grown = [c for c in self.listings.values() if any(change > 0 for change in c.changes(before.lines, self.now.lines))]
        for listing in grown:
            if not listing.runs or listing.runs[-1].execution != self.execution:
                listing.runs.append(Run(self.execution, self.start))
            listing.runs[-1].end = self.now
        return changed + [c for c in self.listings.values() if c in grown or c.judged(before.launched, self.now.launched)]

    def leave_out_replaced(self, reading=None):
        """Gives the listings whose counts changed: those of funcs that replaced kernels called."""
        kernels = (reading or self.now).kernels
        replaced = {k.place for k in kernels if k.place and k.place[0] in self.labels and not self.stands(*k.place)}
        if reading is not None:
            reading.leave_out(replaced)
        if replaced == self.replaced:
            return []
        self.replaced, before = replaced, self.now.lines
        runs = [reading for listing in self.listings.values() for run in listing.runs for reading in (run.start, run.end)]
        for reading in {id(r): r for r in (self.start, self.now, *runs) if r is not nothing}.values():
            reading.leave_out(replaced)
        return [listing for listing in self.listings.values() if any(listing.changes(before, self.now.lines))]

    def stands(self, label, line):
        """A kernel or func of a listing still stands there."""
        return any(entry.label == label and entry.first_line <= line <= entry.last_line
                   for listing in self.listings.values() for entry in listing.entries)

    def forget(self):
        """All counts are zero."""
        self.start = self.now = nothing
        for listing in self.listings.values():
            listing.runs.clear()

    def begin_anew(self, entries, reading):
        """The counts of these are zero, as `reading` has it. Gives the listings whose counts changed: funcs lost what these counted there."""
        reading.leave_out(self.replaced)
        before = self.now.lines
        self.start = self.now = reading
        own = [listing for listing in self.listings.values() if any(entry in entries for entry in listing.entries)]
        for listing in own:
            listing.runs.clear()
        return [listing for listing in self.listings.values() if listing in own or any(listing.changes(before, reading.lines))]

    def keep(self, kept):
        """Takes what gradients keep by now; gives the listings of which that changed. What a kernel kept stays until it keeps anew."""
        standing = {entry.label for listing in self.listings.values() for entry in listing.entries}
        before = self.kept
        self.kept = {place: lines for place, lines in {**before, **kept}.items() if place[1] in standing}
        return [listing for listing in self.listings.values() if lines_of(listing.entries, before) != lines_of(listing.entries, self.kept)]

    def listing_of(self, entry):
        return next((listing for listing in self.listings.values() if entry in listing.entries), None)

    def scale(self):
        """Count of the busiest line of all listings, for each quantity."""
        return {name: max((listing.most[name] for listing in self.listings.values()), default=0) for name in quantities}
