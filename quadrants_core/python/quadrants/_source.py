"""Source text and syntax tree of a kernel or func.

`Source.lines()` returns the location of the text: (lines of the file, index of the first one, display name of the file, name). These lines
are both compiled and compared with cache entries on disk.
`Source.tree()` returns the tuple that the bindings pass to the frontend: (tree, file, first_line, name, text, counted). The tree is a Tree
of the core; line 1 of it and of `text` is line `first_line` of the file. `counted`: whether coverage counts in it. `Source.python_tree()`
returns an ast.FunctionDef with line numbers of the file.
"""

import os as _os
import sys as _sys

from quadrants import _exceptions, _native

_ONLY_AST = 0x400  # PyCF_ONLY_AST: avoids the import of ast
_FUTURE_FLAGS = 0x1FE0000  # of code compiled with `from __future__ import ...`
_exec_sources = {}  # file name of code executed by exec -> [source text]
_files = {}  # plain file -> ((size, time), lines)
_defined = {}  # file -> lines at the last definition of a kernel or func in it
in_use = None  # SourceTexts while coverage is enabled


def _cached_lines(name, module_globals=None):
    """Returns the lines of a file or cell. linecache imports tokenize and re, so plain files are read without it unless it has been
    imported already."""
    if "linecache" not in _sys.modules and not name.startswith("<"):
        lines = _plain_lines(name)
        if lines is not None:
            return lines
    import linecache

    linecache.checkcache(name)
    return linecache.getlines(name, module_globals)


def _plain_lines(name):
    """Returns the lines of a UTF-8 file, cached until it changes; None for other files."""
    try:
        status = _os.stat(name)
        stamp = status.st_size, status.st_mtime_ns
        known = _files.get(name)
        if known is not None and known[0] == stamp:
            return known[1]
        with open(name, encoding="utf-8") as file:
            lines = file.readlines()
    except (OSError, UnicodeDecodeError):
        return None
    if any("coding" in line for line in lines[:2]):
        return None
    _files[name] = stamp, lines
    return lines


def _lines_now(fn):
    """Returns the lines of the file or cell in which a function is being defined, if they are available without importing linecache; else
    None."""
    name = fn.__code__.co_filename
    if "_qd_lines_" in fn.__dict__:  # while a function from another process becomes a kernel or func
        return fn.__dict__["_qd_lines_"]
    if "linecache" in _sys.modules:
        lines = _cached_lines(name, fn.__globals__) or None
    else:
        lines = None if name.startswith("<") else _plain_lines(name)
    if lines is not None:
        _defined[name] = lines
    return lines


def remember_exec(code, frame):
    """Called by decorators: if `code` was executed by exec from a string, finds that string in the frames of the current call stack.

    A candidate is accepted only if compiling it gives an equal code object.
    """
    name = code.co_filename
    if not name.startswith("<") or _cached_lines(name):
        return  # text known to linecache
    known = _exec_sources.setdefault(name, [])
    if any(_holds(text, name, code) for text in known):
        return
    while frame is not None:
        for place in (frame.f_locals, frame.f_globals, dict(enumerate(frame.f_code.co_consts))):
            for value in list(place.values()):
                if isinstance(value, str) and code.co_name in value and "def" in value and _holds(value, name, code):
                    known.append(value)
                    return
        frame = frame.f_back


def _holds(text, name, code):
    try:
        return _find_code(compile(text, name, "exec", code.co_flags & _FUTURE_FLAGS, True), code)
    except (SyntaxError, ValueError):
        return False


def _find_code(outer, code):
    for constant in outer.co_consts:
        if isinstance(constant, type(code)) and (constant == code or _find_code(constant, code)):
            return True
    return False


_received = {}  # key of the code of a function that came from another process -> (file, lines)


def key_of(code):
    """Returns what identifies the code of a function in all processes. Picklers do not preserve file names."""
    return code.co_qualname, code.co_firstlineno, code.co_code


def receive(file, shown, start, text, key=None):
    """Records the text of a function from another process, which begins at lines[start] of a file or cell there. Returns the lines of the
    file, as far as they are known here.

    Args:
        key: `key_of` a Python function that kernels may call.
    """
    import io

    if shown != shown_name(file):
        set_display_name(file, shown)
    new = io.StringIO(text).readlines()
    known = _exceptions.received_lines.setdefault(file, [])
    here = slice(start, start + len(new))
    lines = next((lines for lines in (known, _cached_lines(file)) if lines[here] == new), None)
    if lines is None:
        if any(line.strip() for line in known[here]):  # the file was changed: functions that came earlier keep their list
            known = _exceptions.received_lines[file] = list(known)
        known += ["\n"] * (here.stop - len(known))
        known[here] = new
        lines = known
    if key is not None:
        _received[key] = file, lines
    return lines


