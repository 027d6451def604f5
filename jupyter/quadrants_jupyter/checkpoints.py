"""`%qd_step`: a launch in steps with the arrays of its kernel. Data (the Python side of widgets/protocol/checkpoints.ts), plain text,
static HTML, widget. Times are shown in the live widget only."""

import ast
import builtins
import dataclasses
import dis
import inspect
import uuid
from html import escape

from IPython.core.error import UsageError

from quadrants._display import html as _values_html
from quadrants._display import values as _values
from quadrants._live import activity, graphs
from quadrants._live.adstack import shown_name
from quadrants_jupyter import errors, outline, progress
from quadrants_jupyter.models import model_class

TRAITS = {"data": "Dict"}
_MOST = 1 << 22  # maximum number of elements of an array that is read after each step
_TABLE = 12  # maximum number of rows and columns of an array shown as a table
_CHANGES = 6  # maximum number of changed elements that are listed
_ARRAYS = ("ndarray", "field", "matrix_field", "struct_field", "tensor")
MOVES = ("task", "step", "iteration", "run", "back", "resume", "edit")


# --- arrays ----------------------------------------------------------------------------------------------------------

class Array:
    """An array of the kernel; `read` is its content after the newest step, `before` its content after the previous one."""

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
        """Returns a mask of the elements that changed."""
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

    def element(self, index):
        """Returns the text by which `edit` restores the element."""
        return repr(self.fetch()[index].item())

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
                picture += '<div style="opacity:.8">changed (orange)</div>' + _values_html.marked(where)
        changes = []
        for index in np.argwhere(changed)[:_CHANGES].tolist() if changed.any() else []:
            at = tuple(index)
            place = f"[{', '.join(map(str, index))}]: " if index else ""
            changes.append(place + " → ".join(_values_html.numbers_apart(self.before[at].item(), read[at].item())))
        return {"name": self.name, "dtype": _values_html.short(read.dtype), "shape": list(read.shape), "rows": rows,
                "picture": picture, "changed": int(changed.sum()), "elements": int(read.size), "changes": changes,
                "marks": np.flatnonzero(changed).tolist() if rows is not None else []}


def _globals_in(code):
    inside = [_globals_in(one) for one in code.co_consts if isinstance(one, type(code))]
    return {one.argval for one in dis.get_instructions(code) if one.opname == "LOAD_GLOBAL"}.union(*inside)


def arrays_of(kernel, args):
    """Returns the arrays passed to the kernel, and the fields that it reads by name."""
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
    around = inspect.getclosurevars(fn)  # its globals include names that are only used as attributes
    outside = {name: value for name, value in around.globals.items() if name in _globals_in(fn.__code__)}
    for name, value in sorted({**outside, **around.nonlocals}.items()):
        if getattr(value, "_qd_kind_", None) in _ARRAYS:
            add(name, value)
    return found


# --- text and HTML ---------------------------------------------------------------------------------------------------

def _head(data):
    where = data["ended"] or ("at its end" if data["over"] else "stopped")
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
        said = outline.words(step)
        out.append(f"{'->' if at == data['next'] else '  '} {'  ' * step['depth']}{step['text']}" + (f"  ({said})" if said else ""))
    for array in data["arrays"]:
        rows = array["rows"]
        value = f" = {rows[0][0]}" if rows is not None and not array["shape"] else ""
        said = _changed(array)
        out.append(f"   {_title(array)}{value}" + (f"  ({said})" if said else ""))
    if data["error"]:
        out.append(data["error"])
    return "\n".join(out)


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
        said, sign = outline.words(step), _states.get(step["state"], "")
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
    return (f'<div style="{outline.font}"><div><b>{escape(_head(data))}</b></div>{error}<div style="display:flex;flex-wrap:wrap;gap:0 3em">'
            f"<div>{lines}</div><div>{arrays}</div></div></div>")


def _stored(data, arrays):
    """Returns what an output stores for nbval: no times, numbers instead of pictures."""
    steps = [{key: value for key, value in step.items() if key != "microseconds"} for step in data["steps"]]
    held = {array.name: _values.described(array.read) for array in arrays}
    kept = {key: data[key] for key in ("kernel", "next", "over", "yielded", "moves", "plan")}
    return {"version": outline.VERSION, **kept, "steps": steps, "arrays": held}


