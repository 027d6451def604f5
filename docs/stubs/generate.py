"""Writes the stubs of the package (*.pyi), from which editors and type checkers know its names.

Names, parameters, defaults and docstrings are those of the live package. Types are those of the files beside this one, named after
the module they are for; what they do not mention is Any.
"""

import ast
import enum
import importlib
import inspect
import re
import types
from pathlib import Path

import quadrants as qd
from quadrants import _dtypes, _environment

HERE = Path(__file__).resolve().parent
PACKAGE = HERE.parents[1] / "quadrants_core" / "python" / "quadrants"
MODULES = (
    "quadrants quadrants.ad quadrants.algorithms quadrants.cache quadrants.distributed quadrants.experimental quadrants.interop quadrants.lang.graph quadrants.linalg "
    "quadrants.math quadrants.profiler quadrants.simt quadrants.simt.block quadrants.simt.grid quadrants.simt.subgroup "
    "quadrants.simt.warp quadrants.sparse quadrants.tools quadrants.types quadrants.types.annotations quadrants.types.enums "
    "quadrants.types.primitive_types quadrants.ui"
).split()
HIDDEN = {  # reachable, and not in dir
    "quadrants": "_lib _tensor cfg is_initialized clear_all_gradients outer __version__ __version_str__ _Tensor _VectorTensor _MatrixTensor _wrap".split(),
    "quadrants.lang.graph": ["Stepper"],
    "quadrants.types": ["BufferViewType", "annotations", "enums", "primitive_types"],
}
OPERATORS = {  # methods without a name of their own that classes may have, with what is known of all of them
    **dict.fromkeys("add sub mul truediv matmul radd rsub rmul iadd isub imul neg getitem call dlpack dlpack_device array".split(), "Any"),
    **{"setitem": "None", "enter": "Self", "exit": "None", "iter": "Iterator[Any]", "len": "int", "bytes": "bytes", "class_getitem": "Any"},
}
OPTION_TYPES = {"Flag": "bool", "Int": "int", "Word": "int", "Real": "float", "Text": "str", "Type": "type[Any]"}
ANY = ast.Name("Any")
HEAD = """\
# Made by docs/stubs/generate.py (`make stubs`); types that it cannot tell stand beside it.
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false, reportOverlappingOverload=false, reportAssignmentType=false
"""


def parsed(text):
    return ast.parse(text).body


def names_of(module):
    """name -> object, of what a program may use"""
    live = importlib.import_module(module)
    shown = getattr(live, "__all__", None) or [n for n in dir(live) if n.isidentifier() and not n.startswith("_")]
    return {name: getattr(live, name) for name in sorted({*shown, *HIDDEN.get(module, ())})}


def default_of(value):
    """A default as an expression."""
    plain = value is None or value is ... or type(value) in (bool, int, float, str)
    if plain and value == value and abs(value if type(value) is float else 0) != float("inf"):
        return ast.Constant(value)
    if value in (int, float, bool):
        return ast.Name(value.__name__)
    return ast.Constant(...)


def arguments(signature, known, in_class):
    """The parameters of a signature with the types that another definition gives those of the same name."""
    typed = {}
    if known is not None:
        a = known.args
        typed = {p.arg: p.annotation for p in [*a.posonlyargs, *a.args, *a.kwonlyargs, a.vararg, a.kwarg] if p is not None}
    made = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[], vararg=None, kwarg=None)
    for p in signature.parameters.values():
        annotation = typed.get(p.name, ANY)
        if p.default is None and annotation is not ANY and "None" not in ast.unparse(annotation) and ast.unparse(annotation) != "Any":
            annotation = ast.BinOp(annotation, ast.BitOr(), ast.Constant(None))
        of_class = in_class and p.name in ("self", "cls") and not made.args
        arg = ast.arg(p.name, None if of_class else annotation)
        if p.kind == p.VAR_POSITIONAL:
            made.vararg = arg
        elif p.kind == p.VAR_KEYWORD:
            made.kwarg = arg
        elif p.kind == p.KEYWORD_ONLY:
            made.kwonlyargs.append(arg)
            made.kw_defaults.append(None if p.default is p.empty else default_of(p.default))
        else:
            (made.posonlyargs if p.kind == p.POSITIONAL_ONLY else made.args).append(arg)
            if p.default is not p.empty:
                made.defaults.append(default_of(p.default))
    return made