def _received_lines(fn):
    """Returns the lines of the file of a function that came from another process, after giving it the name of that file; else None."""
    file, lines = _received.get(key_of(fn.__code__), (None, None)) if _received else (None, None)
    if file is not None and fn.__code__.co_filename != file:
        fn.__code__ = fn.__code__.replace(co_filename=file)
    return lines


def _lines_of(fn):
    code = fn.__code__
    lines = _cached_lines(code.co_filename, fn.__globals__)
    if lines:
        return lines
    for text in _exec_sources.get(code.co_filename, ()):
        if _holds(text, code.co_filename, code):
            return text.splitlines(keepends=True)
    if code.co_filename == "<string>" and fn.__name__.startswith("__"):
        raise _exceptions.QuadrantsSyntaxError(
            f"{fn.__qualname__} has no source that a kernel can read: a decorator such as @dataclass made it. Write the method in the class, "
            "or compare the members, such as `a.x == b.x`."
        )
    raise _exceptions.QuadrantsSyntaxError(
        f"The source of {fn.__qualname__} cannot be found ({code.co_filename}). Define kernels in a file or a notebook "
        "cell, or register the text with linecache."
    )


def _indent_of(line):
    return len(line) - len(line.lstrip())


class deep:
    """`with deep(text)`: context for recursion as deep as the nesting of the text. If the stack of the thread or Python's recursion limit
    is too small, a user error is raised."""

    def __init__(self, text):
        self._bytes = 64 * 1024 + min(128 * len(text), 1024 * 1024)  # each level takes two characters or more

    def __enter__(self):
        _native.core().require_stack(self._bytes)

    def __exit__(self, kind, error, _):
        if kind is not None and issubclass(kind, RecursionError):
            raise _exceptions.QuadrantsCompilationError(
                f"The program is nested too deep for Python's limit of recursion ({_sys.getrecursionlimit()})\n"
                "Hint: split long expressions, or raise the limit with sys.setrecursionlimit()"
            ) from None
        return False


class levels:
    """`with levels(n)`: inside `deep`, context for recursion in C over a tree of n levels, regardless of how much of Python's limit the
    enclosing calls have used."""

    MOST = 3000  # the limit of CPython's parser; `deep` ensures that the stack suffices

    def __init__(self, count):
        self._count = min(count, self.MOST)

    def __enter__(self):
        self._before = _sys.getrecursionlimit()
        _sys.setrecursionlimit(self._before + self._count)

    def __exit__(self, *_):
        _sys.setrecursionlimit(self._before)


def _tree_of(lines, start, wanted):
    """Returns the tree and text of the function whose decorators begin at lines[start]. The function ends at the first less indented line
    at which the text can be parsed. Indented text is put under an `if 1:` line instead of being dedented, so that columns are those of the
    file. The core's own parser is tried first; CPython's parser handles what it does not support, and text that is not a function of that
    name."""
    parsed = _native.core().parse_function(lines, start)
    if parsed is not None and parsed[0].name == wanted.name:
        return parsed
    indent = _indent_of(lines[start])
    head = "if 1:\n" if indent else ""
    error = None
    header_seen = False
    for end in range(start + 1, len(lines) + 1):
        stripped = lines[end - 1].lstrip()
        header_seen = header_seen or stripped.startswith(("def ", "async def "))
        if end < len(lines):
            following = lines[end]
            text = following.strip()
            if not header_seen or not text or text.startswith("#") or _indent_of(following) > indent:
                continue
        source = "".join(lines[start:end])
        if not source.endswith("\n"):
            source += "\n"
        with deep(source):
            try:
                module = compile(head + source, wanted.file, "exec", _ONLY_AST, True)
            except SyntaxError as e:
                error = e
                continue
            node = module.body[0].body[0] if indent else module.body[0]
            if type(node).__name__ == "FunctionDef" and node.name == wanted.name:
                return _native.core().convert_tree(node, 1 if indent else 0), source
        if type(node).__name__ == "AsyncFunctionDef":
            raise _exceptions.QuadrantsSyntaxError('Unsupported node "AsyncFunctionDef"')
    raise _exceptions.QuadrantsSyntaxError(
        f"The source of {wanted.qualname} cannot be read: no function of that name begins in line {start + 1} of {wanted.shown}; "
        "if that was changed after it was loaded, start the program again"
    ) from error