class _Running:
    """Shows the progress of a move in the widget, whose buttons wait meanwhile."""

    def __init__(self, model):
        self.model = model

    def show(self, progress):
        self.model.send({"running": activity.text_of(progress) if progress is not None else ""})

    def end(self):
        """Does nothing: the result of the move is sent with the data."""


# --- display ---------------------------------------------------------------------------------------------------------

class Stepping:
    """The display of `%qd_step`: a launch, its arrays, and the widget that moves it."""

    def __init__(self, shell, stepper):
        self.shell, self.stepper, self.model, self.id = shell, stepper, None, uuid.uuid4().hex
        self.arrays = arrays_of(stepper.kernel, stepper.args)
        self.moves, self.said, self.error = 0, "", ""
        self.failure = None  # the exception behind `error`
        self.ended = ""  # how an error or Stop ended the launch
        self.shown = graphs.shown_steps(stepper.kernel, stepper.state()["steps"])
        self.strides = []  # for each move: the number of calls of the stepper; for an edit: the array, the index, the old value
        self.look()

    def look(self):
        for array in self.arrays:
            array.look()

    def move(self, how, label=None):
        """Makes one step; an error of the kernel ends the launch and is stored as text."""
        self.error, self.failure = "", None
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
            self.error, self.failure = errors.in_one_line(error), error
            self.ended = self.interrupted() if isinstance(error, KeyboardInterrupt) else "ended by an error"
        else:
            self.ended = self.ended if self.stepper.over else ""  # a launch that was interrupted makes no more moves
        self.look()
        self.say(how)

    def interrupted(self):
        iterations = [step["iteration"] for step in self.stepper.state()["steps"] if step["kind"] == "level" and step["iteration"]]
        return f"interrupted in iteration {' · '.join(f'{iteration:,}' for iteration in iterations)}" if iterations else "interrupted"

    def task(self):
        """Moves past one task that is shown."""
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
        newest = self.strides.pop() if self.strides else 1
        if isinstance(newest, tuple):
            array, index, text = newest
            array.edit(index, text)
            return
        for _ in range(newest):
            if not self.stepper.back():
                self.strides.clear()
                self.error = "there is no earlier step to go back to"

    def may_go_back(self, kept):
        """Returns the number of moves and edits that can be undone while the stepper keeps `kept` calls."""
        count = 0
        for stride in reversed(self.strides):
            kept -= 0 if isinstance(stride, tuple) else stride
            if kept < 0:
                break
            count += 1
        return count

    def edit(self, name, index, text):
        self.error = ""
        try:
            array = next(one for one in self.arrays if one.name == name)
            at = tuple(int(i) for i in index)
            before = array.element(at) if len(at) == array.read.ndim and all(0 <= i < e for i, e in zip(at, array.read.shape)) else None
            array.edit(at, str(text).strip())
            self.strides.append((array, at, before))
            self.look()
            place = f"[{', '.join(map(str, index))}]" if index else ""
            self.said = f"{name}{place} was set to {str(text).strip()}"
        except Exception as error:
            self.error = str(error).strip().splitlines()[0]

    def say(self, how):
        state = self.stepper.state()
        where = f"the launch was {self.ended}" if self.ended else "the launch has finished" if state["over"] else "the launch has stopped"
        if state["yielded"] is not None:
            where = f"the launch yielded at {dict(self.labels(state))[state['yielded']]}"
        changed = [array.name for array in self.arrays if array.changed().any()]
        done = {"back": "one step back", "resume": "started again"}.get(how, "")
        self.said = "; ".join(part for part in (done, where, f"changed: {', '.join(changed)}" if changed else "nothing changed") if part)

    def labels(self, state):
        return list({s["label"]: (s["label"], s["name"] or str(s["label"]))
                     for s in state["steps"] if s["kind"] == "checkpoint" and s["label"] is not None}.values())

    def names(self):
        """Returns the names of the checkpoints that can be resumed from."""
        return [name for _, name in self.labels(self.stepper.state())]

    def data(self):
        state = self.stepper.state()
        at = None if state["over"] else next((k for k, step in enumerate(self.shown) if step >= state["next"]), None)
        return {"kernel": shown_name(state["kernel"]), "plan": False,
                "steps": outline.steps_of(self.stepper.kernel, [state["steps"][k] for k in self.shown]), "next": at, "over": state["over"], "yielded": state["yielded"],
                "labels": [list(one) for one in self.labels(state)], "back": self.may_go_back(state["back"]),
                "arrays": [array.data() for array in self.arrays], "moves": self.moves, "said": self.said, "error": self.error,
                "ended": self.ended}

    def on_message(self, _, content, buffers):
        """Handles a message of a button, or of an element that was edited."""
        how = content.get("do")
        if how not in MOVES:
            return
        self.moves += 1
        if how == "edit":
            self.edit(content["name"], content["index"], content["value"])
        else:
            with progress.shown.following(_Running(self.model)):
                self.move(how, content.get("label"))
        self.publish()

    def publish(self):
        if self.model is not None:
            self.model.data = self.data()
        data, metadata = self.shell.display_formatter.format(self)
        self.shell.display_pub.publish(data, metadata, transient={"display_id": self.id}, update=True)

    def from_cell(self, how, label):
        """Makes a move that a cell requests, and shows it in the output of that cell."""
        if how == "resume":
            known = self.labels(self.stepper.state())
            chosen = [number for number, name in known if label.split(".")[-1] in (name, str(number))]
            if not chosen:
                raise UsageError(f"%qd_step: no checkpoint {label}; there are {', '.join(name for _, name in known) or 'none'}")
            label = chosen[0]
        self.move(how, label)
        if self.model is not None:
            self.model.data = self.data()
        self.id = uuid.uuid4().hex
        self.end_cell()

    def end_cell(self):
        """Shows the move that a cell requested. The cell fails if the kernel did, or if Stop was pressed."""
        from IPython.display import display

        display(self, display_id=self.id)
        if self.failure is not None:
            raise self.failure

    def __repr__(self):
        return plain_text(self.data())

    def _repr_mimebundle_(self, **_):
        data = self.data()
        shown = {"text/plain": plain_text(data), "text/html": static_html(data), outline.MIME: _stored(data, self.arrays)}
        make = model_class("checkpoints", **TRAITS)
        if make is None:
            return shown
        if self.model is None:
            self.model = make(data=data)
            self.model.on_msg(self.on_message)
        bundle = self.model._repr_mimebundle_()
        widget = bundle[0] if isinstance(bundle, tuple) else bundle
        return {**(widget or {}), **shown}


