"""Random graphs: levels, checkpoints, regions, bare statements, calls of funcs, static branches and loops, against a model in Python.
Each program records the order in which its parts ran, each section separately; launches yield and are resumed from random labels.
`python -m tests.fuzz.graphs --count N` runs more."""

import argparse
import dataclasses
import importlib.util
import pathlib
import random
import sys
import tempfile

import quadrants as qd

MOST_STEPS = 400  # in the recorded order of one launch, and of one section


@dataclasses.dataclass
class Bare:
    number: int


@dataclasses.dataclass
class Loop:
    """Runs `trips` times; `lowers`: the flag of a level that it lowers, or None; `sets`: the checkpoint whose flag it sets while
    that is armed."""

    number: int
    trips: int = 1
    lowers: str = None
    sets: tuple = None
    dense: int = -1


@dataclasses.dataclass
class Branch:
    """A loop inside a run-time `if`."""

    number: int


@dataclasses.dataclass
class Change:
    """A change of a variable of the kernel whose value is recorded: at the top, inside an `if`, or a sum in a loop."""

    number: int
    bare: bool
    in_loop: bool
    dense: int = -1


@dataclasses.dataclass
class Level:
    flag: str
    arms: int  # the value of the flag set before the loop; 0: none
    body: list
    lowers_bare: bool


@dataclasses.dataclass
class Call:
    """A call of a func with statements, loops, branches and levels in it."""

    name: str
    body: list


@dataclasses.dataclass
class Static:
    """A static branch, or a static loop with some iterations."""

    trips: int  # None: a branch
    body: list
    dense: int = -1

    @property
    def is_loop(self):
        return self.trips is not None


@dataclasses.dataclass
class Checkpoint:
    label: int
    flag: str
    body: list
    dense: int = -1


@dataclasses.dataclass
class Section:
    """Records its own order in row `row`; a heavy section is worth a thread."""

    row: int
    heavy: bool
    body: list


@dataclasses.dataclass
class Region:
    sections: list


