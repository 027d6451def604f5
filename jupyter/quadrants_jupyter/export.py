"""The counts of a notebook in pages made by nbconvert: the content of JupyterLab's gutter, as text next to the code.

`Marks` finds the counts of each cell, `Highlighter` writes them. The configuration in etc/jupyter/ selects both for
`jupyter nbconvert` and for the export of a Jupyter server.
"""

import re
from html import escape

from nbconvert.filters.highlight import Highlight2HTML
from nbconvert.preprocessors import Preprocessor
from nbformat.v4 import new_output
from quadrants_jupyter.looks import MIME, digest, dim, level, said_of_branches, short

_KEPT = 1  # version of the compact form, see labextension/src/kept.ts
_lines_of_code = re.compile(r"(?s)(.*<pre[^>]*>(?:<span></span>)?)(.*?)\n?(</pre>.*)")
_words = {"taken": "never true", "not_taken": "never false", "entered": "never entered", "exhausted": "only left by break"}


# nbconvert keeps classes, but drops styles of elements.
_style = (f"<style>\n.qd-mark-count {{ {dim}; user-select: none; display: inline-block; padding: 0 .4em; margin-right: .6em; white-space: pre }}\n"
          f".qd-mark-branch, .qd-mark-kept {{ {said_of_branches}; user-select: none }}\n.qd-mark-kept {{ border-style: solid }}\n.qd-mark-busiest {{ font-weight: bold }}\n"
          + "\n".join(f".qd-mark-{n} {{ background-color: rgba(232,113,10,{n / 100:.2f}) }}" for n in range(1, 61)) + "\n</style>")


class Marks(Preprocessor):
    """Writes to the metadata of each cell the counts that belong to its text, in the form of the lab extension: its own, or those of a
    listing in the notebook. The heat scale is that of all cells together."""

    def preprocess(self, nb, resources):
        cells = [cell for cell in nb.cells if cell.cell_type == "code"]
        listed, marked = dict(_listed(cells)), []
        for cell in cells:
            own = digest(cell.source)
            shown = _kept(cell, own)
            if not shown or not any(shown):
                shown = listed.get(own)
            cell.metadata.pop("quadrants", None)
            if shown:
                marked.append((cell, *shown))
        most = max([1, *(row[1] or 0 for _, lines, _ in marked for row in lines)])
        for cell, lines, stacks in marked:
            cell.metadata["quadrants"] = {"shown": {"lines": lines, "stacks": stacks, "most": most}}
        if marked:
            _add_style(marked[0][0])
        return nb, resources


def _add_style(cell):
    """Adds the style to an output of the cell, since HTML of outputs is passed on unchanged. Adds no new output if one exists that can hold
    it."""
    for output in cell.outputs:
        data = output.get("data", {})
        if isinstance(data.get("text/html"), str):
            data["text/html"] = _style + data["text/html"]
            return
    cell.outputs.append(new_output("display_data", {"text/html": _style}))


def _kept(cell, own):
    """Returns the lines in the metadata of a cell, and those whose values gradients keep; None if they belong to a different text, or have
    an unknown form."""
    found = _dict(_dict(cell.metadata.get("quadrants")).get("coverage"))
    if found.get("version") != _KEPT or found.get("digest") != own:
        return None
    rows, stacks = found.get("lines"), found.get("kept")
    if not isinstance(rows, list):
        return None
    stacks = [row for row in _list(stacks) if isinstance(row, list) and len(row) == 3]
    return [_row(*row[:2], *row[4:5]) for row in rows if isinstance(row, list) and _is_counted(row)], _stack_rows(stacks)


def _listed(cells):
    """Yields (digest, (lines, lines whose values gradients keep)) of the cells in the outputs, newest last."""
    for cell in cells:
        for output in cell.get("outputs", ()):
            for shown_cell in _dict(output.get("data", {}).get(MIME)).get("cells", ()):
                lines = [_dict(line) for line in _list(_dict(shown_cell).get("lines"))]
                rows = [_row(line["number"], line["count"] if line.get("launched", True) else None, line.get("outcomes"))
                        for line in lines if _is_counted([line.get("number"), line.get("count")])]
                stacks = [(line.get("number"), line.get("bytes"), line.get("of")) for line in map(_dict, _list(_dict(shown_cell).get("kept")))]
                if rows or stacks:
                    yield shown_cell.get("digest"), (rows, _stack_rows(stacks))


def _dict(value):
    return value if isinstance(value, dict) else {}


def _list(value):
    return value if isinstance(value, list) else []


def _is_counted(row):
    return len(row) >= 2 and type(row[0]) is int and (row[1] is None or type(row[1]) is int)


def _row(number, count, outcomes=None):
    """The count is None if no kernel with this line was launched."""
    return [number, count, [_words[name] for name in _words if count and _dict(outcomes).get(name) == 0]]


def _stack_rows(stacks):
    """Returns what gradients keep: [number, text]."""
    rows = []
    for number, count, values in stacks:
        if type(number) is int and type(count) is int and isinstance(values, list):
            of = dict.fromkeys(f"{one.get('name') or 'a value'} in the loop of line {one.get('loop')}" for one in map(_dict, values))
            rows.append([number, f"gradients keep {short(count)}B: {', '.join(of)}"])
    return rows


class Highlighter(Highlight2HTML):
    """Highlights code with its counts, in a column of their own that is not copied with the code."""

    def __call__(self, source, language=None, metadata=None):
        if source.startswith("%%qd_kernel"):
            language = "python3"  # the lexer of IPython does not highlight cells of unknown magics
        page = super().__call__(source, language, metadata)
        shown = _dict((metadata or {}).get("quadrants")).get("shown")
        found = _lines_of_code.fullmatch(page) if shown else None
        return _with_counts(found, source, **shown) if found else page


def _with_counts(found, source, lines, stacks, most):
    before = len(source) - len(source.lstrip("\n"))  # Pygments drops blank lines at either end
    rows = {row[0] - before: row for row in lines}
    kept = {number - before: text for number, text in stacks}
    out = []
    for number, code in enumerate(found[2].split("\n"), 1):
        _, times, branches = rows.get(number, (number, "", ()))
        kind, text = "", times
        if times is None:
            text = "\u2013"
        elif times == 0:
            text = "never"
        elif times:
            kind, text = f" qd-mark-{level(times, most)}" + " qd-mark-busiest" * (times == most), short(times)
        said = f' <span class="qd-mark-branch">{escape(", ".join(branches))}</span>' if branches else ""
        if number in kept:
            said += f' <span class="qd-mark-kept">{escape(kept[number])}</span>'
        out.append(f'<span class="qd-mark-count{kind}">{text:>5}</span>{code}{said}')
    return found[1] + "\n".join(out) + "\n" + found[3]
