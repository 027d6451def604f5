"""Source text and syntax tree of a kernel or func.

`Source.lines()` gives where the text stands: (lines of the file, index of the first one, file as shown, name); what is
compiled and what is compared with records on disk both come from these lines.
`Source.tree()` gives the tuple that the bindings hand to the frontend: (tree, file, first_line, name, text, counted).
The tree is a Tree of the core; line 1 of it and of `text` is line `first_line` of the file. `counted`: coverage sees into
it. `Source.python_tree()` gives an ast.FunctionDef with lines of the file.
"""

import os as _os
import sys as _sys

from quadrants import _exceptions, _native

_ONLY_AST = 0x400  # PyCF_ONLY_AST: spares the import of ast
_FUTURE_FLAGS = 0x1FE0000  # of code made under `from __future__ import ...`
_exec_sources = {}  # file name of code that came from exec -> [source text]
_files = {}  # plain file -> ((size, time), lines)
_defined = {}  # file -> lines as they were when kernels and funcs in it were last defined
in_use = None  # TextsInUse while coverage counts


def _cached_lines(name, module_globals=None):
    """Lines of a file or cell. linecache brings in tokenize and re, so plain files are read without it if nothing else
    has imported it."""
    if "linecache" not in _sys.modules and not name.startswith("<"):
        lines = _plain_lines(name)
        if lines is not None:
            return lines
    import linecache

    linecache.checkcache(name)
    return linecache.getlines(name, module_globals)


def _plain_lines(name):
    """Lines of a file in UTF-8, read once as long as it stays the same; None if it is something else."""
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
    """Lines of the file or cell that a function is being defined in, where they can be had without loading linecache; else None."""
    name = fn.__code__.co_filename
    if "linecache" in _sys.modules:
        lines = _cached_lines(name, fn.__globals__) or None
    else:
        lines = None if name.startswith("<") else _plain_lines(name)
    if lines is not None:
        _defined[name] = lines
    return lines


def remember_exec(code, frame):
    """At decoration: if `code` came from exec of a string, finds that string in the frames that are running now.

    A candidate is taken only if compiling it gives the very same code object.
    """
    name = code.co_filename
    if not name.startswith("<") or _cached_lines(name):
        return  # text that linecache knows
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
    """`with deep(text)`: around what recurses as deep as the text nests. A thread whose stack is too small for that, and
    Python's own limit, end in an error of the user's."""

    def __init__(self, text):
        self._bytes = 64 * 1024 + min(128 * len(text), 1024 * 1024)  # a level takes two characters or more

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
    """`with levels(n)`: inside of `deep`, around what recurses in C as deep as a tree of n levels, whatever the calls around
    have taken of Python's limit."""

    MOST = 3000  # as deep as CPython's parser goes; `deep` has made sure of the stack

    def __init__(self, count):
        self._count = min(count, self.MOST)

    def __enter__(self):
        self._before = _sys.getrecursionlimit()
        _sys.setrecursionlimit(self._before + self._count)

    def __exit__(self, *_):
        _sys.setrecursionlimit(self._before)


def _tree_of(lines, start, wanted):
    """Tree and text of the function whose decorators begin at lines[start]. The end of the function is the first less
    indented line at which the text parses. Text that is indented is put under an `if 1:` line instead of being dedented,
    so that columns stay those of the file. The core's own parser comes first; it leaves to CPython what it does not know
    and what is no function of that name."""
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
    """The class in whose text a function stands, by which Python names what is private in it; None if there is none."""
    names = code.co_qualname.split(".")
    for name, inner in zip(names[-2::-1], names[:0:-1]):
        if name != "<locals>" and inner != "<locals>":
            return name
    return None


def _name_privates(node, class_name):
    """In a node of `ast`, what name_privates of a Tree does."""
    import ast

    prefix = f"_{class_name.lstrip('_')}"
    for inner in ast.walk(node) if prefix != "_" else ():
        for field in ("id", "attr", "arg"):
            name = getattr(inner, field, None)
            if type(name) is str and name.startswith("__") and not name.endswith("__"):
                setattr(inner, field, prefix + name)


