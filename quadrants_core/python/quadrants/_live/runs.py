"""Attributes the counts to the latest and the previous run of a listing's kernels. A run is an execution during which a count of the
listing's kernels increased. In a notebook, an execution is that of a cell or of a callback, or the time between two of them, when threads
and tasks may launch; in a program, it is the time since the last mark. Counts of kernels whose cell has been redefined are left out. The
cost of a reading depends on the changes since the previous one, not on the number of listings."""

import collections

from quadrants._live.counts import Reading, clear_at
from quadrants._live.kept import lines_of

quantities = ("total", "newest", "difference")
UNNAMED = 32  # maximum number of listings without a front end's name that are followed: the newest


class Run:
    """The counts of each kernel in one execution."""

    def __init__(self, execution):
        self.execution = execution
        self.gains = {}  # name of a cell or file -> {line: {key of the kernel: count}}; lines as in Sums.lines

    def add(self, key, name, changes):
        for line, change in changes.items():
            here = self.gains.setdefault(name, {}).setdefault(line, {})
            here[key] = here.get(key, 0) + change

    def drop(self, key, name, line):
        for at in (line, -line):
            self.gains.get(name, {}).get(at, {}).pop(key, None)

    def gained(self, name, line, left_out):
        lines = self.gains.get(name, {})
        return max(0, *(sum(count for key, count in lines.get(at, {}).items() if key not in left_out) for at in (line, -line)))


class Listing:
    """A cell or a file with kernels or funcs. `known_as`: the front end's id of a cell, or None if it has none; the path of a file."""

    def __init__(self, known_as):
        self.known_as, self.label, self.digest = known_as, "", ""
        self.entries = []  # its kernels and funcs, except those that a later cell has redefined
        self.runs = collections.deque(maxlen=2)  # the previous run, the latest run
        self.most = dict.fromkeys(quantities, 0)  # counts of its busiest lines

    def holds(self, label, line):
        return any(entry.label == label and entry.first_line <= line <= entry.last_line for entry in self.entries)


