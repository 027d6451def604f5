"""Files of a program as listings: those with counted kernels and funcs."""

import linecache
import os
import zlib

from quadrants._coverage import counts as _coverage
from quadrants._live import coverage
from quadrants._live.counts import unfinished_now
from quadrants._live.kept import adstack_now
from quadrants._live.runs import History


class Whole:
    """A file as an entry of a listing: all of its lines."""

    shift = 0

    def __init__(self, label):
        self.label = self.file = self.name = label
        self.first_line, self.last_line = 1, len(linecache.getlines(label))


def _text(file):
    return "".join(linecache.getlines(file))


def digest(text):
    data = text.encode("utf-8", "surrogatepass")
    return f"{zlib.crc32(data):08x}{len(data):08x}"


class Files:
    """Follows the counts of all files. A run consists of the counts since the last call of mark()."""

    def __init__(self):
        self.history = History()
        self.stamp = None
        self.sent = {}  # file -> digest of the text that was sent

    def mark(self):
        """Starts another run."""
        self.take()
        self.history.begin()

    def forget(self):
        """Called after the counts have been cleared."""
        self.stamp = None
        self.history.forget()

    def take(self):
        """Returns the listings that have changed since the last call."""
        stamp = (_coverage._stamp(), unfinished_now())
        if stamp == self.stamp:
            return self.kept()
        self.stamp = stamp  # counts from here on belong to the next call
        changed = self.history.read()
        for label in self.history.now.names():
            if label not in self.history.listings and os.path.isfile(label):
                changed.append(self.history.define(label, label, digest(_text(label)), [Whole(label)]))
        return list(dict.fromkeys(changed + self.kept()))

    def kept(self):
        found = adstack_now() if self.history.listings else {}
        return self.history.keep(found) if found else []

    def message(self, listings, with_texts=False):
        """Returns a ListingsMessage of widgets/protocol/inspector.ts. With the flag, it contains all texts, for a new receiver."""
        if with_texts:
            self.sent.clear()
        coverages = coverage.coverage_of(listings, self.history)
        rows = []
        for listing, row in coverages.items():
            file = listing.known_as
            known = self.sent.get(file) == listing.digest
            self.sent[file] = listing.digest
            named = {"file": file, "label": os.path.basename(file), "digest": listing.digest, "text": None if known else _text(file)}
            rows.append({**named, **{name: row[name] for name in ("lines", "specialisations", "kept")}})
        return {"kind": "listings", "scale": self.history.scale(), "listings": rows}

    def everything(self):
        return list(self.history.listings.values())
