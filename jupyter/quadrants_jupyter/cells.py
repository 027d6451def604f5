"""Runs a `%%qd_kernel` cell statement by statement, so that an unchanged kernel, func or class keeps its identity, and therefore its
compiled code, before the statements below it run."""

import ast
import inspect
import linecache
import os
import weakref

from IPython.core.displayhook import DisplayHook

from quadrants import _source
from quadrants._live.adstack import shown_name
from quadrants_jupyter import fingerprint, live, looks, ordinary, stale

_package = os.path.dirname(__file__) + os.sep
_definitions = (ast.FunctionDef, ast.ClassDef)


class Entry:
    """One kernel or func defined in a cell."""

    shift = 0  # number of lines in the editor before line 1 of the code

    def __init__(self, name, value, cell, file):
        self.name, self.cell, self.file = name, cell, file
        self.value = weakref.ref(value)
        self.fn = value.fn
        self.source = getattr(value, "_primal", value)._qd_source_
        self.is_kernel = fingerprint.kind(value) == "kernel"
        self.mark = fingerprint.of_function(value.fn)
        self.first_line = value.fn.__code__.co_firstlineno
        self.last_line = self.first_line
        self.reports = []

    @property
    def waits(self):
        """True for a kernel with coverage that has not been compiled yet."""
        kernel = self.value() if self.is_kernel else None
        return kernel is not None and bool(kernel._primal.coverage) and not kernel._specialisations()

    @property
    def label(self):
        """The cell that its lines are counted for, which is an older cell for a kernel that was kept."""
        return self.source.shown


class Registry:
    """All kernels and funcs of all cells of this session, and the names that the last cell defined."""

    def __init__(self):
        self.entries = {}  # name -> Entry of the newest definition
        self.last_cell = []  # names, in the order of the cell
        self.last_number = 0
        self.copies = []  # (file, older file, first and last line): a definition that was replaced by an equal older one
        self.uncounted = []  # (file, first and last line): a definition in a cell with --no-coverage

    def alive(self):
        return [e for e in self.entries.values() if e.value() is not None]

    def of_last_cell(self):
        return [self.entries[n] for n in dict.fromkeys(self.last_cell) if n in self.entries and self.entries[n].value() is not None]

    def find_counted(self, names):
        """Returns entries by name, including those of ordinary cells."""
        newest = ordinary.cells.newest
        if not names:
            return newest.entries if newest is not None and newest.number > self.last_number else self.of_last_cell()
        return self.pick(names, self.counted(), "of a cell has been counted")

    def counted(self):
        """Returns {name: newest definition} over all cells."""
        known = dict(self.entries)
        for name, entry in ordinary.cells.entries.items():
            if name not in known or known[name].cell < entry.cell:
                known[name] = entry
        return known

    @staticmethod
    def pick(names, known, what):
        shown = {shown_name(name): entry for name, entry in known.items()}
        for name in map(shown_name, names):
            if name not in shown:
                listed = ", ".join(sorted(shown)) or "none yet"
                raise LookupError(f"no kernel or func named {name!r} {what}; known: {listed}{looks.meant(name, shown)}")
        return [shown[shown_name(name)] for name in names]


registry = Registry()


class Outcome:
    def __init__(self):
        self.defined, self.kept, self.stale, self.replaced = [], [], [], {}
        self.result = self.error = None

    def value(self):
        """Returns the value of the last expression. An error is raised here, outside the coroutine, because a coroutine cannot raise
        StopIteration."""
        if self.error is not None:
            raise self.error
        return self.result


failed = (None, None)  # the most recent error of a cell, and the traceback from the cell on


def calls_of(error):
    """Returns (True if the error comes from a %%qd_kernel cell, the traceback from the cell on); the traceback is None for an error in the
    text of the cell."""
    return (True, failed[1]) if error is failed[0] else (False, None)


def _note(error):
    global failed
    tb, own = error.__traceback__, (Runner.run.__code__, Runner.evaluated.__code__)
    calls = tb and tb.tb_next
    while calls is not None and calls.tb_frame.f_code in own:
        calls = calls.tb_next
    in_cell = calls is not None and not calls.tb_frame.f_code.co_filename.startswith(_package)
    if in_cell or type(error) in (SyntaxError, IndentationError, TabError):
        failed = (error, calls if in_cell else None)


def _members(name, value):
    """Yields (qualified name, kernel or func) of a top-level definition."""
    if fingerprint.kind(value) in ("kernel", "func"):
        yield name, value
    elif isinstance(value, type):
        for member, inner in vars(value).items():
            if fingerprint.kind(inner) in ("kernel", "func"):
                yield f"{name}.{member}", inner


def _mark(value):
    if isinstance(value, type):
        return fingerprint.of_class(value)
    return fingerprint.of_function(value.fn)


