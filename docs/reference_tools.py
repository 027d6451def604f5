"""Pages of docs/reference/ that do not come from stubs: magics, commands, variables of the environment, errors. See api.py."""

import ast
import re
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ERRORS = ROOT / "tests" / "errors"
REMEDIES = ROOT / "docs" / "remedies.txt"
MADE = "\n\n---\n\nMade by `make reference`.\n"
LINE = re.compile(r"(QuadrantsSyntaxError|Quadrants\w+Error|\w+Error|\w+Warning, line \d+): ?(.*)", re.S)
TOPICS = (  # title, beginnings of the names of the programs in tests/errors
    ("Arguments and annotations", "annotated annotation argument buffer_view call_keyword dataclass func_annotation func_array_e func_array_r "
     "func_matrix func_result kernel_annotation kernel_result runtime_number missing_argument multiple_values ndarray_of parameter real_func_result "
     "too_many unexpected_argument sparse_builder_func"),
    ("Kernels, funcs and what they may hold", "break class_def continue error_ external for_else foreign func_return func_rec function_def "
     "generator global import internal iterable kernel_from loop_ long_line math_function name_ python_function range_ real_func requires "
     "return star_keywords unsupported while_else with_ tabs builtin_keyword unexpected_keyword call_a text_choice tuple_choice "
     "variable_python value_element in_operator not_in is_not is_op list_ literal_ comprehension append_in_loop unpack_ nested_list source_ isinstance lambda_ named_ super_ too_large"),
    ("Numbers and types", "and_ assign assume atomic augmented bit bitand cast constant division dtype floor fraction_lost frexp if_ invert narrowing negative "
     "not_float number_ popcnt randn round select sin_ string_plus while_float rescale shapes_differ ternary volatile"),
    ("Vectors and matrices", "determinant eig inverse make_spd matmul matrix outer polar solve svd swizzle sym_eig transpose vector unpacked numpy tensor_to method_of"),
    ("Fields, arrays and indices", "bounds field_ index_of ndarray_ slice_of activate append deactivate is_active length_not dynamic cell_loop block_local mesh"),
    ("Static, templates and pure kernels", "static in_static is_static is_not_static pure grouped ndrange endless iterator"),
    ("Structs", "struct"),
    ("Assertions, printing and formats", "assert print format percent"),
    ("Derivatives", "derivative stop_grad"),
    ("Graphs, checkpoints and streams", "graph checkpoints stream"),
    ("Sparse matrices and algorithms", "sparse_builder algorithms prefix_sum"),
    ("Operations of GPUs", "simt tile on_lanes"),
)  # fmt: skip


def remedies():
    """name of a program in tests/errors -> what to do"""
    found = {}
    for line in REMEDIES.read_text(encoding="utf-8").splitlines():
        names, mark, said = line.partition(": ")
        if mark and not line.startswith("#"):
            found |= dict.fromkeys(names.split(), said)
    return found


def cases():
    """(name, class of the error, message, hint or None, program) of every program that is wrong"""
    for path in sorted(ERRORS.glob("*.expected")):
        text = path.read_text(encoding="utf-8").rstrip()
        program = path.with_suffix(".py").read_text(encoding="utf-8")
        if not program.strip():
            continue
        yield (path.stem, *message(text), program)


def message(text):
    """(class, message, hint) of what the user sees, without places in the source"""
    first = text.split("\n", 1)[0]
    if ", line " in first and first.split(",")[0].endswith("Warning"):
        kind, said = first.split(",")[0], first.split(": ", 1)[1]
        return kind, said, None
    kind, _, rest = text.partition(":")
    lines, hint, body = rest.strip("\n").split("\n"), None, []
    skip = 0
    for line in lines:
        if line.lstrip().startswith("File "):
            skip = 1
            continue
        if skip and (line.startswith("    ") or not line.strip() or set(line.strip()) <= set("^~")):
            continue
        skip = 0
        if not set(line.strip()) - set("^~"):
            continue
        if line.startswith("Hint: "):
            hint = line[6:]
        else:
            body.append(line)
    return kind, " ".join(" ".join(body).split()), hint


def topic_of(name):
    best = max(((len(start), title) for title, starts in TOPICS for start in starts.split() if name.startswith(start)), default=None)
    return best[1] if best else None


