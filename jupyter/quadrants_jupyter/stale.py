"""Recompiles kernels, at their next call, that use definitions which a later cell has replaced, or values of a file that was edited. In a
program without cells a kernel keeps the definitions it was compiled with. Reports, below a cell, kernels that it may have run with the old
value of a global, or of an attribute of a module, that has changed since."""

import ast
import sys
import types
import weakref

from quadrants import _exceptions, _source
from quadrants._language import func as _func, kernel as _kernel, signature as _signature
from quadrants._live.adstack import shown_name
from quadrants_jupyter import captures, fingerprint

_warned = weakref.WeakKeyDictionary()  # function -> the warnings already given for it
_compiled_with = weakref.WeakKeyDictionary()  # KernelInfo -> [captures.Capture] of the last compilation


def follow(names):
    captures.names, _kernel.on_compilation, _func.on_definition = names, _note, _edited


def leave():
    _kernel.on_compilation = _func.on_definition = None


def names():
    """Returns the namespace of cells."""
    return captures.names


def _note(info):
    """Notes what a kernel uses that is about to be compiled, in addition to what its older specialisations used."""
    module = info.fn.__globals__.get("__name__") or ""
    if module.partition(".")[0] == "quadrants":
        return
    if info.fn.__globals__ is captures.names:
        found = {name: weakref.ref(value) for name, value in _code_read(captures.functions_reached(info.fn))}
        info.used = {**found, **(info.used or {})}
    _compiled_with[info] = captures.captures_of(info.fn)


def _code_read(functions):
    """Yields (global name, value) of the functions and types of cells that these functions use."""
    for fn in functions:
        for name in _signature.names_read(fn.__code__) if fn.__globals__ is captures.names else ():
            value = captures.names.get(name)
            if captures.has_text(value):
                yield name, value
            elif fingerprint.kind(value) == "data_oriented" and captures.names.get(type(value).__name__) is type(value):
                yield type(value).__name__, type(value)


def _kernels_called(code):
    """Returns the KernelInfos of the kernels named in the code of a cell, or in the functions and objects that it uses."""
    found, seen = set(), set()

    def visit(value):
        if fingerprint.kind(value) == "kernel":
            found.add(value._primal)
        elif fingerprint.kind(value) == "data_oriented":
            for member in vars(type(value) if not isinstance(value, type) else value).values():
                visit(member)
        elif isinstance(value, types.FunctionType) and captures.is_own(value.__globals__) and value not in seen:
            seen.add(value)
            visit_code(value.__code__, value.__globals__)

    def visit_code(code, space):
        for path in captures.paths_read(code):
            value = space.get(path[0])
            for name in path[1:]:
                visit(value)
                value = getattr(value, name, None) if isinstance(value, types.ModuleType) else None
            visit(value)

    visit_code(code, captures.names)
    return found


