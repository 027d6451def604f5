"""`%qd_step` and `%qd_graph`: a launch in steps with the arrays of its kernel, or its graph alone. Data (the Python side of
widgets/protocol/checkpoints.ts), plain text, static HTML, widget. Times stand in the live widget only."""

import ast
import dataclasses
import functools
import inspect
import linecache
import pathlib
import uuid
from html import escape

from quadrants._display import html as _values_html
from quadrants._display import values as _values
from quadrants_jupyter import cells

MIME = "application/vnd.quadrants.checkpoints+json"
VERSION = 1
_MOST = 1 << 22  # elements of an array that is looked at after each step
_TABLE = 12  # rows and columns of an array that is a table
_CHANGES = 6  # changed elements that are told one by one
_ARRAYS = ("ndarray", "field", "matrix_field", "struct_field", "tensor")
MOVES = ("task", "step", "turn", "run", "back", "resume", "edit")


# --- the graph -------------------------------------------------------------------------------------------------------

def shown_steps(kernel, told):
    """Which of the steps of Stepper.state() are shown. Tasks that work out the bounds of a loop, or count it or the head of a block,
    belong to what stands there."""
    file = kernel._primal.fn.__code__.co_filename
    newest = {one["line"]: at for at, one in enumerate(told) if one["kind"] == "task"}

    def is_head(at, line):
        source = linecache.getline(file, line).strip()
        return source.startswith(("while ", "with ")) or (source.startswith("for ") and newest[line] != at)

    return [at for at, one in enumerate(told) if one["kind"] != "task" or not is_head(at, one["line"])]


def steps_of(kernel, told):
    """What is shown of each of these steps."""
    info = kernel._primal
    file = info.fn.__code__.co_filename
    entry = cells.registry.entries.get(info.name)
    shift = entry.shift if entry is not None and entry.file == file else 0
    steps = []
    for one in told:
        kind = one["kind"]
        step = {"kind": kind, "depth": one["depth"], "text": "", "label": one.get("label"), "state": one.get("state", ""),
                "flag": one.get("flag"), "value": one.get("value"), "turn": one.get("turn"), "runs": one.get("runs"),
                "microseconds": one.get("microseconds")}
        if kind == "task":
            source = linecache.getline(file, one["line"]).strip()
            step["text"] = f"line {one['line'] + shift}: {source}" if source else f"line {one['line'] + shift}"
        elif kind == "level":
            step["text"] = f"do_while {one['flag']}"
        elif one["label"] is None:
            step["text"] = "loop that is a checkpoint of its own"
        else:
            step["text"] = f"checkpoint {one['name'] or one['label']}"
        steps.append(step)
    return steps


def _times(count):
    return {0: "", 1: "ran once"}.get(count, f"ran {count} times")


def words(step):
    """What became of a step; the same as in widgets/checkpoints/shown.ts."""
    said = []
    if step["kind"] == "task":
        said.append(_times(step["runs"] or 0))
    elif step["kind"] == "level":
        said.append(f"turn {step['turn']}" if step["turn"] is not None else "")
    else:
        said.append(step["state"])
    if step["flag"] and step["value"] is not None:
        said.append(f"{step['flag']} = {step['value']}")
    elif step["flag"] and step["kind"] == "checkpoint":
        said.append(f"yields on {step['flag']}")
    return ", ".join(word for word in said if word)


def outline_of(kernel, args, keywords):
    """(the kernel, its steps) as it is compiled for these arguments."""
    from quadrants._language import stepper

    launch = stepper.Stepper(kernel, *args, **keywords)
    told = launch.state()["steps"]
    plan = [{**told[at], "turn": None, "value": None, "state": ""} for at in shown_steps(launch.kernel, told)]
    return launch.kernel, steps_of(launch.kernel, plan)


# --- arrays ----------------------------------------------------------------------------------------------------------