def signature_of(live):
    try:
        found = inspect.signature(live)
    except (TypeError, ValueError):
        return None
    if live is qd.init:
        own = list(found.parameters.values())[:-1]
        have = {p.name for p in own}
        rows = [row for row in _environment.ROWS.values() if row[3] != "environment" and row[0] not in have]
        own += [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=option_default(row)) for name, *row in rows]
        return found.replace(parameters=own)
    return found


def option_default(row):
    kind, default = row[:2]
    return _dtypes.names[default] if kind == "Type" else default


def docstring(live):
    """The text about an object itself: not that of its type or base."""
    if isinstance(live, type):
        text = vars(live).get("__doc__")
    else:
        text = getattr(live, "__doc__", None)
        if text == getattr(type(live), "__doc__", None):
            return None
    return inspect.cleandoc(text) if isinstance(text, str) and text.strip() else None


def option_docs():
    rows = [row for row in _environment.ROWS.values() if row[3] != "environment"]
    return "\n\nOptions:\n" + "\n".join(f"    {row[0]}: {row[6]}" for row in rows if row[5])


def body(doc, depth=1):
    return [ast.Expr(ast.Constant(doc.replace("\n", "\n" + "    " * depth) if doc else ...))]


def with_what_is_new(overloads, signature):
    """Gives the longest overload the parameters of the live function that none has, by keyword."""
    have = {p.arg for one in overloads for p in [*one.args.posonlyargs, *one.args.args, *one.args.kwonlyargs]}
    longest = max(overloads, key=lambda one: len(one.args.args) + len(one.args.kwonlyargs)).args
    for p in signature.parameters.values() if signature else ():
        if p.name not in have and p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY) and p.name not in ("self", "cls"):
            longest.kwonlyargs.append(ast.arg(p.name, ANY))
            longest.kw_defaults.append(None if p.default is p.empty else default_of(p.default))


def function(name, live, known=(), decorators=(), in_class=False):
    """Definitions of one function: what is known of it if that is several, else one with the signature of the live one."""
    doc = docstring(live)
    if live is qd.init:
        doc += option_docs()
    depth = 2 if in_class else 1
    if len(known) > 1:
        for one in known:
            one.body = body(doc or ast.get_docstring(one), depth)
        with_what_is_new(known, signature_of(live))
        return list(known)
    one = known[0] if known else None
    signature = signature_of(live)
    if signature is None:
        args = one.args if one else parsed("def f(*args: Any, **keywords: Any): ...")[0].args
    else:
        args = arguments(signature, one, in_class)
        if live is qd.init:
            for arg in args.kwonlyargs:
                arg.annotation = ast.Name(OPTION_TYPES[_environment.ROWS[arg.arg][1]])
    if one:
        decorators, doc = one.decorator_list, doc or ast.get_docstring(one)
    else:
        decorators = [ast.Name(d) for d in decorators]
    return [ast.FunctionDef(name, args, body(doc, depth), list(decorators), one.returns if one else ANY, None)]


def base_of(live, names):
    """The name of the nearest base class that the module has too."""
    if issubclass(live, enum.Enum):
        return "enum.IntEnum" if issubclass(live, int) else "str, enum.Enum" if issubclass(live, str) else "enum.Enum"
    named = {v: k for k, v in names.items() if isinstance(v, type) and not k.startswith("_")}
    for base in live.__mro__[1:]:
        if base in named:
            return named[base]
        if issubclass(base, BaseException) and base.__module__ == "builtins":
            return base.__name__
    return None


def annotated(name, annotation):
    return ast.AnnAssign(ast.Name(name), annotation if isinstance(annotation, ast.AST) else ast.parse(annotation).body[0].value, None, 1)