newest = None  # Stepping of the most recent %qd_step


def call_of(shell, text):
    """Returns (kernel, positional arguments, keywords) for the text of a call; (kernel, None, None) for a name alone. Raises SyntaxError
    for mistakes in the text itself, including undefined names."""
    tree = ast.parse(text.strip(), mode="eval").body
    known = {**vars(builtins), **shell.user_global_ns, **shell.user_ns}
    bound = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    bound |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id not in known and node.id not in bound:
            raise SyntaxError(f"name {node.id!r} is not defined")

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


def need_kernel(kernel):
    """Raises SyntaxError if it is not a kernel."""
    if getattr(getattr(kernel, "__func__", kernel), "_qd_kind_", None) != "kernel":
        raise SyntaxError(f"a kernel is needed, got {kernel!r}")


def begin(shell, text):
    """Begins a launch of the call in `text`, and runs it to the end of its first checkpoint; without checkpoints, of its first task."""
    global newest
    from quadrants._language import stepper

    kernel, args, keywords = call_of(shell, text)
    need_kernel(kernel)
    if args is None:
        raise SyntaxError(f"a call is needed: %qd_step {text.strip()}(...)")
    launch = stepper.Stepper(kernel, *args, **keywords)
    newest = Stepping(shell, launch)
    has_checkpoints = any(step["kind"] == "checkpoint" for step in launch.state()["steps"])
    newest.move("step" if has_checkpoints else "task")
    return newest
