"""Writes docs/reference/: every public name with its signature, types and docstring, from the stubs of the package; magics, commands
and the entry points of other tools from the live modules; errors from the programs of tests/errors.

Each name is an object of Sphinx's Python domain (`:::{py:function} svd(A)`), so that the site has an index, an inventory for intersphinx, and
anchors such as #qd.Matrix.trace that depend only on the name. The heading above it is for readers of the Markdown files; build.py
removes it.

`make reference` runs it after `make stubs`. A name of `qd` that no topic below has ends it with an error.
"""

import ast
import inspect
import re
import sys
from pathlib import Path

import reference_errors

ROOT = Path(__file__).resolve().parents[1]
STUBS = ROOT / "quadrants_core" / "python" / "quadrants"
OUT = ROOT / "docs" / "reference"

# page -> (title, what it is about, names of qd)
TOPICS = {
    "programs": ("Programs", "Starting and ending a program, its options, logging, architectures.",
        "init is_initialized reset sync cfg dump_compile_config is_extension_enabled extension set_logging_level is_logging_effective "
        "TRACE DEBUG INFO WARN ERROR CRITICAL cpu gpu python x64 x86_64 arm64 cuda vulkan metal amdgpu __version__ __version_str__"),
    "kernels": ("Kernels and funcs", "What makes a kernel of a Python function, and annotations of its parameters.",
        "kernel func real_func pyfunc pure data_oriented perf_dispatch Template template ref sparse_matrix_builder"),
    "kernel-scope": ("Inside of kernels", "Loops, compile time, hints, streams, and what asks the device.",
        "static static_assert static_print grouped ndrange loop_config stream_parallel block_local cache_read_only mesh_local "
        "assume_in_range volatile_load no_activate stop_grad get_addr rescale_index mesh_patch_idx global_thread_idx clock_counter "
        "clock_freq_hz checkpoint graph_do_while graph_parallel graph_parallel_context GraphStatus"),
    "numbers": ("Number types", "Types of numbers; as functions they convert.",
        "u1 i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 uint1 int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64"),
    "arithmetic": ("Arithmetic", "Functions of numbers, vectors and matrices, in kernels and in Python.",
        "abs acos asin atan2 bit_cast bit_shr cast ceil cos exp floor frexp log max min one pow randn random raw_div raw_mod round rsqrt "
        "select sin sqrt tan tanh zero"),
    "atomics": ("Atomic updates", "`x[i] += v` in a parallel loop is atomic by itself; these are for the other updates, and for the old value.",
        "atomic_add atomic_sub atomic_mul atomic_min atomic_max atomic_and atomic_or atomic_xor atomic_exchange atomic_cas"),
    "matrices": ("Vectors and matrices", "Small vectors and matrices, whose sizes are known at compile time.",
        "Matrix Vector svd sym_eig eig polar_decompose make_spd solve outer"),
    "fields": ("Fields and trees", "Storage that kernels name as globals, and the trees that it may lie in.",
        "field Field ScalarField MatrixField StructField Layout SNode FieldsBuilder root axes BitpackedFields activate deactivate is_active "
        "append length deactivate_all_snodes clear_all_gradients i j k l ij ik il jk jl kl ijk ijl ikl jkl ijkl"),
    "arrays": ("Arrays and tensors", "Storage that is passed to kernels as an argument.",
        "ndarray Ndarray ScalarNdarray VectorNdarray MatrixNdarray tensor Tensor VectorTensor MatrixTensor Backend wrap BufferView"),
    "structs": ("Structs", "Records of numbers, vectors, matrices and other records.", "Struct dataclass"),
    "meshes": ("Meshes", "Loops over vertices, edges, faces and cells.", "Mesh MeshInstance"),
    "streams": ("Streams and devices", "Order of launches, and what other devices are described by.",
        "Stream Event create_stream create_event DeviceCapability Format"),
    "watching": ("Watching a program", "The window that shows a running program, and what the program does with it.",
        "inspect"),
    "windows": ("Windows", "A window with a canvas; windows with scenes and widgets are in [qd.ui](ui.md), pictures in files in [qd.tools](tools.md).",
        "GUI rgb_to_hex hex_to_rgb"),
    "exceptions": ("Exceptions", "Errors that the package raises; [messages](errors.md) has their causes and remedies.",
        "QuadrantsCompilationError QuadrantsSyntaxError QuadrantsArgumentError QuadrantsTypeError QuadrantsNameError "
        "QuadrantsIndexError QuadrantsRuntimeError "
        "QuadrantsRuntimeTypeError QuadrantsAssertionError QuadrantsInterruptedError"),
}  # fmt: skip
PARTS = {  # page -> module
    "ad": "quadrants.ad", "algorithms": "quadrants.algorithms", "cache": "quadrants.cache",
    "distributed": "quadrants.distributed", "graph": "quadrants.lang.graph", "interop": "quadrants.interop",
    "linalg": "quadrants.linalg", "math": "quadrants.math", "profiler": "quadrants.profiler", "simt": "quadrants.simt",
    "simt-block": "quadrants.simt.block", "simt-grid": "quadrants.simt.grid", "simt-subgroup": "quadrants.simt.subgroup",
    "simt-warp": "quadrants.simt.warp", "sparse": "quadrants.sparse", "tools": "quadrants.tools", "types": "quadrants.types",
    "types-enums": "quadrants.types.enums", "ui": "quadrants.ui",
}  # fmt: skip
ON_DEMAND = {  # page -> names of no stub: (source, module, names)
    "ad": [("_gradients/agreement.py", "qd.ad", "check"), ("_gradients/verdict.py", "qd.ad", "Check")],
}
NOTES = {  # what constants are
    **{name: f"The level {name} of `qd.set_logging_level`." for name in "TRACE DEBUG INFO WARN ERROR CRITICAL".split()},
    **{name: f"The axes {', '.join(name)} of levels of trees." for name in "i j k l ij ik il jk jl kl ijk ijl ikl jkl ijkl".split()},
    "cpu": "The processor of the machine.", "gpu": "The GPUs that could be there, for `qd.init`; without one it takes the processor.",
    "python": "Kernels run as Python code: slow, with breakpoints and `print`.", "x64": "Processors x86-64; `qd.cpu` on such a machine.",
    "x86_64": "The same as `qd.x64`.", "arm64": "Processors AArch64; `qd.cpu` on such a machine.", "cuda": "GPUs of NVIDIA: not there yet.",
    "vulkan": "GPUs by Vulkan: not there yet.", "metal": "GPUs of Apple: not there yet.", "amdgpu": "GPUs of AMD: not there yet.",
    "cfg": "The options of the running program: `qd.cfg.debug`; None before `qd.init`, and on `qd.python`. See [options](options.md).", "root": "The first tree, an `SNode`.",
    "__version__": "The version as three numbers.", "__version_str__": "The version as text.",
    "pi": "3.14159...", "e": "2.71828...", "inf": "Infinity.", "nan": "Not a number.",
    "Tile16x16": "A matrix of 16x16 numbers that the threads of a subgroup hold together; needs a GPU.",
    "Tile32x32": "A matrix of 32x32 numbers that the threads of a subgroup hold together; needs a GPU.",
    "annotations": "Annotations of parameters under their earlier names.", "enums": "See [qd.types.enums](types-enums.md).",
    "primitive_types": "The number types, and lists of them.",
    "extension": "What an architecture can do.", "DeviceCapability": "Capabilities of devices.", "Format": "Formats of images.",
}  # fmt: skip
SECTIONS = {"Args": "Parameters", "Returns": "Returns", "Raises": "Errors", "Attributes": "Attributes"}
WORD = re.compile(r"(?<![\w.`/(\[-])(Any)(?![\w.])")