def is_swizzle(found):
    return type(found).__name__ == "_Swizzle"


def swizzles():
    """The type of names such as xyz: a thousand attributes would hide the others in the lists that editors show."""
    names = [name for name in dir(qd.Matrix) if len(name) > 1 and is_swizzle(inspect.getattr_static(qd.Matrix, name))]
    letters = "xyzwrgbastpq"
    names.sort(key=lambda name: (letters.index(name[0]) // 4, len(name), [letters.index(c) for c in name]))  # errors show the first
    return parsed(f"_Swizzle: TypeAlias = Literal[{', '.join(map(repr, names))}]")


def member(name, found, live):
    """A member of a class that nothing is known of."""
    if isinstance(found, (staticmethod, classmethod)):
        return function(name, found.__func__, decorators=[type(found).__name__], in_class=True)
    if inspect.isroutine(found):
        return function(name, found, in_class=True)
    if is_swizzle(found):
        return [annotated(name, ANY)] if len(name) == 1 else []
    if isinstance(found, property):
        return [annotated(name, ANY)]
    return [annotated(name, type(found).__name__ if type(found) in (int, float, str, bool) else ANY)]


def defined(nodes):
    """name -> its definitions, in order; other statements under None"""
    found = {}
    for node in nodes:
        name = getattr(node, "name", None)
        if isinstance(node, ast.AnnAssign):
            name = node.target.id
        elif isinstance(node, ast.Assign):
            name = node.targets[0].id
        found.setdefault(name, []).append(node)
    return found


def class_(name, live, names, known=None):
    if issubclass(live, enum.Enum) and known is None:
        values = [ast.Assign([ast.Name(m.name)], ast.Constant(m.value), lineno=1) for m in live]
        return ast.ClassDef(name, [ast.Name(base_of(live, names))], [], [*doc_first(live), *values], [])
    have = defined(known.body) if known else {}
    own = []
    base = base_of(live, names)
    above = names.get(base) if base else None
    above = above or (getattr(__import__("builtins"), base) if base else object)
    constructor = have.pop("__init__", None)
    if constructor or "__init__" in vars(live) or (signature_of(live) and not issubclass(live, BaseException)):
        initial = vars(live).get("__init__")
        if constructor and len(constructor) > 1:
            own += constructor
        elif initial is not None:
            own += function("__init__", initial, constructor or (), in_class=True)
        elif signature_of(live).parameters and not base:
            made = function("__init__", live, constructor or ())[0]
            made.args.args.insert(0, ast.arg("self"))
            made.body = body(None)
            own.append(made)
    for node in own:
        node.returns = ast.Constant(None)
    for attribute in sorted(dir(live)):
        if attribute.startswith("_"):
            continue
        found = inspect.getattr_static(live, attribute)
        if attribute in have:
            nodes = have.pop(attribute)
            plain = getattr(found, "__func__", found)
            own += function(attribute, plain, nodes, in_class=True) if isinstance(nodes[0], ast.FunctionDef) else nodes
        elif inspect.getattr_static(above, attribute, None) is not found:
            own += member(attribute, found, live)
    for operator, result in OPERATORS.items():
        found = inspect.getattr_static(live, f"__{operator}__", None)
        if found is not None and f"__{operator}__" not in have and inspect.getattr_static(above, f"__{operator}__", None) is not found:
            if operator[0] == "i" and f"__{operator[1:]}__" in have:
                continue  # what is known of x + y holds for x += y
            (made,) = function(f"__{operator}__", getattr(found, "__func__", found), in_class=True)
            made.body, made.returns = body(None), ast.parse(result).body[0].value
            own.append(made)
    rest = [node for key, nodes in have.items() if key is not None for node in nodes]
    bases = known.bases if known and known.bases else [ast.Name(base)] if base else []
    return ast.ClassDef(name, bases, [], [*(doc_first(live)), *own, *rest] or body(None), [])


def doc_first(live):
    text = docstring(live)
    return body(text) if text else []


def config():
    """The type of qd.cfg."""
    rows = [row for row in _environment.ROWS.values() if row[3] == "config"]
    lines = [f"    {row[0]}: {OPTION_TYPES[row[1]]}\n    {row[6]!r}" for row in rows]
    return parsed('class _Config:\n    """The live options."""\n    arch: Any\n' + "\n".join(lines) + "\n    @property\n    def default_up(self) -> type[Any]: ...")


def value(module, name, live, names):
    """The declaration of something that is neither known, nor a function nor a class."""
    if isinstance(live, types.ModuleType):
        package, _, last = live.__name__.rpartition(".")
        return parsed(f"from {package} import {last} as {name}")
    first = next(other for other, found in names.items() if found is live)
    if isinstance(live, _dtypes.DType):
        return parsed(f"{name} = {live.name}")
    if isinstance(live, enum.Enum):
        return [annotated(name, "_Arch" if type(live).__name__ == "Arch" else "Any")]
    if isinstance(live, list):
        return [annotated(name, "list[Any]")]
    if inspect.isroutine(live):
        return function(name, live)
    if type(live) in (int, float, str, bool):
        return [annotated(name, type(live).__name__)]
    if callable(live) and signature_of(live) is not None and first == name:
        return function(name, live)
    return [annotated(name, ANY)]


def declaration(module, name, live, names, known):
    top = vars(qd).get(name) if module != "quadrants" else None
    if known:
        if isinstance(known[0], ast.ClassDef):
            if any("Protocol" in ast.unparse(base) for base in known[0].bases):
                return known  # describes other objects than its own instances
            return [class_(name, live, names, known[0])]
        return function(name, live, known) if isinstance(known[0], ast.FunctionDef) else known
    if top is live and not isinstance(live, (types.ModuleType, int, float, str, list)):
        return parsed(f"from quadrants import {name} as {name}")
    if isinstance(live, type):
        same = next((other for other, found in names.items() if found is live and not other.startswith("_")), name)
        return [class_(name, live, names)] if same == name else parsed(f"{name} = {same}")
    if name in ("_wrap",):
        return parsed("_wrap = wrap")
    return value(module, name, live, names)


def stub(module):
    live = importlib.import_module(module)
    names = names_of(module)
    source = HERE / f"{module}.pyi"
    body_of = parsed(source.read_text()) if source.exists() else []
    out, done = [], {}
    if live.__doc__:
        out.append(ast.Expr(ast.Constant(inspect.cleandoc(live.__doc__))))
    known = defined(body_of)
    imported = {a.asname or a.name for n in known.get(None, ()) for a in getattr(n, "names", ())}
    if not source.exists():
        out += parsed("import enum\nfrom collections.abc import Iterator\nfrom typing import Any, Self")
    for node in body_of:
        name = next((k for k, nodes in known.items() if k is not None and node in nodes), None)
        if name in done:
            continue
        if name is None:
            out.append(node)  # an import, or the text about the name above
            continue
        done[name] = True
        out += declaration(module, name, names[name], names, known[name]) if name in names else known[name]
    if module == "quadrants":
        out += swizzles() + config() + [class_("_Arch", type(qd.cpu), names)]
    left = [name for name in names if name not in done and name not in imported]
    for name in left:
        out += declaration(module, name, names[name], names, None)
    if module == "quadrants":
        out += parsed("from quadrants import cache as cache, coverage as coverage, distributed as distributed")
    text = ast.unparse(ast.fix_missing_locations(ast.Module(out, [])))
    return HEAD + re.sub(r":\n +\.\.\.(?=\n|$)", ": ...", text) + "\n"


def path_of(module):
    live = Path(importlib.import_module(module).__file__)
    inside = PACKAGE.joinpath(*module.split(".")[1:])
    return inside / "__init__.pyi" if live.name == "__init__.py" else inside.with_suffix(".pyi")


if __name__ == "__main__":
    for module in MODULES:
        path_of(module).write_text(stub(module))