class Plan:
    """`heavy`: some sections are worth a thread of their own."""

    def __init__(self, seed, heavy=False):
        self.random = random.Random(seed)
        self.heavy = heavy
        self.checkpoints = self.random.random() < (0.4 if heavy else 0.7)
        self.numbers = self.rows = 0
        self.flags, self.armed, self.labels, self.funcs = [], [], {}, []
        self.body = self._body(0, False)
        self.table = []
        self._count(self.body, True)

    def _number(self):
        self.numbers += 1
        return self.numbers

    def _flag(self, names, prefix):
        names.append(f"{prefix}{len(names)}")
        return names[-1]

    def _body(self, depth, in_checkpoint, most=4):
        made = []
        for _ in range(self.random.randint(1, most)):
            made.append(self._item(depth, in_checkpoint))
        return made

    def _plain(self, depth):
        """Returns the body of a func or a static loop: no checkpoints, but levels, also with statements only."""
        made = []
        for _ in range(self.random.randint(1, 3)):
            r = self.random.random()
            if r < 0.3 and depth < 3:
                made.append(self._bare_level() if self.random.random() < 0.4 else self._level(depth, self._plain))
            elif r < 0.4 and depth < 3:
                made.append(Static(self.random.choice((None, 1, 2)), self._plain(depth + 1)))
            elif r < 0.45 and depth < 3:
                made.append(self._call(depth + 1))
            else:
                made.append(self.random.choice((Bare, Loop, Loop, Branch))(self._number()))
        return made

    def _call(self, depth):
        if self.funcs and self.random.random() < 0.2:
            return self.random.choice(self.funcs)
        body = self._plain(depth)  # the funcs that it calls come first
        self.funcs.append(Call(f"func{len(self.funcs)}", body))
        return self.funcs[-1]

    def _level(self, depth, inside):
        flag = self._flag(self.flags, "f")
        lowers_bare = self.random.random() < 0.5
        body = inside(depth + 1)
        if not lowers_bare:
            body.insert(self.random.randint(0, len(body)), Loop(self._number(), 1, flag))
        return Level(flag, self.random.choice((0, 1, 2, 3)), body, lowers_bare)

    def _bare_level(self):
        flag = self._flag(self.flags, "f")
        return Level(flag, self.random.choice((0, 1, 2, 3)), [Bare(self._number())], True)

    def _item(self, depth, in_checkpoint):
        r = self.random.random()
        if r < 0.12 and depth < 3:
            return self._calling(depth, in_checkpoint)
        r = (r - 0.12) / 0.88
        if r < 0.3:
            return Loop(self._number(), self.random.choice((0, 1, 1, 2)))
        if r < 0.36:
            return Branch(self._number())
        if r < 0.46:
            return Change(self._number(), not in_checkpoint, self.random.random() < 0.4)
        if r < 0.62 and depth < 3:
            return self._level(depth, lambda depth: self._body(depth, in_checkpoint))
        if in_checkpoint:
            return Loop(self._number())
        if r < 0.85 and self.checkpoints:
            return self._checkpoint(depth)
        if r < 0.85 and not self.checkpoints:
            return Region([self._section() for _ in range(self.random.randint(0, 4))])
        return Bare(self._number())

    def _calling(self, depth, in_checkpoint):
        r = self.random.random()
        if r < 0.25:
            return Static(self.random.choice((1, 2, 2, 0)), self._plain(depth + 1))
        if r < 0.5:
            return Static(None, self._body(depth + 1, in_checkpoint, 3))
        if r < 0.7 or in_checkpoint:  # a checkpoint contains calls only in branches
            return Static(None, [self._call(depth + 1)]) if in_checkpoint else self._call(depth + 1)
        return self._bare_level()

    def _section(self):
        made = []
        for _ in range(self.random.randint(1, 3)):
            change = Change(self._number(), True, False)
            made.append(change if self.random.random() < 0.1 else self.random.choice((Bare, Loop, Branch))(change.number))
        self.rows += 1
        return Section(self.rows - 1, self.random.random() < 0.6 and self.heavy, made)

    def _checkpoint(self, depth):
        label = self.random.randint(0, 99)
        while label in self.labels:
            label += 1
        flag = self.random.choice(self.armed) if self.armed and self.random.random() < 0.2 else self._flag(self.armed, "y")
        self.labels[label] = flag
        body = [
            Loop(self._number(), 1, None, (flag, f"a{flag}")),
            *(i for i in self._body(max(depth, 1), True) if not isinstance(i, Bare)),
        ]
        self.random.shuffle(body)
        # statements that arm a level come before it, and a checkpoint may not contain them
        for item in body:
            if isinstance(item, Level):
                item.arms = 0
        return Checkpoint(label, flag, body)

    def _count(self, body, top):
        """Finds the loops that are checkpoints, at the top of the kernel or of its levels, and all labels in the order of the source."""
        for item in body:
            is_loop = isinstance(item, Loop) or isinstance(item, Change) and item.in_loop
            if isinstance(item, Checkpoint) or top and self.checkpoints and (is_loop or isinstance(item, Static) and item.is_loop):
                item.dense = len(self.table)
                self.table.append(getattr(item, "label", None))
            elif isinstance(item, Level):
                self._count(item.body, top)
            elif isinstance(item, Static) and not item.is_loop:
                self._count(item.body, False)

    # as a kernel
    def source(self):
        flags = [*self.flags, *self.armed, *(f"a{flag}" for flag in self.armed), "one"]
        given = ", ".join(f"{flag}: Flag" for flag in flags)
        lines = [
            "import quadrants as qd", "Flag = qd.types.ndarray(qd.i32, ndim=0)", "Line = qd.types.ndarray(qd.i32, ndim=1)",
        ]  # fmt: skip
        self.row, self.passed = None, f"t, {', '.join(flags)}"
        for func in self.funcs:
            lines += ["", "@qd.func", f"def {func.name}(t: Line, {given}):"]
            for item in func.body:
                self._write(item, "    ", lines)
        lines += [
            "", f"@qd.kernel(graph=True, checkpoints={self.checkpoints})", f"def k(t: Line, rows: Line, busy: Line, {given}):",
            "    acc = 1",
        ]  # fmt: skip
        for item in self.body:
            self._write(item, "    ", lines)
        return "\n".join(lines) + "\n"

    def _log(self, number, pad, lines):
        name, at = ("t", 0) if self.row is None else ("rows", self.row * (MOST_STEPS + 2))
        lines += [f"{pad}{name}[{at} + {name}[{at}] + 1] = {number}", f"{pad}{name}[{at}] += 1"]

    def _lower(self, flag, pad, lines):
        lines += [f"{pad}if {flag}[()] > 0:", f"{pad}    {flag}[()] -= 1"]

    def _write(self, item, pad, lines):
        if isinstance(item, Bare):
            self._log(item.number, pad, lines)
        elif isinstance(item, Change):
            if item.in_loop:
                lines += [f"{pad}for _ in range(2):", f"{pad}    acc += {item.number}"]
            else:
                lines += [] if item.bare else [f"{pad}if one[()] > 0:"]
                inner = pad if item.bare else pad + "    "
                lines.append(f"{inner}acc = (acc * 3 + {item.number}) % 1009")
                self._log("acc", inner, lines)
        elif isinstance(item, Branch):
            lines += [f"{pad}if one[()] > 0:", f"{pad}    for _ in range(1):"]
            self._log(item.number, pad + "        ", lines)
        elif isinstance(item, Loop):
            lines += [f"{pad}qd.loop_config(serialize=True)"] if item.trips > 1 and item.dense < 0 and pad == "" else []
            lines.append(f"{pad}for _ in range({min(item.trips, 1)}):")
            for _ in range(max(item.trips, 1)):
                self._log(item.number, pad + "    ", lines)
            if item.lowers:
                self._lower(item.lowers, pad + "    ", lines)
            if item.sets:
                flag, armed = item.sets
                lines += [f"{pad}    if {armed}[()] > 0:", f"{pad}        {armed}[()] -= 1", f"{pad}        {flag}[()] = 1"]
        elif isinstance(item, Level):
            if item.arms:
                lines.append(f"{pad}{item.flag}[()] = {item.arms}")
            lines.append(f"{pad}while qd.graph.do_while({item.flag}):")
            for inner in item.body:
                self._write(inner, pad + "    ", lines)
            if item.lowers_bare:
                self._lower(item.flag, pad + "    ", lines)
        elif isinstance(item, Call):
            lines.append(f"{pad}{item.name}({self.passed})")
        elif isinstance(item, Static):
            lines.append(f"{pad}for _ in qd.static(range({item.trips})):" if item.is_loop else f"{pad}if qd.static(True):")
            for inner in item.body:
                self._write(inner, pad + "    ", lines)
        elif isinstance(item, Checkpoint):
            lines.append(f"{pad}with qd.checkpoint({item.label}, yield_on={item.flag}):")
            for inner in item.body:
                self._write(inner, pad + "    ", lines)
        else:
            lines.append(f"{pad}with qd.graph.parallel_context():")
            for section in item.sections:
                inside = pad + "        "
                lines.append(f"{pad}    with qd.graph.parallel():")
                if section.heavy:
                    lines += [f"{inside}for _ in range(1):", f"{inside}    for j in range(40_000):"]
                    lines += [f"{inside}        busy[{section.row}] += j % 3"]
                self.row = section.row
                for inner in section.body:
                    self._write(inner, inside, lines)
                self.row = None
            if not item.sections:
                lines.append(f"{pad}    pass")

    def arguments(self):
        """Returns the values of the flags at the first launch, in the order of the parameters."""
        levels = {flag: self.random.randint(0, 3) for flag in self.flags}
        yields = {flag: 0 for flag in self.armed}
        armed = {f"a{flag}": self.random.choice((0, 0, 1, 2)) for flag in self.armed}
        return {**levels, **yields, **armed, "one": 1}