class Array:
    """Of the kernel; `read` is what it held after the newest step, `before` what it held after the one before."""

    def __init__(self, name, value, member=None):
        self.name, self.value, self.member = name, value, member
        self.read = self.before = None

    def fetch(self):
        import numpy as np

        if isinstance(self.value, np.ndarray):
            return self.value.copy()
        found = self.value.to_numpy()
        return found[self.member] if self.member else found

    def look(self):
        self.before = self.read
        self.read = self.fetch()

    def changed(self):
        """Where it is another than before."""
        import numpy as np

        if self.before is None or self.before.shape != self.read.shape:
            return np.zeros(self.read.shape, bool)
        same = self.before == self.read
        if self.read.dtype.kind == "f":
            same |= np.isnan(self.before) & np.isnan(self.read)
        return ~same

    def edit(self, index, text):
        import numpy as np

        if len(index) != self.read.ndim:
            raise ValueError(f"{self.name} has {self.read.ndim} indices, got {len(index)}")
        if any(not 0 <= i < extent for i, extent in zip(index, self.read.shape)):
            raise ValueError(f"{self.name} has no element {list(index)}: its shape is {list(self.read.shape)}")
        number = float(text) if self.read.dtype.kind == "f" else int(text, 0)
        if isinstance(self.value, np.ndarray):
            self.value[index] = number
            return
        now = self.fetch()
        now[index] = number
        self.value.from_numpy({**self.value.to_numpy(), self.member: now} if self.member else now)

    def data(self):
        import numpy as np

        read, changed = self.read, self.changed()
        rows, picture = None, ""
        if read.ndim <= 2 and all(extent <= _TABLE for extent in read.shape):
            table = read.reshape(1, -1) if read.ndim < 2 else read
            rows = [[_values_html.number(x) for x in row] for row in table.tolist()]
        else:
            axes = read.ndim - len(self.value.shape)
            picture = _values_html.body(read, axes)
            if changed.any():
                where = changed.any(axis=tuple(range(-axes, 0))) if axes else changed
                picture += _values_html.marked(where)
        told = []
        for index in np.argwhere(changed)[:_CHANGES].tolist() if changed.any() else []:
            at = tuple(index)
            place = f"[{', '.join(map(str, index))}]: " if index else ""
            told.append(f"{place}{_values_html.number(self.before[at].item())} → {_values_html.number(read[at].item())}")
        return {"name": self.name, "dtype": _values_html.short(read.dtype), "shape": list(read.shape), "rows": rows,
                "picture": picture, "changed": int(changed.sum()), "elements": int(read.size), "changes": told,
                "marks": np.flatnonzero(changed).tolist() if rows is not None else []}


def arrays_of(kernel, args):
    """Those that the kernel is given, and fields that it reads by name."""
    import numpy as np

    fn = kernel._primal.fn
    used, found, seen = set(fn.__code__.co_names), [], set()

    def add(name, value, inside=False):
        if id(value) in seen:
            return
        if isinstance(value, np.ndarray) or getattr(value, "_qd_kind_", None) in _ARRAYS:
            seen.add(id(value))
            if _values._size(value) > _MOST:
                return
            if getattr(value, "_qd_kind_", None) == "struct_field":
                members = value.to_numpy()
                found.extend(Array(f"{name}.{m}", value, m) for m, held in members.items() if not isinstance(held, dict))
            else:
                found.append(Array(name, value))
        elif dataclasses.is_dataclass(value) and not isinstance(value, type):
            for field in dataclasses.fields(value):
                add(f"{name}.{field.name}", getattr(value, field.name))
        elif not inside and not isinstance(value, type) and hasattr(value, "__dict__"):
            for member, held in vars(value).items():
                if member in used:
                    add(f"{name}.{member}", held, True)

    for name, value in zip(inspect.signature(fn).parameters, args):
        add(name, value)
    around = inspect.getclosurevars(fn)
    for name, value in sorted({**around.globals, **around.nonlocals}.items()):
        if getattr(value, "_qd_kind_", None) in _ARRAYS:
            add(name, value)
    return found