def module_path(module):
    inside = STUBS.joinpath(*module.split(".")[1:])
    return inside / "__init__.pyi" if inside.is_dir() else inside.with_suffix(".pyi")


def declared(module):
    """name -> (its definitions in the stub, the text behind a constant)"""
    body = ast.parse(module_path(module).read_text(encoding="utf-8")).body
    found = {}
    for node, behind in zip(body, [*body[1:], None]):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            name = node.name
        elif isinstance(node, ast.AnnAssign):
            name = node.target.id
        elif isinstance(node, ast.Assign):
            name = node.targets[0].id
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if alias.asname == alias.name:
                    found[alias.name] = ([node], None)
            continue
        else:
            continue
        text = None
        if isinstance(node, (ast.AnnAssign, ast.Assign)) and isinstance(behind, ast.Expr) and isinstance(behind.value, ast.Constant):
            text = behind.value.value
        found.setdefault(name, ([], text))[0].append(node)
    return found


def shown_name(module, name):
    short = {"quadrants": "qd", "quadrants.lang.graph": "qd.graph"}.get(module, "qd" + module.removeprefix("quadrants"))
    return f"{short}.{name}"


def parameters(node, in_class=False):
    """Names of the parameters of a definition."""
    a = node.args
    names = [p.arg for p in [*a.posonlyargs, *a.args, *a.kwonlyargs]]
    names += ["*" + a.vararg.arg] if a.vararg else []
    names += ["**" + a.kwarg.arg] if a.kwarg else []
    return [n for n in names if not (in_class and n in ("self", "cls"))]