class TooLong(Exception):
    pass


def holds(item, label):
    return getattr(item, "label", None) == label or any(holds(inner, label) for inner in getattr(item, "body", ()))


class Model:
    """The effect of one launch. Loops that are checkpoints, and levels anywhere, are skipped before the checkpoint that the launch is
    resumed from, and after the one that yielded."""

    def __init__(self, plan, flags, resumed):
        self.plan, self.flags = plan, flags
        self.ahead = resumed  # the label of the checkpoint that has not been reached yet
        self.order, self.yielded, self.acc = [], None, 1
        self.rows = [[] for _ in range(plan.rows)]
        self.block(plan.body)

    def log(self, number):
        self.order.append(number)
        if len(self.order) > MOST_STEPS:
            raise TooLong

    def left_out(self, item):
        if self.yielded is not None:
            return True
        return self.ahead is not None and not holds(item, self.ahead)

    def block(self, body):
        for item in body:
            self.item(item)

    def lower(self, flag):
        self.flags[flag] -= self.flags[flag] > 0

    def item(self, item):
        if getattr(item, "dense", -1) >= 0 and self.left_out(item):
            return
        if isinstance(item, (Bare, Branch)):
            self.log(item.number)
        elif isinstance(item, Change):
            if not item.in_loop:
                self.acc = (self.acc * 3 + item.number) % 1009
                self.log(self.acc)
            else:
                self.acc += 2 * item.number
        elif isinstance(item, Call):
            self.block(item.body)
        elif isinstance(item, Static):
            for _ in range(item.trips if item.is_loop else 1):
                self.block(item.body)
        elif isinstance(item, Loop):
            for _ in range(item.trips):
                self.log(item.number)
            if item.trips and item.lowers:
                self.lower(item.lowers)
            if item.sets and self.flags[item.sets[1]] > 0:
                self.flags[item.sets[1]] -= 1
                self.flags[item.sets[0]] = 1
        elif isinstance(item, Level):
            if item.arms:
                self.flags[item.flag] = item.arms
            if self.left_out(item):
                return
            while True:
                self.block(item.body)
                if item.lowers_bare:
                    self.lower(item.flag)
                if self.yielded is not None or not self.flags[item.flag]:
                    break
        elif isinstance(item, Checkpoint):
            self.ahead = None
            self.block(item.body)
            if self.flags[item.flag]:
                self.yielded = item.label
        else:
            for section in item.sections:
                order, self.order = self.order, self.rows[section.row]
                self.block(section.body)
                self.order = order