def shown_name(filename):
    """The name of a source file in messages and coverage. A name that is no text in UTF-8 is shown with its bytes escaped."""
    shown = _exceptions._display_names.get(filename, filename)
    if not shown.isascii() and _in_utf8(shown) != shown:
        shown = _in_utf8(shown)
        set_display_name(filename, shown)
    return shown


def _in_utf8(name):
    return name.encode("utf-8", "backslashreplace").decode("utf-8")


def set_display_name(filename, shown):
    """Lets messages and coverage call the source `filename` by another name, e.g. "cell 4"."""
    _exceptions._display_names[filename] = shown
    files = _exceptions._files_shown_as.setdefault(shown, [])
    if filename in files:
        files.remove(filename)
    files.append(filename)


def stands_now_in(before, first, last, now):
    """The definition in these lines of what messages call `before` is the one of the same lines of `now`."""
    _exceptions._named_now.update({(before, line): now for line in range(first, last + 1)})


_PACKAGE = __file__[: -len("_source.py")]  # coverage does not see into kernels and funcs that come with the package


class TextsInUse(dict):
    """(file, index of the first line) -> _Text of what was compiled while coverage counts."""

    def __init__(self):
        super().__init__()
        self.shown, self.files = {}, {}  # name in messages, file -> {(file, index): text}, of those above
        self.news = {}  # key -> text of what came since somebody emptied it

    def __setitem__(self, key, text):
        before = self.get(key)
        if before is text:
            return
        if before is not None:
            self.shown[before.shown].pop(key, None)
        super().__setitem__(key, text)
        self.shown.setdefault(text.shown, {})[key] = self.files.setdefault(text.file, {})[key] = self.news[key] = text

    def shown_as(self, name):
        return list(self.shown.get(name, {}).values())


class _Text:
    """Where the text of one function stands, and its tree once it was asked for."""

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
        """Its first and last line; None if it is no kernel's text, which was never compiled."""
        try:
            compiled, _, first, *_ = self.tree()
        except _exceptions.QuadrantsSyntaxError:
            return None
        return first, first - 1 + compiled.end_line

    def statements(self):
        """(line, column, last line) of each statement that begins on a new line, of one with a body its head; without the docstring."""
        if self._statements is None:
            import ast

            function, found = self.python_tree(), {}
            body = function.body[1:] if ast.get_docstring(function, clean=False) is not None else function.body
            for node in (node for statement in body for node in ast.walk(statement) if isinstance(node, ast.stmt)):
                heads = [getattr(node, name) for name in ("test", "iter") if hasattr(node, "body") and hasattr(node, name)]
                heads += [item.context_expr for item in getattr(node, "items", ())]
                last = max((head.end_lineno for head in heads), default=node.end_lineno)
                known = found.setdefault(node.lineno, (node.lineno, node.col_offset, last))
                found[node.lineno] = min(known, (node.lineno, node.col_offset, last))
            self._statements = sorted(found.values())
        return self._statements


class Source:
    """The text of one function as it was when it was defined: a file that changes later does not change what is compiled."""

    def __init__(self, fn, is_new=True):
        """`is_new`: it is being defined now."""
        self._fn = fn
        self._lines = _lines_now(fn) if is_new else _defined.get(fn.__code__.co_filename)
        self._text = None

    @property
    def shown(self):
        """The file as messages and coverage call it."""
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

    def lines(self):
        text = self._read()
        return text.lines, text.start, text.shown, text.qualname

    def tree(self):
        text = self._read()
        try:
            return text.tree()
        except _exceptions.QuadrantsSyntaxError:
            self._text = self._lines = None  # read again if it is no function
            raise

    def python_tree(self):
        self.tree()  # refuses what is no function
        return self._text.python_tree()


class LambdaSource:
    """The text of a lambda, as a function that returns its value."""

    def __init__(self, fn):
        self._fn = fn
        self._made = None

    def _whole_file(self):
        return _defined.get(self._fn.__code__.co_filename) or _lines_of(self._fn)

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
    """Where the program called the package."""
    frame = _sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    shown = shown_name(frame.f_code.co_filename)
    return f"{_exceptions.cell_name(shown)}, line {frame.f_lineno}"