# --- text and HTML ---------------------------------------------------------------------------------------------------

def _head(data):
    if data["plan"]:
        return f"{data['kernel']}: the graph"
    where = "at its end" if data["over"] else "stopped"
    if data["yielded"] is not None:
        where = f"yielded at {dict(data['labels'])[data['yielded']]}"
    return f"{data['kernel']}: {where}"


def _changed(array):
    if not array["changed"]:
        return ""
    rest = array["changed"] - len(array["changes"])
    return f"{array['changed']} of {array['elements']} changed" + (
        f": {', '.join(array['changes'])}" + (f" and {rest} more" if rest else "") if array["changes"] else "")


def _title(array):
    return f"{array['name']} {array['dtype']}" + (f" {' × '.join(map(str, array['shape']))}" if array["shape"] else "")


def plain_text(data):
    out = [_head(data)]
    for at, step in enumerate(data["steps"]):
        said = words(step)
        out.append(f"{'->' if at == data['next'] else '  '} {'  ' * step['depth']}{step['text']}" + (f"  ({said})" if said else ""))
    for array in data["arrays"]:
        rows = array["rows"]
        value = f" = {rows[0][0]}" if rows is not None and not array["shape"] else ""
        said = _changed(array)
        out.append(f"   {_title(array)}{value}" + (f"  ({said})" if said else ""))
    if data["error"]:
        out.append(data["error"])
    return "\n".join(out)


_font = ("font-family:monospace;font-family:var(--jp-code-font-family,monospace);font-size:13px;"
         "font-size:var(--jp-code-font-size,13px);line-height:1.5")
_states = {"done": "✓", "skipped": "–", "yielded": "❚❚", "running": "▸", "pending": "·", "": ""}


def _static_rows(array):
    across = len(array["rows"][0]) if array["rows"] else 0
    out = ""
    for r, row in enumerate(array["rows"]):
        tds = ""
        for c, text in enumerate(row):
            new = r * across + c in array["marks"]
            tds += (f'<td style="text-align:right;padding:0 .6em{";border-bottom:2px solid #e8710a;font-weight:bold" if new else ""}">'
                    f"{escape(text)}</td>")
        out += f"<tr>{tds}</tr>"
    return f'<table style="border-collapse:collapse;margin:0">{out}</table>'


def static_html(data):
    lines = ""
    for at, step in enumerate(data["steps"]):
        here = at == data["next"]
        said, sign = words(step), _states.get(step["state"], "")
        text = escape(step["text"])
        lines += (f'<div style="padding-left:{1.4 * step["depth"]:.1f}em;border-left:4px solid {"#e8710a" if here else "transparent"}">'
                  f'<span aria-hidden="true">{sign}</span> {"<b>" + text + "</b>" if step["kind"] != "task" else text}'
                  + (f' <span style="opacity:.8">{escape(said)}</span>' if said else "") + (" <b>next</b>" if here else "") + "</div>")
    arrays = ""
    for array in data["arrays"]:
        said = _changed(array)
        arrays += (f'<div style="margin:.3em 0"><b>{escape(array["name"])}</b> {escape(_title(array)[len(array["name"]) + 1:])}'
                   + (f' <span style="opacity:.8">{escape(said)}</span>' if said else "")
                   + (_static_rows(array) if array["rows"] is not None else array["picture"]) + "</div>")
    error = f'<div style="border-left:4px solid #c62828;padding-left:.5em">{escape(data["error"])}</div>' if data["error"] else ""
    return (f'<div style="{_font}"><div><b>{escape(_head(data))}</b></div>{error}<div style="display:flex;flex-wrap:wrap;gap:0 3em">'
            f"<div>{lines}</div><div>{arrays}</div></div></div>")