def signature(name, node, in_class=False):
    """As in Python, without types that say nothing."""
    made = ast.parse(ast.unparse(node.args and ast.FunctionDef("f", node.args, [ast.Pass()], [], node.returns, lineno=1))).body[0]
    a = made.args
    public = [(p, default) for p, default in zip(a.kwonlyargs, a.kw_defaults) if not p.arg.startswith("_")]
    a.kwonlyargs, a.kw_defaults = [p for p, _ in public], [default for _, default in public]
    everything = [*a.posonlyargs, *a.args, *a.kwonlyargs, *([a.vararg] if a.vararg else []), *([a.kwarg] if a.kwarg else [])]
    for p in everything:
        said = "" if p.annotation is None else ast.unparse(p.annotation)
        if said == "Any" or re.search(r"(^|[^\w])_(?!Array|Shape|Type\\b|Axes)\w", said):
            p.annotation = None
    if in_class and a.args and a.args[0].arg in ("self", "cls"):
        a.args.pop(0)
    text = ast.unparse(a).replace("_Array", "np.ndarray").replace("_Shape", "Shape").replace("_Type", "Type").replace("_Axes", "Axes")
    gives = ast.unparse(made.returns) if made.returns is not None else "Any"
    gives = gives.replace("_Array", "np.ndarray")
    arrow = f" -> {gives}" if gives not in ("Any", "None") and "_" not in gives else ""
    return f"{name}({text}){arrow}"


def directive(kind, name, body, canonical="", module=None, inside=False, **options):
    """Returns an object of Sphinx's Python domain. The fence of a class is longer than those of its members."""
    fence = ":::" if inside else "::::"
    options = {"canonical": canonical, "module": module, **options}
    lines = [f":{key}: {value}".rstrip() for key, value in options.items() if value or key == "module" and value is not None]
    return "\n".join([f"{fence}{{py:{kind}}} {name}", *lines]) + (f"\n\n{body}" if body else "") + f"\n{fence}"


def signature_of(name, nodes, in_class):
    """Returns the signature of the overload with the most parameters; of several, the one with the fewest types."""
    return max((signature(name, node, in_class) for node in nodes), key=lambda text: (text.count(","), text.count("("), -len(text)))


def attributes(text, types, canonical):
    """Yields an object for each attribute of a docstring's section."""
    for line in re.sub(r"\n {8,}", " ", text).split("\n"):
        names, _, said = line.strip().partition(": ")
        *others, last = names.split(", ")
        for name in [*others, last]:  # the text stands below the last
            text = said[:1].upper() + said[1:] if name == last else ""
            yield directive("attribute", name, text, canonical and f"{canonical}.{name}", inside=True, type=types.get(name))