def _code_of(info):
    """Returns the compiled code of a cell, including one run by %%qd_kernel, without names that are only shown; None if it is not valid
    Python."""
    head, _, body = info.raw_cell.partition("\n")
    text = body if head.startswith("%%qd_kernel") else getattr(info, "transformed_cell", None) or info.raw_cell
    try:
        tree = ast.fix_missing_locations(_WithoutShown().visit(ast.parse(text)))
        return compile(tree, "<cell>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    except (SyntaxError, ValueError):
        return None


class _WithoutShown(ast.NodeTransformer):
    """Removes names whose objects a cell only shows: a kernel that it prints does not run."""

    shows = frozenset(["print", "display", "repr", "str", "type", "id", "help", "isinstance"])

    def visit_Call(self, node):
        if isinstance(node.func, ast.Name) and node.func.id in self.shows:
            node.args = [self.without(arg) for arg in node.args]
        return self.generic_visit(node)

    def visit_Expr(self, node):
        node.value = self.without(node.value)
        return self.generic_visit(node)

    def visit_FormattedValue(self, node):
        node.value = self.without(node.value)
        return self.generic_visit(node)

    @staticmethod
    def without(node):
        parts = node
        while isinstance(parts, ast.Attribute):
            parts = parts.value
        return ast.copy_location(ast.Constant(None), node) if isinstance(parts, ast.Name) else node


def changed_since(info):
    """Returns the captures whose values have changed since the kernel was last compiled."""
    return [one for one in _compiled_with.get(info, ()) if one.changed()]


def _changed():
    return {info: others for info in list(_compiled_with) if (others := changed_since(info))}


def _report_older_values(cell, changed):
    """Reports values that a kernel was compiled with and that have changed since, each once, if the cell may have run the kernel."""
    code = _code_of(cell) if changed else None
    if code is None:
        return
    for info in changed.keys() & _kernels_called(code):
        said = _warned.setdefault(info.fn, [])
        for one in changed[info]:
            now = one.value()
            state = one.path, captures.state_of(now, one.members)
            if state not in said:
                said.append(state)
                print(_older_value(info, one, now), file=sys.stderr)


def _older_value(info, capture, now):
    kernel, name = shown_name(info.fn.__qualname__), capture.name_in(info.fn)
    if captures.has_text(now):
        return f"{kernel} may have run with an earlier `{name}` in this cell; its next call uses this one."
    remedy = f"Pass {name} as an argument."
    if info.fn.__globals__ is captures.names:
        where = _exceptions.cell_name(_source.shown_name(info.fn.__code__.co_filename))
        remedy = f"Run {where} again, or pass {name} as an argument."
    if capture.shown and captures.shown(now):
        return f"{kernel} was compiled with {name} = {capture.shown}; it is {now!r} now. {remedy}"
    return f"{kernel} was compiled with an earlier `{name}`. {remedy}"


def _edited(fn):
    """Called when a func is defined. If it replaces a different func of its name, forgets kernels compiled with the old one, so that the
    rest of the cell recompiles them."""
    if fn.__globals__ is not captures.names:
        return
    name, *members = fn.__qualname__.split(".")
    old = captures.names.get(name)
    for member in members:
        old = old.methods.get(member) if fingerprint.kind(old) == "struct_type" else getattr(old, member, None)
    if fingerprint.kind(old) == "func" and fingerprint.of_function(old.fn) != fingerprint.of_function(fn):
        for info in _alive():
            if info.used and name in info.used:
                forget(info)


def _alive():
    return [made._primal for ref in list(_kernel._all_kernels) if (made := ref()) is not None]


def forget(info):
    """Drops all compiled code of the kernel."""
    info.used = None
    _compiled_with.pop(info, None)
    for made in info.compiled():
        made._forget()


def after_cell(result=None):
    changed = _changed()
    for info in _alive():
        has_other_code = any(captures.has_text(one.value()) for one in changed.get(info, ()))
        if has_other_code or any(captures.names.get(name, was()) is not was() for name, was in (info.used or {}).items()):
            forget(info)
    functions = [info.fn for info in _alive()] + [value.fn for value in list(captures.names.values()) if isinstance(value, _func.Func)]
    for fn in functions:
        if fn.__globals__ is captures.names:
            _warn_of_older_types(fn)
    info = getattr(result, "info", None)
    if info is not None and result.success:
        _report_older_values(info, changed)


def _warn_of_older_types(fn):
    """Warns about annotations whose type has been redefined: they keep the type of the time of the definition."""
    said = _warned.setdefault(fn, [])
    for parameter, kind in fn.__annotations__.items():
        if not isinstance(kind, type) and fingerprint.kind(kind) != "struct_type":
            continue
        now = captures.names.get(getattr(kind, "__name__", None))
        if type(now) is type(kind) and now is not kind and (parameter, id(now)) not in said:
            said.append((parameter, id(now)))
            what = "what it returns" if parameter == "return" else f"its parameter `{parameter}`"
            print(f"{shown_name(fn.__qualname__)}: {what} is an earlier `{kind.__name__}`; run the cell of {shown_name(fn.__qualname__)} again", file=sys.stderr)


def after_reload(spaces):
    """To be called when the files of these modules, given by their namespaces, have been read again."""
    for info, others in _changed().items():
        if any(one.home is space for one in others for space in spaces):
            forget(info)


def forget_all():
    for info in _alive():
        forget(info)