def _stored(data, arrays):
    """What an output keeps for nbval: no times, numbers instead of pictures."""
    steps = [{key: value for key, value in step.items() if key != "microseconds"} for step in data["steps"]]
    held = {array.name: _values.described(array.read) for array in arrays}
    kept = {key: data[key] for key in ("kernel", "next", "over", "yielded", "moves", "plan")}
    return {"version": VERSION, **kept, "steps": steps, "arrays": held}


# --- display ---------------------------------------------------------------------------------------------------------

_module = pathlib.Path(__file__).parent / "static" / "checkpoints.js"


@functools.cache
def _widget_class():
    """The live widget, where anywidget is installed and the front end was built; else None."""
    if not _module.is_file():
        return None
    try:
        import anywidget
        import traitlets
    except ImportError:
        return None

    class CheckpointsModel(anywidget.AnyWidget):
        _esm = _module
        data = traitlets.Dict().tag(sync=True)

    return CheckpointsModel


class Graph:
    """What `%qd_graph` displays."""

    def __init__(self, kernel, steps):
        self.data = {"kernel": kernel._primal.name, "plan": True, "steps": steps, "next": None, "over": False, "yielded": None,
                     "labels": [], "back": 0, "arrays": [], "moves": 0, "said": "", "error": ""}

    def __repr__(self):
        return plain_text(self.data)

    def _repr_mimebundle_(self, **_):
        return {"text/plain": plain_text(self.data), "text/html": static_html(self.data), MIME: _stored(self.data, [])}


