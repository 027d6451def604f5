"""Prints docs/reference/options.md, from the table that the package has."""

from quadrants import _environment

HEAD = """# Options

`qd.init` takes options as keywords. Each can come from the environment instead; a keyword goes before it. Those in the tables
"keyword or variable" live in `qd.cfg` while a program runs and can be changed there: the next kernel that is compiled goes by them.
Flags are `1`, `true`, `on`, `yes` or `0`, `false`, `off`, `no`; an empty variable counts as none.

Beside these `qd.init` takes `arch`, `enable_fallback` and `require_version`.

This page is made of `quadrants_core/options/options.def` by `make reference`.
"""
TYPES = {"Flag": "flag", "Int": "integer", "Word": "integer", "Real": "number", "Text": "text", "Type": "number type"}
ACTING = {
    "config": "Keyword or variable",
    "special": "Keyword or variable, not in `qd.cfg`",
    "keyword": "Keyword alone",
    "environment": "Variable alone",
}


def shown(kind, default):
    return f"`{default}`" if kind != "Text" or default else "empty"


def table(rows, head):
    lines = [f"\n## {head}\n", "| keyword | variable | type | default | |", "| --- | --- | --- | --- | --- |"]
    for name, kind, default, by, key, _, doc in rows:
        keyword = "" if by == "environment" else f"`{name}`"
        variable = "" if by == "keyword" else f"`{_environment.variable(name)}`"
        mark = "; part of the key of kept kernels" if key == "record" else ""
        lines.append(f"| {keyword} | {variable} | {TYPES[kind]} | {shown(kind, default)} | {doc}{mark} |")
    return "\n".join(lines)


def page():
    rows = list(_environment.ROWS.values())
    parts = [table([r for r in rows if r[3] == by and r[5]], head) for by, head in ACTING.items()]
    kept = table([r for r in rows if not r[5]], "Taken, kept and without effect")
    told = "\n\nPrograms set these; they steer machinery of other backends.\n"
    return HEAD + "\n".join(parts) + "\n" + kept.replace("effect\n", "effect" + told, 1)


if __name__ == "__main__":
    print(page())