def prose(text, types=None, canonical=""):
    """Returns a docstring as Markdown: sections become headings in bold, examples blocks of code; with `types`, attributes become objects."""
    out = []
    for part in re.split(r"\n\s*\n", inspect.cleandoc(text)):
        head, _, rest = part.partition("\n")
        key = head.rstrip(":")
        if head == "Example:" or head.startswith(">>>"):
            body = inspect.cleandoc(rest) if head == "Example:" else part
            fenced = body.startswith(">>>")
            body = re.sub(r"  # doctest:.*", "", body)
            out.append(("**Example**\n\n" if head == "Example:" else "") + (f"```pycon\n{body}\n```" if fenced else body))
        elif key in SECTIONS and head.endswith(":"):
            if key == "Attributes" and types is not None:
                out.append("**Attributes**\n\n" + "\n\n".join(attributes(rest, types, canonical)))
            elif key in ("Args", "Attributes"):
                rows, lines = [], rest.split("\n")
                for line in lines:
                    if line.startswith("        "):
                        rows[-1] += " " + line.strip()
                    else:
                        name, _, said = line.strip().partition(": ")
                        name = name.replace("*", r"\*") if "," in name else name
                        rows.append(f"- `{name}`: {said}" if "," not in name else "- " + ", ".join(f"`{n.strip()}`" for n in name.split(",")) + f": {said}")
                out.append(f"**{SECTIONS[key]}**\n\n" + "\n".join(rows))
            else:
                out.append(f"**{SECTIONS[key]}**: " + " ".join(rest.split()))
        else:
            out.append(part)
    return "\n\n".join(out)


def doc(nodes):
    return next((text for node in nodes if (text := ast.get_docstring(node, clean=True))), "")


def function(name, nodes, canonical="", in_class=False):
    """Returns the entry of a function or a method."""
    decorators = {ast.unparse(d) for d in nodes[0].decorator_list}
    kind = " (static)" if "staticmethod" in decorators else " (of the class)" if "classmethod" in decorators else ""
    last = name.rpartition(".")[2]
    code = signature_of(last, nodes, in_class)
    text = doc(nodes)
    if name == "qd.init":  # its keywords are options, which have a page
        code = re.sub(r", \*, .*\)", ", **options)", code)
        text = text.partition("\n\nOptions:\n")[0] + "\n\nAll options: [options](options.md)."
    if not in_class:
        return f"## {shown(name)}\n\n" + directive("function", code, prose(text), canonical)
    flag = {" (static)": {"staticmethod": " "}, " (of the class)": {"classmethod": " "}}.get(kind, {})
    return f"### {last}{kind}\n\n" + directive("method", code, prose(text), canonical, inside=True, **flag)


def attribute_types(node):
    """Returns name -> type of the annotated attributes of a class whose types tell something."""
    said = {n.target.id: ast.unparse(n.annotation).replace("_Array", "np.ndarray") for n in node.body if isinstance(n, ast.AnnAssign)}
    return {name: text for name, text in said.items() if text != "Any" and not re.search(r"(^|\W)_\w", text)}