def stepped(plan, kernel, given, resumed):
    """Runs a launch in steps of all kinds; its overall effect equals that of a launch."""
    stepper = qd.graph.Stepper(kernel, *given)
    if resumed is not None:
        stepper.resume(resumed)
    while not stepper.over:
        getattr(stepper, plan.random.choice(("task", "step", "iteration", "step", "iteration", "run")))()
    return stepper.status


def run(seed, folder):
    """Compares some launches of a seed's plan with its model; returns True if there were any."""
    plan = Plan(seed, qd.cfg.arch == qd.cpu)
    path = pathlib.Path(folder) / f"graph_{seed}.py"
    path.write_text(plan.source())
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    flags = plan.arguments()
    arrays = {name: qd.ndarray(qd.i32, ()) for name in flags}
    order, rows = qd.ndarray(qd.i32, MOST_STEPS + 2), qd.ndarray(qd.i32, max(1, plan.rows) * (MOST_STEPS + 2))
    busy = qd.ndarray(qd.i32, max(1, plan.rows))
    resumed = None
    for launch in range(6):
        try:
            model = Model(plan, dict(flags), resumed)
        except TooLong:
            return launch > 0
        for name, value in flags.items():
            arrays[name][()] = value
        order.fill(0)
        rows.fill(0)
        given = (order, rows, busy, *arrays.values())
        in_steps = plan.random.random() < 0.2
        if in_steps:
            status = stepped(plan, module.k, given, resumed)
            if model.yielded is not None:  # a stepper sets the flag to 0
                model.flags[plan.labels[model.yielded]] = 0
        else:
            status = module.k(*given) if resumed is None else module.k.resume(*given, from_checkpoint=resumed)
            assert module.k._primal.checkpoint_user_labels_by_cp_id == plan.table, seed
        written = order.to_numpy()
        assert written[1 : written[0] + 1].tolist() == model.order, (seed, launch, resumed)
        for row, wanted in zip(rows.to_numpy().reshape(-1, MOST_STEPS + 2), model.rows):
            assert row[1 : row[0] + 1].tolist() == wanted, (seed, launch, resumed)
        flags = {name: int(array[()]) for name, array in arrays.items()}
        assert flags == model.flags, (seed, launch, resumed)
        if not plan.labels:
            assert in_steps or status is None
            return True
        assert (status.yielded, status.checkpoint) == (model.yielded is not None, model.yielded), (seed, launch, resumed)
        if not status.yielded and plan.random.random() < 0.5:
            return True
        resumed = plan.random.choice([status.checkpoint, *plan.labels] if status.yielded else [*plan.labels])
        for flag in plan.armed:
            if plan.random.random() < 0.9:
                flags[flag] = 0
        for flag in plan.flags:
            if plan.random.random() < 0.2:
                flags[flag] = plan.random.randint(0, 3)
    return True


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--arch", default="interp")
    options = parser.parse_args()
    ran = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.first, options.first + options.count):
            if seed % 200 == options.first % 200:
                qd.init(arch=options.arch, offline_cache=False, debug=seed % 400 == options.first % 400)
            ran += run(seed, folder)
    print(f"{ran} plans of {options.count} ran as their model")


if __name__ == "__main__":
    sys.exit(main())