def _class_around(code):
    """Returns the class whose body contains a function, which determines the mangling of private names; None if there is none."""
    names = code.co_qualname.split(".")
    for name, inner in zip(names[-2::-1], names[:0:-1]):
        if name != "<locals>" and inner != "<locals>":
            return name
    return None


def _name_privates(node, class_name):
    """Mangles private names in an `ast` node, like name_privates of a Tree."""
    import ast

    prefix = f"_{class_name.lstrip('_')}"
    for inner in ast.walk(node) if prefix != "_" else ():
        for field in ("id", "attr", "arg"):
            name = getattr(inner, field, None)
            if type(name) is str and name.startswith("__") and not name.endswith("__"):
                setattr(inner, field, prefix + name)


def shown_name(filename):
    """Returns the display name of a source file in messages and coverage. Bytes of a name that are not valid UTF-8 are escaped."""
    shown = _exceptions._display_names.get(filename, filename)
    if not shown.isascii() and _in_utf8(shown) != shown:
        shown = _in_utf8(shown)
        set_display_name(filename, shown)
    return shown


def _in_utf8(name):
    return name.encode("utf-8", "backslashreplace").decode("utf-8")


def set_display_name(filename, shown):
    """Sets another name for the source `filename` in messages and coverage, e.g. "cell 4"."""
    _exceptions._display_names[filename] = shown
    files = _exceptions._files_shown_as.setdefault(shown, [])
    if filename in files:
        files.remove(filename)
    files.append(filename)


def stands_now_in(before, first, last, now):
    """Declares that the definition in these lines of the source with display name `before` is now in the same lines of `now`."""
    _exceptions._named_now.update({(before, line): now for line in range(first, last + 1)})


_PACKAGE = __file__[: -len("_source.py")]  # kernels and funcs of the package are excluded from coverage


class SourceTexts(dict):
    """(file, index of the first line) -> _Text of what has been compiled while coverage is enabled."""

    def __init__(self):
        super().__init__()
        self.shown, self.files = {}, {}  # display name, file -> {(file, index): text} of the entries
        self.new_texts = {}  # key -> text of new entries, until the consumer clears it

    def __setitem__(self, key, text):
        before = self.get(key)
        if before is text:
            return
        if before is not None:
            self.shown[before.shown].pop(key, None)
        super().__setitem__(key, text)
        self.shown.setdefault(text.shown, {})[key] = self.files.setdefault(text.file, {})[key] = self.new_texts[key] = text

    def shown_as(self, name):
        return list(self.shown.get(name, {}).values())


class _Text:
    """The location of the text of one function, and its tree once it has been requested."""

    def __init__(self, fn, lines):
        code = fn.__code__
        self.file, self.name, self.qualname = code.co_filename, code.co_name, fn.__qualname__
        self.lines, self.start, self.shown = lines, code.co_firstlineno - 1, shown_name(code.co_filename)
        self._code, self._tree, self._statements = code, None, None

    def _class_of_privates(self, text):
        return _class_around(self._code) if "__" in text else None

    def tree(self):
        if self._tree is None:
            tree, text = _tree_of(self.lines, self.start, self)
            if (around := self._class_of_privates(text)) is not None:
                tree.name_privates(around)
            counted = not self.file.startswith(_PACKAGE)
            self._tree = tree, self.shown, self.start + 1, self.qualname, text, counted
        return self._tree

    def python_tree(self):
        _, _, first_line, _, text, _ = self.tree()
        indented = _indent_of(text) > 0
        head = "\n" * (first_line - 2) + "if 1:\n" if indented else "\n" * (first_line - 1)
        with deep(text):
            node = compile(head + text, self.file, "exec", _ONLY_AST, True).body[0]
        node = node.body[0] if indented else node
        if (around := self._class_of_privates(text)) is not None:
            _name_privates(node, around)
        return node

    def extent(self):
        """Returns its first and last line; None if it is not the text of a kernel and so was never compiled."""
        try:
            compiled, _, first, *_ = self.tree()
        except _exceptions.QuadrantsSyntaxError:
            return None
        return first, first - 1 + compiled.end_line

    def statements(self):
        """Returns (line, column, last line) of each statement that begins on a new line, without the docstring; for a compound statement,
        of its header."""
        if self._statements is None:
            tree, _, first, *_ = self.tree()
            self._statements = tree.statements(first - 1)
        return self._statements


