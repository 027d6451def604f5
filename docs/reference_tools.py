"""Pages of docs/reference/ that do not come from stubs: magics, commands, variables of the environment. See api.py."""

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MADE = "\n\n---\n\nMade by `make reference`.\n"


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
