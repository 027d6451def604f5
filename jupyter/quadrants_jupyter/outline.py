"""The graph of a kernel: selects and describes the steps to show; and the display of `%qd_graph`, nested boxes."""

import inspect
from html import escape

from quadrants._live import graphs
from quadrants._live.adstack import shown_name
from quadrants_jupyter import cells

MIME = "application/vnd.quadrants.checkpoints+json"
VERSION = 1
font = ("font-family:monospace;font-family:var(--jp-code-font-family,monospace);font-size:13px;"
         "font-size:var(--jp-code-font-size,13px);line-height:1.5")


def steps_of(kernel, all_steps):
    """Returns what is shown of each of these steps; line numbers are those of the cell."""
    info = kernel._primal
    entry = cells.registry.entries.get(info.name)
    return graphs.steps_of(kernel, all_steps, entry.shift if entry is not None and entry.file == info.fn.__code__.co_filename else 0)


def _times(count):
    return {0: "", 1: "ran once"}.get(count, f"ran {count} times")


def words(step):
    """Describes the outcome of a step; the same as in widgets/checkpoints/shown.ts."""
    said = []
    if step["kind"] == "task":
        said.append(_times(step["runs"] or 0))
    elif step["kind"] == "level":
        said.append(f"iteration {step['iteration']}" if step["iteration"] is not None else "")
    else:
        said.append(step["state"])
    if step["flag"] and step["value"] is not None:
        said.append(f"{step['flag']} = {step['value']}")
    elif step["flag"] and step["kind"] == "checkpoint":
        said.append(f"yields on {step['flag']}")
    return ", ".join(word for word in said if word)


def outline_of(kernel, args, keywords):
    """Returns (the kernel, its steps) as it is compiled for these arguments; without arguments (None), as it was compiled last or can be
    compiled; the steps are None if the arguments are needed to compile it."""
    from quadrants._language import stepper

    own, first = stepper.kernel_of(kernel, "%qd_graph")
    if args is not None:
        outline = own._outline(own._bind(*first, *args, **keywords))
    else:
        outline = own._outline(None)
        if outline is None and len(inspect.signature(own).parameters) == len(first):
            outline = own._outline(first)
        elif outline is None and own._compile_like(None):
            outline = own._outline(None)
    if outline is None:
        return own, None
    all_steps = [{**one, "runs": 0} if one["kind"] == "task" else one for one in stepper.described(outline)]
    return own, steps_of(own, [all_steps[at] for at in graphs.shown_steps(own, all_steps)])


_around = {"level": "border:1px solid rgba(128,128,128,.7);border-left:4px solid #3a7bd5", "region": "border:1px dashed rgba(128,128,128,.9)",
           "section": "border:1px solid rgba(128,128,128,.5);flex:1 1 14em",
           "checkpoint": "border:1px solid rgba(128,128,128,.7);border-left:4px solid #e8710a"}
_marks = {"level": "↻", "region": "∥", "section": "", "checkpoint": "❚❚"}


def _boxes(steps):
    """Renders steps of one depth and the steps inside them as nested boxes; sections are placed next to each other."""
    out, at = "", 0
    while at < len(steps):
        step = steps[at]
        inside = graphs.following(steps, step)
        at += 1 + len(inside)
        text, said = escape(step["text"]), words(step)
        if step["kind"] == "task":
            out += f'<div style="padding:.1em 0;white-space:pre-wrap">{text}</div>'
            continue
        kind = "section" if step["kind"] == "checkpoint" and not step["flag"] else step["kind"]  # a checkpoint that never yields
        row = ";display:flex;flex-wrap:wrap;gap:.5em" if step["kind"] == "region" else ""
        out += (f'<div style="{_around[kind]};border-radius:4px;padding:.2em .7em .4em;margin:.35em 0;box-sizing:border-box">'
                f'<div>{f"""<span aria-hidden="true">{_marks[kind]}</span> """ if _marks[kind] else ""}<b>{text}</b>'
                + (f' <span style="opacity:.8">{escape(said)}</span>' if said else "")
                + f'</div><div style="padding-left:.6em{row}">{_boxes(inside)}</div></div>')
    return out


class Graph:
    """The display of `%qd_graph`."""

    def __init__(self, kernel, steps):
        self.name, self.steps = shown_name(kernel._primal.name), steps

    def __repr__(self):
        lines = [f"{self.name}: the graph"]
        for step in self.steps:
            said = words(step)
            lines.append(f"   {'  ' * step['depth']}{step['text']}" + (f"  ({said})" if said else ""))
        return "\n".join(lines)

    def picture(self):
        return f'<div style="{font}"><div><b>{escape(self.name)}</b>: the graph</div><div style="max-width:60em">{_boxes(self.steps)}</div></div>'

    def _repr_mimebundle_(self, **_):
        steps = [{key: value for key, value in step.items() if key != "microseconds"} for step in self.steps]
        kept = {"version": VERSION, "kernel": self.name, "next": None, "over": False, "yielded": None, "moves": 0, "plan": True,
                "steps": steps, "arrays": {}}
        return {"text/plain": repr(self), "text/html": self.picture(), MIME: kept}