def errors():
    known = remedies()
    lines = [
        "# Errors", "",
        "Each message with a program that causes it, and what to do. Messages name the line of the kernel, with a caret, and the calls that "
        "lead there; those are left out here. The programs are those of tests/errors, which the tests run.", "",
        "Errors have one of three origins. **Yours**: a kernel or a call is wrong; the classes below say so. **Ours**: a message that begins with "
        "`internal error` is a bug of Quadrants: please report it with the program. **The device's**: out of memory, or a driver that refuses, "
        "is a `RuntimeError` that names the device.", "",
    ]  # fmt: skip
    rows = list(cases())
    for title, _ in TOPICS:
        lines += [f"## {title}", ""]
        for name, kind, said, hint, program in rows:
            if topic_of(name) != title:
                continue
            cause = program.strip().removeprefix("import quadrants as qd").strip()
            lines += [
                f"### {name.replace('_', ' ')}", "", f"`{kind}`", "", "```text", *textwrap.wrap(said, 116, break_on_hyphens=False), "```", "",
                "Cause:", "", "```python", cause, "```", "", f"What to do: {(hint or known.get(name, '')).rstrip('.')}.", "",
            ]  # fmt: skip
    return "\n".join(lines) + MADE


def magics():
    """From the docstrings of the magics, and the options that their parsers have."""
    source = ROOT / "jupyter" / "quadrants_jupyter" / "magics.py"
    tree = ast.parse(source.read_text(encoding="utf-8"))
    from quadrants_jupyter import magics as live

    lines = ["# Magics", "", "In the Quadrants kernel they are there; in ipykernel after `%load_ext quadrants_jupyter`. "
             "`--help` after a name shows what stands here.", ""]  # fmt: skip
    (cls,) = [n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == "QuadrantsMagics"]
    for node in cls.body:
        decorators = {ast.unparse(d) for d in getattr(node, "decorator_list", [])}
        if not decorators & {"line_magic", "line_cell_magic"}:
            continue
        mark = "%%" if "line_cell_magic" in decorators else "%"
        summary, _, usage = ast.get_docstring(node).partition("\n\n")
        lines += [f"## {mark}{node.name}", "", summary, ""]
        if usage:
            lines += ["```text", usage, "```", ""]
        parser = live.parsers.get(mark + node.name)
        if parser is not None:
            for action in parser._actions:
                name = ", ".join(f"`{o}`" for o in action.option_strings) or f"`{action.metavar or action.dest}`"
                choices = " (" + ", ".join(map(str, action.choices)) + ")" if action.choices else ""
                lines.append(f"- {name}{choices}: {action.help or 'names of kernels'}")
            lines.append("")
    return "\n".join(lines) + MADE


OUTSIDE = {  # variables that are not options
    "XDG_CACHE_HOME": "the folder in which compiled kernels are kept, as `quadrants`; without it `~/.cache`",
    "NO_COLOR": "no colours in reports of coverage and doctor",
    "JUPYTER_PLATFORM_DIRS": "of Jupyter: 1: folders as the platform has them",
}


def environment():
    from quadrants import _environment

    lines = ["# Variables of the environment", "",
             "Each option of `qd.init` is also read from `QD_<NAME>`; a keyword goes before it. Flags are `1`, `true`, `on`, `yes` or `0`, "
             "`false`, `off`, `no`; an empty variable counts as none. Types and defaults: [options](options.md).", "", "| variable | |", "| --- | --- |"]  # fmt: skip
    rows = [(_environment.variable(row[0]), row[6]) for row in _environment.ROWS.values() if row[3] != "keyword" and row[5]]
    rows += OUTSIDE.items()
    lines += [f"| `{name}` | {said} |" for name, said in sorted(rows)]
    return "\n".join(lines) + "\n" + MADE


def commands():
    """Returns the text of their own --help."""
    from quadrants import _command

    lines = ["# Commands", "", "The package installs `quadrants`; `python -m quadrants` is the same.", ""]
    for name, said in _command.help_pages():
        lines += [f"## {name}", "", "```text", said.rstrip(), "```", ""]
    return "\n".join(lines) + MADE