class History:
    def __init__(self):
        self.listings = {}  # known_as, or else label -> Listing
        self.standing = {}  # label -> {listing: True} for the listings with entries there
        self.owners = {}  # entry -> its listing
        self.unnamed = {}  # label -> listing without another name, oldest first
        self.labels = set()  # of all listings that are followed, or whose kernels are now in another one
        self.placed = {}  # label -> {key: True} for the kernels whose first statement is there
        self.moved = {}  # labels whose lines may have changed
        self.now = Reading()
        self.empty = None  # the listing defined last, if it has no entries yet
        self.run = Run(0)  # the current execution
        self.most = dict.fromkeys(quantities, 0)
        self.kept = {}  # the result of kept.adstack_now()

    @property
    def execution(self):
        return self.run.execution

    def begin(self):
        """Starts another execution."""
        self.run = Run(self.execution + 1)

    def define(self, known_as, label, digest, entries):
        """Defines the entries of a listing."""
        key = known_as or label
        listing = self.listings.get(key)
        if listing is None:
            listing = self.listings[key] = Listing(known_as)
        listing.label, listing.digest = label, digest
        self.labels.add(label)
        if self.empty is not None and self.empty is not listing:
            self.remove(self.empty)
        self.empty = None if entries else listing
        for entry in entries:
            other = self.owners.get(entry)
            if other is not None and other is not listing:
                self.set_entries(other, [one for one in other.entries if one is not entry])
                if not other.entries:
                    self.remove(other)
            if not hasattr(entry, "since"):
                entry.since = self.execution
        self.set_entries(listing, entries)
        if any(change > 0 for name, lines in self.run.gains.items() for line, of in lines.items() if listing.holds(name, abs(line))
               for change in of.values()):
            self.join(listing)
        if known_as is None:
            self.unnamed.pop(key, None)
            self.unnamed[key] = listing
            while len(self.unnamed) > UNNAMED:
                self.drop(next(iter(self.unnamed.values())))
        return listing

    def set_entries(self, listing, entries):
        for entry in listing.entries:
            self.owners.pop(entry, None)
        for label in {entry.label for entry in listing.entries}:
            self.standing.get(label, {}).pop(listing, None)
            self.moved[label] = True
        listing.entries = list(entries)
        for entry in entries:
            self.owners[entry] = listing
            self.standing.setdefault(entry.label, {})[listing] = True
            self.moved[entry.label] = True
        self.moved[listing.label] = True

    def join(self, listing):
        """Makes the current execution the latest run of the listing."""
        if not listing.runs or listing.runs[-1] is not self.run:
            listing.runs.append(self.run)

    def remove(self, listing):
        self.set_entries(listing, [])
        self.set_most(listing, dict.fromkeys(quantities, 0))
        key = listing.known_as or listing.label
        if self.listings.get(key) is listing:
            del self.listings[key]
            self.unnamed.pop(key, None)

    def drop(self, listing):
        """Drops an old cell that no front end knows: its counts remain, but are no longer attributed to runs."""
        labels = {listing.label, *(entry.label for entry in listing.entries)}
        self.remove(listing)
        self.labels -= {label for label in labels if not self.standing.get(label)}

    def read(self):
        """Attributes the counts since the last reading to the current execution; returns the listings whose counts, or whose information on
        lines without counts, have changed."""
        return list(dict.fromkeys([*self.look(), *self.leave_out_replaced()]))

    def look(self, counts=True):
        """Updates the counts. `counts`: whether the changes belong to the current execution."""
        found = {}
        for key, (before, now) in self.now.counted.look().items():
            self.find_place(key, before, now)
            left_out = key in self.now.left_out
            if not left_out:
                self.now.add(before, -1)
                self.now.add(now, 1)
            for name in {*(before.names() if before else ()), *(now.names() if now else ())}:
                older, newer = before.sums(name) if before else {}, now.sums(name) if now else {}
                changes = {line: newer.get(line, 0) - older.get(line, 0) for line in {**older, **newer}}
                changes = {line: change for line, change in changes.items() if change}
                if counts:
                    self.run.add(key, name, changes)
                if left_out:
                    continue
                grown = [abs(line) for line, change in changes.items() if change > 0]
                judged = [line for line in {**older, **newer} if line > 0 and
                          bool(before and before.is_sure(name, line)) != bool(now and now.is_sure(name, line))]
                for listing in self.standing.get(name, ()):
                    grew = counts and any(listing.holds(name, line) for line in grown)
                    if grew:
                        self.join(listing)
                    if grew or any(listing.holds(name, line) for line in [*judged, *map(abs, changes)]):
                        found[listing] = True
        return list(found)

    def find_place(self, key, before, now):
        for kernel in (before, now):
            if kernel is not None and kernel.place is not None:
                self.placed.setdefault(kernel.place[0], {})[key] = True
        place = now.place if now is not None else None
        if place is not None and key not in self.now.left_out and place[0] in self.labels and not self.stands(*place):
            self.now.add(before, -1)
            self.now.left_out.add(key)

    def leave_out_replaced(self):
        """Leaves out kernels that have been redefined; returns the listings whose counts changed, including those of funcs that they
        called."""
        found = {}
        for label in self.moved:
            for key in list(self.placed.get(label, ())):
                kernel = self.now.counted.kernels.get(key)
                if kernel is None or kernel.place is None:
                    continue
                kernel = self.now.leave_out(key, kernel.place[0] in self.labels and not self.stands(*kernel.place))
                for name in kernel.names() if kernel is not None else ():
                    lines = [abs(line) for line, count in kernel.sums(name).items() if count]
                    found.update({one: True for one in self.standing.get(name, ()) if any(one.holds(name, line) for line in lines)})
        self.moved.clear()
        return list(found)

    def stands(self, label, line):
        """Returns whether a kernel or func of a listing is still there."""
        return any(listing.holds(label, line) for listing in self.standing.get(label, ()))

    def forget(self):
        """Called after all counts have been cleared."""
        self.look(counts=False)
        self.run = Run(self.execution)
        for listing in self.listings.values():
            listing.runs.clear()

    def clear(self, entries):
        """Resets the counts of these entries; returns the listings whose counts changed, including those of funcs that they called."""
        for key, rows in clear_at(entries, self.now.counted).items():
            for _, file, _, line, *_ in rows:
                self.run.drop(key, file, line)
        changed = self.look(counts=False)
        own = {self.owners[entry]: True for entry in entries if entry in self.owners}
        for listing in own:
            listing.runs.clear()
        return list({**own, **dict.fromkeys(changed)})

    def newest(self, listing, entry, line):
        return listing.runs[-1].gained(entry.label, line, self.now.left_out) if listing.runs else 0

    def previous(self, listing, entry, line):
        """Returns the count in the previous run; None also if the kernel or func did not exist then."""
        if len(listing.runs) < 2 or listing.runs[0].execution < entry.since:
            return None
        return listing.runs[0].gained(entry.label, line, self.now.left_out)

    def keep(self, kept):
        """Updates the adstack memory of gradients; returns the listings for which it changed. The figures of a kernel remain until it
        reports new ones."""
        standing = {entry.label for listing in self.listings.values() for entry in listing.entries}
        before = self.kept
        self.kept = {place: lines for place, lines in {**before, **kept}.items() if place[1] in standing}
        return [listing for listing in self.listings.values() if lines_of(listing.entries, before) != lines_of(listing.entries, self.kept)]

    def listing_of(self, entry):
        return self.owners.get(entry)

    def set_most(self, listing, most):
        """Updates the counts of the listing's busiest lines."""
        before, listing.most = listing.most, most
        for name in quantities:
            if most[name] >= self.most[name]:
                self.most[name] = most[name]
            elif before[name] == self.most[name]:
                self.most[name] = max((one.most[name] for one in self.listings.values()), default=0)

    def scale(self):
        """Returns the count of the busiest line of all listings, for each quantity."""
        return dict(self.most)