def class_(full, node, canonical="", module=None):
    """Returns the entry of a class, with its members inside."""
    name = full.rpartition(".")[2]
    text = ast.get_docstring(node, clean=True) or NOTES.get(name, "")
    parts = []
    bases = [ast.unparse(b) for b in node.bases if not ast.unparse(b).startswith(("Generic", "Protocol", "_", "str", "enum"))]
    init = [n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"]
    code = signature_of(name, init, True) if init else name
    if bases:
        parts.append("A kind of " + ", ".join(f"`{b}`" for b in bases) + ".")
    parts.append(prose(text, attribute_types(node), canonical))
    values = [n for n in node.body if isinstance(n, ast.Assign)]
    if values:
        parts.append("**Values**: " + ", ".join(f"`{n.targets[0].id}`" for n in values))
    methods = {}
    for n in node.body:
        if isinstance(n, ast.FunctionDef) and not n.name.startswith("__"):
            methods.setdefault(n.name, []).append(n)
    for method, nodes in methods.items():
        if method.startswith("_") and not doc(nodes):
            continue
        inner = canonical and f"{canonical}.{method}"
        if any(ast.unparse(d) == "property" for d in nodes[0].decorator_list):
            parts.append(f"### {method} (attribute)\n\n" + directive("property", method, prose(doc(nodes)), inner, inside=True))
        else:
            parts.append(function(f"{full}.{method}", nodes, inner, True))
    kind = "exception" if name.endswith("Error") else "class"
    return f"## {full}\n\n" + directive(kind, code, "\n\n".join(part for part in parts if part), canonical, module)


def shown(full):
    return f"`{full}`" if "__" in full else full  # not bold


def entry(module, name, nodes, text):
    full = shown_name(module, name)
    canonical = f"{module.replace('.lang.', '.')}.{name}"
    node = nodes[0]
    if isinstance(node, ast.FunctionDef):
        return function(full, nodes, canonical)
    if isinstance(node, ast.ClassDef):
        return class_(full, node, canonical)
    kind, code = "data", name
    if isinstance(node, ast.ImportFrom):
        if node.module == "quadrants._pyright":
            return f"## {full}\n\n" + directive("data", name, "The same as `NdarrayType`.", canonical)
        if node.module != "quadrants":
            return f"## {full}\n\n{NOTES.get(name, 'A module.')}"
        body, original = f"The same as `qd.{name}`.", declared("quadrants")[name][0]
        if isinstance(original[0], ast.FunctionDef):
            kind, code = "function", signature_of(name, original, False)
    elif isinstance(node, ast.Assign):
        body = f"The same as `{ast.unparse(node.value)}`."
    else:
        body = text or NOTES.get(name) or "Of type " + ast.unparse(node.annotation) + "."
    return f"## {shown(full)}\n\n" + directive(kind, code, body, canonical)


def public(module):
    return {name: found for name, found in declared(module).items() if not name.startswith("_") or name in ("__version__", "__version_str__")}


def is_module(nodes):
    return isinstance(nodes[0], ast.ImportFrom)


def page(title, about, entries, module="qd"):
    # qd itself is declared on the page with all names
    head = ":::{py:currentmodule} qd\n:::" if module == "qd" else directive("module", module, "", inside=True)
    return f"# {title}\n\n{head}\n\n{about}\n\n" + "\n\n".join(entries) + "\n\n---\n\nMade from the docstrings of the package by `make reference`.\n"


def kernel_objects(names):
    """Returns the section on decorated kernels, made from their class in the stub."""
    return class_("KernelObject", names["_Kernel"][0][0], module="").replace("## KernelObject", "## Kernel objects", 1)


def inspector_objects():
    """Returns the sections on the results of `qd.inspect` and of its `param`, whose classes have no public name."""
    for module, name in (("inspector", "Inspector"), ("parameters", "Parameter")):
        text = (STUBS / f"_inspect/{module}.py").read_text(encoding="utf-8")
        node = next(n for n in ast.parse(text).body if isinstance(n, ast.ClassDef) and n.name == name)
        node.body = [node.body[0], *(n for n in node.body if isinstance(n, ast.FunctionDef) and not n.name.startswith("_") and doc([n]))]
        yield class_(name, node, module="")


def from_source(path, module, names):
    """Entries of names that the package loads on demand, so that no stub has them."""
    body = ast.parse((STUBS / path).read_text(encoding="utf-8")).body
    for name in names.split():
        node = next(n for n in body if isinstance(n, (ast.FunctionDef, ast.ClassDef)) and n.name == name)
        if isinstance(node, ast.FunctionDef):
            yield name, function(f"{module}.{name}", [node], f"quadrants{module[2:]}.{name}")
            continue
        node.body = [n for n in node.body if not isinstance(n, ast.FunctionDef) or not n.name.startswith("_") and doc([n])]
        yield name, class_(f"{module}.{name}", node, f"quadrants{module[2:]}.{name}")


def pages():
    """file name -> text"""
    made, index = {}, []
    names = declared("quadrants")
    left = {name for name, (nodes, _) in public("quadrants").items() if not is_module(nodes)}
    for key, (title, about, listed) in TOPICS.items():
        entries = []
        for name in listed.split():
            left.discard(name)
            entries.append(entry("quadrants", name, *names[name]))
            index.append((shown_name("quadrants", name), key))
        if key == "kernels":
            entries.append(kernel_objects(names))
        if key == "watching":
            entries.extend(inspector_objects())
        made[f"{key}.md"] = page(title, about, entries)
    if left:
        sys.exit(f"names of qd without a topic in docs/api.py: {' '.join(sorted(left))}")
    for key, module in PARTS.items():
        body = ast.parse(module_path(module).read_text(encoding="utf-8"))
        entries = []
        for name, (nodes, text) in public(module).items():
            entries.append(entry(module, name, nodes, text))
            index.append((shown_name(module, name), key))
        for path, prefix, listed in ON_DEMAND.get(key, ()):
            for name, text in from_source(path, prefix, listed):
                entries.append(text)
                index.append((f"{prefix}.{name}", key))
        made[f"{key}.md"] = page(shown_name(module, "")[:-1], ast.get_docstring(body) or "", entries, shown_name(module, "")[:-1])
    counts = list(from_source("_coverage/counts.py", "qd.coverage", "snapshot counters branches specialisations record clear FileCounts Specialisation"))
    index += [(f"qd.coverage.{name}", "coverage") for name, _ in counts]
    about = ast.get_docstring(ast.parse((STUBS / "coverage.py").read_text(encoding="utf-8")))
    made["coverage.md"] = page("qd.coverage", f"{about} More in [coverage](../coverage.md).", [text for _, text in counts], "qd.coverage")
    from reference_tools import commands, environment, magics

    made |= reference_errors.pages()
    made["magics.md"] = magics()
    made["environment.md"] = environment()
    made["commands.md"] = commands()
    made["README.md"] = contents(index)
    return made


def anchor(name):
    return re.sub(r"[^\w\- ]", "", name.lower()).replace(" ", "-")


def contents(index):
    lines = ["# Reference", "", ":::{py:module} qd", ":::", "", "Every public name, with its signature, types, parameters, errors and an example that the tests run.", ""]
    lines += [f"- [{title}]({key}.md): {about.split('; ')[0].rstrip('.')}." for key, (title, about, _) in TOPICS.items()]
    modules = {shown_name(module, "")[:-1]: key for key, module in PARTS.items()} | {"qd.coverage": "coverage"}
    lines += ["- Modules: " + ", ".join(f"[{name}]({key}.md)" for name, key in sorted(modules.items()))]
    lines += [
        "- [Magics](magics.md) of notebooks, [commands](commands.md) of the shell", "- [Options](options.md) of `qd.init`",
        "- [Variables of the environment](environment.md)", "- [Errors](errors.md): each message with its cause and what to do: " + ", ".join(f"[{title[0].lower() + title[1:]}](errors-{key}.md)" for key, (title, _) in reference_errors.TOPICS.items()),
        "", "## Every name", "",
    ]  # fmt: skip
    lines += [f"- [`{name}`]({key}.md#{anchor(name)})" for name, key in sorted(index, key=lambda row: row[0].lower())]
    return "\n".join(lines) + "\n"


def main():
    OUT.mkdir(exist_ok=True)
    made = pages()
    for old in OUT.glob("*.md"):
        if old.name not in made and old.name != "options.md":
            old.unlink()
    for name, text in made.items():
        (OUT / name).write_text(text, encoding="utf-8")
    print(f"{len(made)} pages in {OUT}")


if __name__ == "__main__":
    main()