class Stepping:
    """What `%qd_step` displays: a launch, its arrays, and the widget that moves it."""

    def __init__(self, shell, stepper):
        self.shell, self.stepper, self.model, self.id = shell, stepper, None, uuid.uuid4().hex
        self.arrays = arrays_of(stepper.kernel, stepper.args)
        self.moves, self.said, self.error = 0, "", ""
        self.shown = shown_steps(stepper.kernel, stepper.state()["steps"])
        self.strides = []  # calls of the stepper that each move made
        self.look()

    def look(self):
        for array in self.arrays:
            array.look()

    def move(self, how, label=None):
        """One step; an error of the kernel ends the launch and is kept as text."""
        self.error = ""
        try:
            if how == "back":
                self.back()
            elif how == "resume":
                self.stepper.resume(label)
                self.strides.append(1)
            elif how == "task":
                self.task()
            elif not self.stepper.over:
                self.strides.append(1)
                getattr(self.stepper, how)()
        except (Exception, KeyboardInterrupt) as error:
            self.error = f"{type(error).__name__}: {error}".strip().splitlines()[0]
        self.look()
        self.say(how)

    def task(self):
        """Past one task that is shown."""
        def runs():
            steps = self.stepper.state()["steps"]
            return [steps[at].get("runs") for at in self.shown]

        before = runs()
        if not self.stepper.over:
            self.strides.append(0)
        while not self.stepper.over and runs() == before:
            self.strides[-1] += 1
            self.stepper.task()

    def back(self):
        for _ in range(self.strides.pop() if self.strides else 1):
            if not self.stepper.back():
                self.strides.clear()
                self.error = "nothing more is kept to go back to"

    def edit(self, name, index, text):
        self.error = ""
        try:
            array = next(one for one in self.arrays if one.name == name)
            array.edit(tuple(int(i) for i in index), str(text).strip())
            self.look()
            place = f"[{', '.join(map(str, index))}]" if index else ""
            self.said = f"{name}{place} was set to {str(text).strip()}"
        except Exception as error:
            self.error = str(error).strip().splitlines()[0]

    def say(self, how):
        state = self.stepper.state()
        where = "the launch is at its end" if state["over"] else "the launch has stopped"
        if state["yielded"] is not None:
            where = f"the launch yielded at {dict(self.labels(state))[state['yielded']]}"
        changed = [array.name for array in self.arrays if array.changed().any()]
        done = {"back": "one step back", "resume": "begun anew"}.get(how, "")
        self.said = "; ".join(part for part in (done, where, f"changed: {', '.join(changed)}" if changed else "nothing changed") if part)

    def labels(self, state):
        return list({s["label"]: (s["label"], s["name"] or str(s["label"]))
                     for s in state["steps"] if s["kind"] == "checkpoint" and s["label"] is not None}.values())

    def data(self):
        state = self.stepper.state()
        at = None if state["over"] else next((k for k, step in enumerate(self.shown) if step >= state["next"]), None)
        return {"kernel": state["kernel"], "plan": False,
                "steps": steps_of(self.stepper.kernel, [state["steps"][k] for k in self.shown]), "next": at, "over": state["over"], "yielded": state["yielded"],
                "labels": [list(one) for one in self.labels(state)], "back": min(len(self.strides), state["back"]),
                "arrays": [array.data() for array in self.arrays], "moves": self.moves, "said": self.said, "error": self.error}

    def on_message(self, _, content, buffers):
        """Of a button, or of an element that was edited."""
        how = content.get("do")
        if how not in MOVES:
            return
        self.moves += 1
        if how == "edit":
            self.edit(content["name"], content["index"], content["value"])
        else:
            self.move(how, content.get("label"))
        self.publish()

    def publish(self):
        if self.model is not None:
            self.model.data = self.data()
        data, metadata = self.shell.display_formatter.format(self)
        self.shell.display_pub.publish(data, metadata, transient={"display_id": self.id}, update=True)

    def from_cell(self, how, label):
        """A move that a cell asks for, and shows in its output."""
        if how == "resume":
            known = self.labels(self.stepper.state())
            chosen = [number for number, name in known if label.split(".")[-1] in (name, str(number))]
            if not chosen:
                raise ValueError(f"no checkpoint {label}; there are {', '.join(name for _, name in known) or 'none'}")
            label = chosen[0]
        self.move(how, label)
        if self.model is not None:
            self.model.data = self.data()
        self.id = uuid.uuid4().hex
        self.show()

    def show(self):
        from IPython.display import display

        display(self, display_id=self.id)

    def __repr__(self):
        return plain_text(self.data())

    def _repr_mimebundle_(self, **_):
        data = self.data()
        shown = {"text/plain": plain_text(data), "text/html": static_html(data), MIME: _stored(data, self.arrays)}
        make = _widget_class()
        if make is None:
            return shown
        if self.model is None:
            self.model = make(data=data)
            self.model.on_msg(self.on_message)
        bundle = self.model._repr_mimebundle_()
        widget = bundle[0] if isinstance(bundle, tuple) else bundle
        return {**(widget or {}), **shown}


newest = None  # Stepping of the newest %qd_step


def call_of(shell, text):
    """(the kernel, positional arguments, keywords) of the text of a call; (the kernel, None, None) of a name alone."""
    tree = ast.parse(text.strip(), mode="eval").body

    def value(node):
        return eval(compile(ast.Expression(node), "<magic>", "eval"), shell.user_global_ns, shell.user_ns)

    if not isinstance(tree, ast.Call):
        return value(tree), None, None
    args = []
    for node in tree.args:
        args.extend(value(node.value)) if isinstance(node, ast.Starred) else args.append(value(node))
    keywords = {}
    for word in tree.keywords:
        keywords.update({word.arg: value(word.value)} if word.arg else value(word.value))
    return value(tree.func), args, keywords


def begin(shell, text):
    """A launch of the call in `text`, at the end of its first checkpoint; without checkpoints, of its first task."""
    global newest
    from quadrants._language import stepper

    kernel, args, keywords = call_of(shell, text)
    if args is None:
        raise SyntaxError(f"a call is needed: %qd_step {text.strip()}(...)")
    launch = stepper.Stepper(kernel, *args, **keywords)
    newest = Stepping(shell, launch)
    has_checkpoints = any(step["kind"] == "checkpoint" for step in launch.state()["steps"])
    newest.move("step" if has_checkpoints else "task")
    return newest