class Source:
    """The text of one function at the time of its definition; later changes of the file have no effect on what is compiled."""

    def __init__(self, fn, is_new=True):
        """`is_new`: whether it is being defined now."""
        self._fn = fn
        self._lines = _lines_now(fn) if is_new else _received_lines(fn) or _defined.get(fn.__code__.co_filename)
        self._text = None

    @property
    def shown(self):
        """The display name of the file in messages and coverage."""
        return shown_name(self._fn.__code__.co_filename) if self._text is None else self._text.shown

    def _read(self):
        if self._text is None:
            fn = self._fn
            lines = self._lines or _lines_of(fn)
            if fn.__code__.co_firstlineno > len(lines):
                raise _exceptions.QuadrantsSyntaxError(
                    f"The source of {fn.__qualname__} cannot be read: {shown_name(fn.__code__.co_filename)} has no line "
                    f"{fn.__code__.co_firstlineno} any more, so it was changed after it was loaded; start the program again"
                )
            self._text = _Text(fn, lines)
        if in_use is not None:
            in_use[self._text.file, self._text.start] = self._text
        return self._text

    @property
    def file(self):
        return self._fn.__code__.co_filename

    def lines(self):
        text = self._read()
        return text.lines, text.start, text.shown, text.qualname

    def tree(self):
        text = self._read()
        try:
            return text.tree()
        except _exceptions.QuadrantsSyntaxError:
            self._text = self._lines = None  # read again if it is not a function
            raise

    def python_tree(self):
        self.tree()  # rejects what is not a function
        return self._text.python_tree()


class LambdaSource:
    """The text of a lambda, as a function that returns its value."""

    def __init__(self, fn):
        self._fn = fn
        self._made = None
        self._lines = _received_lines(fn)

    @property
    def file(self):
        return self._fn.__code__.co_filename

    def _whole_file(self):
        return self._lines or _defined.get(self._fn.__code__.co_filename) or _lines_of(self._fn)

    def lines(self):
        code = self._fn.__code__
        return self._whole_file(), code.co_firstlineno - 1, shown_name(code.co_filename), self._fn.__qualname__

    def python_tree(self):
        import ast

        code, lines = self._fn.__code__, self._whole_file()
        inside = [
            ((line, column), (end_line, end_column))
            for line, end_line, column, end_column in code.co_positions()
            if line is not None and column is not None and (column or end_column)
        ]
        try:
            found = [n for n in ast.walk(ast.parse("".join(lines))) if isinstance(n, ast.Lambda)]
        except SyntaxError:
            found = []
        fits = [n for n in found if _extent(n)[0] <= min(inside)[0] and max(end for _, end in inside) <= _extent(n)[1]]
        if not fits:
            raise _exceptions.QuadrantsSyntaxError(
                f"The source of {self._fn.__qualname__} cannot be found ({code.co_filename}): write it as a @qd.func"
            )
        node = max(fits, key=lambda n: _extent(n)[0])  # the innermost
        if (around := _class_around(code)) is not None:
            _name_privates(node, around)
        made = ast.FunctionDef(self._fn.__name__, node.args, [ast.Return(node.body)], [], None)
        for new, at in ((made.body[0], node.body), (made, node)):
            ast.copy_location(new, at)
        if hasattr(made, "type_params") or "type_params" in made._fields:
            made.type_params = []
        return made

    def tree(self):
        if self._made is None:
            node = self.python_tree()
            lines, _, shown, name = self.lines()
            text = "".join(lines[node.lineno - 1 : node.end_lineno])
            tree = _native.core().convert_tree(node, node.lineno - 1)
            self._made = tree, shown, node.lineno, name, text, not self._fn.__code__.co_filename.startswith(_PACKAGE)
        return self._made


def _extent(node):
    return (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)


def caller(depth):
    return _sys._getframe(depth + 1)


def place_outside():
    """Returns the location where the program called the package."""
    frame = _sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    shown = shown_name(frame.f_code.co_filename)
    return f"{_exceptions.cell_name(shown)}, line {frame.f_lineno}"
