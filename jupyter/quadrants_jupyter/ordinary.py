"""Kernels and funcs of cells without %%qd_kernel. Such a cell is plain Python; its kernels get counters when they are defined, unless
`%qd_coverage --off` or QD_KERNEL_COVERAGE=0 disables it, and they and their funcs are registered here once they have been compiled."""

import contextlib
import gc
import itertools
import os
import types

from quadrants import _environment, _exceptions, _runtime, _settings, _source
from quadrants._language import kernel as _kernel

MANY = 512  # number of cells after which those without a living function are forgotten
LATEST = 64  # latest cells that are never forgotten: a cell that runs others may define functions after them


def runs_as_python():
    """Returns True if kernels are not compiled, so that nothing is counted."""
    return _settings.of_python is not None


def blank_lines(text):
    """Returns the number of blank lines before the first statement. IPython drops them, unless a debugger is connected."""
    return sum(1 for _ in itertools.takewhile(lambda line: not line.strip(), text.splitlines()))


class Place:
    """A cell that was run; IPython compiled it as `code`."""

    def __init__(self, file, cell_id, number, text, code):
        self.file, self.cell_id, self.number, self.text = file, cell_id, number, text
        self.entries = []
        # Texts of earlier cells with that file name.
        self.before = dict(_source.in_use.files.get(file, {})) if _source.in_use is not None else {}
        self.shift = blank_lines(text) - blank_lines(code)


    def known(self, entry):
        """Returns the entry that represents this kernel or func: a definition that is executed many times makes many, with equal lines."""
        extent = entry.first_line, entry.last_line
        same = next((one for one in self.entries if (one.first_line, one.last_line) == extent), None)
        if same is None:
            self.entries.append(entry)
            self.entries.sort(key=lambda one: one.first_line)
        return same or entry


class Compiled:
    """A kernel or func defined in such a cell. Its lines are those of the code; the editor shows `shift` more lines before them."""

    def __init__(self, text, place, waits=False):
        self.waits = waits  # a kernel with coverage that has not been compiled, so it did not run
        tree, self.label, before, self.name, _, _ = text.tree()
        self.file, self.shift, self.cell = text.file, place.shift, place.number
        self.first_line, self.last_line = text.start + 1, before - 1 + tree.end_line

    def counted(self, reading):
        return any(self.first_line <= abs(line) <= self.last_line for line in reading.of(self.label).lines)


class Cells:
    def __init__(self):
        self.places = {}  # file name of a cell's code -> Place
        self.entries = {}  # name -> newest Compiled
        self.defined = {}  # file -> counted kernels that the cell defined; read when it ends
        self.standing = set()  # keys of texts of kernels that were defined but not called
        self.newest = None  # the Place whose kernels were compiled last
        self.magic = set()  # files of %%qd_kernel cells, which track their own kernels
        self.most = MANY
        self.on = _environment.given("kernel_coverage") is not False

    def follow(self, first):
        """Counts kernels as ordinary cells define them; `first` is called before the first one."""

        def counts_definition(fn):
            nonlocal first
            file = fn.__code__.co_filename
            if file not in self.places or file in self.magic or not self.counts():
                return None
            if first is not None:
                first()
                first = None
            self.defined.setdefault(file, []).append(fn)
            return self.on or None

        _kernel.counts_definition = counts_definition

    def leave(self):
        _kernel.counts_definition = None

    def counts(self):
        """Returns True if kernels that ordinary cells define are counted."""
        return self.on or _runtime.folder_of_coverage is not None

    def ran(self, compiler, cell_id, number, cell, code):
        """To be called when a cell is about to run, which IPython compiles as `code`."""
        file = compiler.get_code_name(cell, code, number)
        if len(self.places) >= self.most:
            self.forget()
        self.places.pop(file, None)  # reinserted below, as the last
        self.magic.discard(file)  # file names may depend on the text: an earlier cell had the same
        for key in [key for key, text in list(self.new_texts().items()) if text.file == file]:
            del self.new_texts()[key]
        self.places[file] = Place(file, cell_id, number, cell, code)
        _source.set_display_name(file, f"cell {number}")
        return self.places[file]

    def forget(self):
        """Forgets cells, except those with living functions, which may yet be compiled; the latest, which may still run; and the one shown
        last."""
        files = {f.__code__.co_filename for f in gc.get_objects() if type(f) is types.FunctionType}
        files.update(list(self.places)[-LATEST:])
        if self.newest is not None:
            files.add(self.newest.file)
        self.places = {file: place for file, place in self.places.items() if file in files}
        self.magic &= files
        self.most = max(MANY, 2 * len(self.places))

    def waiting(self):
        """Returns the texts of functions of cells that were compiled since the last call."""
        if not self.counts():
            return []
        new_texts = self.new_texts()
        for key in [key for key, text in list(new_texts.items()) if text.file not in self.places or text.file in self.magic]:
            del new_texts[key]
        return list(new_texts.items())

    @staticmethod
    def new_texts():
        return _source.in_use.new_texts if _source.in_use is not None else {}

    def settle(self):
        """To be called when a cell has ended: registers kernels that it defined and did not call."""
        defined, self.defined = self.defined, {}
        if runs_as_python():
            return
        for fn in itertools.chain(*defined.values()):
            key = fn.__code__.co_filename, fn.__code__.co_firstlineno - 1
            place = self.places.get(key[0])
            if _source.in_use is None or place is None or _source.in_use.get(key) is not place.before.get(key):
                continue  # it was called in that cell
            with contextlib.suppress(_exceptions.QuadrantsSyntaxError):
                _source.Source(fn, is_new=False).lines()
                self.standing.add(key)

    def find(self, waiting, reading):
        """Returns places with new counts."""
        found = {}
        for key, text in waiting:
            place = self.places[text.file]
            try:
                entry = Compiled(text, place, key in self.standing)
            except _exceptions.QuadrantsSyntaxError:  # text that is not a kernel was never compiled
                self.new_texts().pop(key, None)
                continue
            if entry.waits or entry.counted(reading):
                self.new_texts().pop(key, None)
                self.entries[entry.name] = place.known(entry)
                found[place] = True
        if found:
            self.newest = max(found, key=lambda place: place.number)
        return list(found)


cells = Cells()