class Runner:
    def __init__(self, shell, text, coverage):
        self.shell, self.coverage = shell, coverage
        self.number = shell.displayhook.prompt_count
        # Line 1 of the cell is the magic itself, and IPython drops blank lines after it: line numbers are those shown in the editor.
        code = shell.transform_cell(text)
        self.text = "\n" * (1 + ordinary.blank_lines(text) - ordinary.blank_lines(code)) + code
        self.outcome = Outcome()
        self.cell_id, shown = live.executions.current()
        # Debuggers identify a cell by its whole text.
        whole = shown if shown is not None and shown.startswith("%%qd_kernel") else text
        self.file = shell.compile.cache(self.text, self.number, raw_code=whole)
        linecache.cache[self.file] = (len(self.text), None, self.text.splitlines(True), self.file)
        _source.set_display_name(self.file, f"cell {self.number}")
        ordinary.cells.magic.add(self.file)
        self.digest = live.digest(text if shown is None else shown)

    async def run(self):
        names = self.shell.user_ns
        registry.last_cell, registry.last_number = [], self.number
        try:
            statements = self.parsed()
            self.place()
            for at, statement in enumerate(statements):
                if at + 1 == len(statements) and isinstance(statement, ast.Expr):
                    value, waits = self.evaluated(ast.Expression(statement.value), "eval")
                    value = await value if waits else value
                    self.outcome.result = None if self.silenced() else value
                    break
                before = names.get(getattr(statement, "name", None))
                started, waits = self.evaluated(ast.Module([statement], []), "exec")
                if waits:
                    await started
                if isinstance(statement, _definitions):
                    self.defined(statement, before)
            self.find_stale()
        except BaseException as error:
            _note(error)
            self.outcome.error = error
        return self.outcome

    def parsed(self):
        """Returns the statements. Invalid Python is detected before any statement runs."""
        tree = self.shell.compile.ast_parse(self.text, self.file)
        self.compiled(tree, "exec")
        return tree.body

    def compiled(self, tree, mode):
        """Compiles with IPython's compiler, which knows `from __future__` in earlier statements and cells."""
        with self.shell.compile.extra_flags(ast.PyCF_ALLOW_TOP_LEVEL_AWAIT):
            return self.shell.compile(tree, self.file, mode)

    def evaluated(self, tree, mode):
        """Returns (value, True if it must be awaited)."""
        code = self.compiled(tree, mode)
        return eval(code, self.shell.user_ns), bool(code.co_flags & inspect.CO_COROUTINE)

    def silenced(self):
        return DisplayHook.semicolon_at_end_of_expression(self.text)

    def defined(self, statement, before):
        names, name = self.shell.user_ns, statement.name
        value = names[name]
        if not any(True for _ in _members(name, value)):
            return
        if not self.coverage:
            registry.uncounted.append((self.file, statement.lineno, statement.end_lineno))
        if before is not None and type(before) is type(value) and self.same(name, before, value):
            names[name] = value = before
            self.outcome.kept.append(name)
            for _, inner in _members(name, value):
                registry.copies.append((self.file, inner.fn.__code__.co_filename, statement.lineno, statement.end_lineno))
                label, first = getattr(inner, "_primal", inner)._qd_source_.shown, min(inner.fn.__code__.co_firstlineno, statement.lineno)
                _source.stands_now_in(label, first, statement.end_lineno, f"cell {self.number}")
        for member, inner in _members(name, value):
            entry = registry.entries.get(member)
            if entry is None or entry.value() is not inner:
                if entry is not None and entry.value() is not None:
                    self.outcome.replaced[member] = entry.value()
                entry = registry.entries[member] = Entry(member, inner, self.number, self.file)
                if entry.is_kernel:
                    inner._primal.coverage = self.coverage
            entry.last_line = _end_of(statement, inner.fn)
            registry.last_cell.append(member)
            self.outcome.defined.append(member)
        self.place()
        if name in self.outcome.kept and self.coverage:
            live.live.clear([registry.entries[member] for member, _ in _members(name, value)])

    def place(self):
        live.live.define(self.cell_id, self.number, self.digest, registry.of_last_cell())

    def same(self, name, before, value):
        """Returns True if the older object can replace the new one: equal text at equal lines, equal captured values, equal callees. Its
        entry holds the values that it captured when it was compiled."""
        pairs = list(zip(_members(name, before), _members(name, value)))
        if not pairs or _mark(before) != _mark(value):
            return False
        for (member, old), _ in pairs:
            entry = registry.entries.get(member)
            if entry is None or entry.value() is not old or entry.mark != fingerprint.of_function(old.fn):
                return False
            if entry.is_kernel and (old._primal.coverage != self.coverage or stale.changed_since(old._primal)):
                return False
        return True

    def find_stale(self):
        """Finds kernels of other cells that inline an edited function, or captured a value that changed: they are recompiled when they are
        called."""
        for entry in registry.alive():
            if not entry.is_kernel or entry.name in self.outcome.defined:
                continue
            mark = fingerprint.of_function(entry.fn)
            if mark != entry.mark:
                entry.mark = mark
                if entry.value()._specialisations() or getattr(entry, "count", 0):
                    self.outcome.stale.append(entry.name)
                stale.forget(entry.value()._primal)


def _end_of(statement, fn):
    for node in ast.walk(statement):
        if isinstance(node, ast.FunctionDef) and node.name == fn.__name__:
            start = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            if start == fn.__code__.co_firstlineno:
                return node.end_lineno
    return statement.end_lineno


def awaits(shell, text):
    """Returns True if a cell awaits something at its top level."""
    if "await" not in text and "async" not in text:
        return False
    try:
        code = compile(shell.transform_cell(text), "<cell>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return bool(code.co_flags & inspect.CO_COROUTINE)


def after_cell(*_):
    """Updates the marks of kernels compiled in this cell, which captured the current values."""
    for entry in registry.alive():
        count = entry.value()._specialisations() if entry.is_kernel else 0
        if count != getattr(entry, "count", 0):
            entry.count = count
            entry.mark = fingerprint.of_function(entry.fn)
