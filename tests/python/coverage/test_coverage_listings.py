"""The lines that listings know, their counts, and the cost of reading them."""

import linecache
import textwrap

import numpy as np
import pytest
import quadrants as qd
from quadrants import _source
from quadrants._live import coverage, files, runs
from quadrants._live import counts as live_counts


@pytest.fixture
def counting(monkeypatch):
    monkeypatch.setenv("QD_KERNEL_COVERAGE", "1")
    qd.init(arch="interp", offline_cache=False)
    qd.coverage.clear()
    yield
    qd.coverage.clear()


class Entry(files.Whole):
    pass


made = 0


def defined(text, name="f"):
    """Returns the function of that name in a cell with this text, and the cell's label."""
    global made
    made += 1
    file, label = f"<cell of listings {made}>", f"cell {100_000 + made}"
    text = textwrap.dedent(text)
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    _source.set_display_name(file, label)
    names = {"qd": qd}
    exec(compile(text, file, "exec"), names)
    return names[name], label, file


def entry_of(label, file):
    entry = Entry(label)
    entry.file, entry.last_line = file, len(linecache.getlines(file))
    return entry


def counts_of(text, *args, name="f"):
    """Returns line -> count of the snapshot, after asserting that the gutter's data are equal."""
    kernel, label, file = defined(text, name)
    history = runs.History()
    history.read()
    history.define(label, label, "", [entry_of(label, file)])
    kernel(*args)
    history.read()
    counts = dict(qd.coverage.snapshot()[label])
    (told,) = coverage.coverage_of([history.listings[label]], history).values()
    assert {line["number"]: line["count"] for line in told["lines"]} == counts
    assert {line["number"]: line["newest"] for line in told["lines"]} == counts
    assert all(line["launched"] for line in told["lines"])
    for one in told["specialisations"]:
        assert {line["number"]: line["count"] for line in one["lines"]} == counts
    assert history.scale()["total"] == max(counts.values())
    return counts


KERNEL = "@qd.kernel\ndef f(x: qd.types.ndarray(qd.i32, ndim=1), n: qd.i32):\n"


@pytest.mark.parametrize("body, counts", [
    ("    for i in x: x[i] = 1 if i > 3 else 2\n", {3: 10}),
    ("    for i in x: x[i] = 1; x[i] += 2\n", {3: 10}),
    ("    for i in range(0, n): x[i] = 1\n", {3: 4}),
    ("    for i in x:\n        v = 3\n        while v > 0: v -= 1\n        x[i] = v\n", {3: 1, 4: 10, 5: 30, 6: 10}),
    ("    for i in x:\n        for j in range(n): x[i] += j\n", {3: 1, 4: 40}),
    ("    for i in x:\n        for j in qd.static(range(3)): x[i] += j\n", {3: 1, 4: 30}),
    ("    for i in x:\n        if x[i] > 5: x[i] = 3\n", {3: 1, 4: 10}),
    ("    a = 1; b = 2\n    x[0] = a + b\n", {3: 1, 4: 1}),
    ("    for i in x:\n        s = sum([j for j in range(3)]); x[i] = s\n", {3: 1, 4: 10}),
    ("    for i in x:\n        for j in range(0 * n): x[i] += j\n", {3: 1, 4: 10}),
])  # fmt: skip
def test_a_line_counts_as_often_as_what_ran_most_often_on_it(counting, body, counts):
    assert counts_of(KERNEL + body, np.zeros(10, np.int32), 4) == counts


def test_funcs_of_one_line(counting):
    text = "@qd.func\ndef g(v): return v + 1\n\n" + KERNEL + "    for i in x: x[i] = g(x[i])\n"
    assert counts_of(text, np.zeros(10, np.int32), 4) == {2: 10, 6: 10}


@pytest.mark.parametrize("body, never", [
    ("    y = 10\n    if y > 5:\n        x[0] = 1\n    else:\n        x[1] = 2\n", {7}),
    ("    if qd.static(False):\n        x[0] = 1\n        x[1] = 2\n    x[2] = n\n", {4, 5}),
    ("    if qd.static(True):\n        x[0] = 1\n    else:\n        x[1] = 2\n", {6}),
    ("    while False:\n        x[0] = 1\n    x[2] = n\n", {4}),
    ("    for i in range(0):\n        x[0] = 1\n    x[2] = n\n", {4}),
    ("    for i in qd.static(range(0)):\n        x[0] = 1\n    x[2] = n\n", {4}),
    ("    for i in x:\n        for j in range(2, 1):\n            x[i] = 1\n            if i > 2:\n                x[i] = 2\n", {5, 6, 7}),
    ('    """A word."""\n    for i in x:\n        if i > 100:\n            pass\n        elif qd.static(False):\n            x[i] = 3\n', {6, 8}),
])  # fmt: skip
def test_lines_that_were_decided_when_they_were_compiled_say_never(counting, body, never):
    counts = counts_of(KERNEL + body, np.zeros(10, np.int32), 4)
    assert {line for line, count in counts.items() if not count} == never


def test_funcs_decided_at_compile_time(counting):
    text = "@qd.func\ndef g(v, b: qd.template()):\n    r = v\n    if qd.static(b):\n        r += 1\n    return r\n\n" + KERNEL
    counts = counts_of(text + "    for i in x:\n        x[i] = g(x[i], False)\n", np.zeros(10, np.int32), 4)
    assert counts == {3: 10, 4: 10, 5: 0, 6: 10, 10: 1, 11: 10}


def test_probes_of_code_decided_at_compile_time(counting):
    from quadrants.lang import _kernel_coverage

    text = KERNEL + "    if qd.static(False):\n        x[0] = 1\n    x[2] = n\n"
    kernel, _, place = defined(text)
    kernel(np.zeros(10, np.int32), 4)
    ours = {line: probe for probe, (file, line) in _kernel_coverage._probe_map.items() if file == place}
    assert set(ours) == {3, 4, 5}
    ran = _kernel_coverage.get_field().to_numpy()
    assert [ran[ours[line]] for line in (3, 4, 5)] == [1, 0, 1]


def test_a_loop_that_was_only_left_by_break(counting):
    body = ("    v = n\n    while v > 0:\n        v -= 1\n        if v < 2:\n            break\n"
            "    while v < n:\n        v += 1\n        if v > 100:\n            break\n    x[0] = v\n"
            "    qd.loop_config(serialize=True)\n    for j in range(n):\n        if j == x[1]:\n            break\n")  # fmt: skip
    kernel, label, file = defined(KERNEL + body)
    history = runs.History()
    entry = entry_of(label, file)
    history.define(label, label, "", [entry])
    kernel(np.zeros(10, np.int32), 4)
    history.read()
    outcomes = {line: live_counts.outcomes_of(history.now, entry, line) for line in (4, 8, 14)}
    assert outcomes[4]["exhausted"] == 0 and outcomes[14]["exhausted"] == 0, "each was left by its break"
    assert "exhausted" not in outcomes[8], "no break left it"
    kernel(np.full(10, 99, np.int32), 4)
    history.read()
    assert live_counts.outcomes_of(history.now, entry, 14)["exhausted"] == 1


def test_a_reading_touches_only_changed_cells(counting, monkeypatch):
    """The cost depends neither on the number of earlier cells nor on whether a front end has names for them."""
    built, told = [], []

    class Kernel(live_counts.Kernel):
        def __init__(self, name, title, rows):
            built.append(name)
            super().__init__(name, title, rows)

    monkeypatch.setattr(live_counts, "Kernel", Kernel)
    holds = runs.Listing.holds
    monkeypatch.setattr(runs.Listing, "holds", lambda self, *place: told.append(self) or holds(self, *place))
    history, x, work = runs.History(), np.zeros(4, np.int32), []
    for number in range(3 * runs.UNNAMED):
        kernel, label, file = defined(KERNEL + "    for i in x:\n        x[i] += n\n")
        del built[:], told[:]
        history.begin()
        history.define(None if number % 3 else f"id {number}", label, "", [entry_of(label, file)])
        kernel(x, number)
        changed = history.read()
        assert [listing.label for listing in changed] == [label]
        assert history.read() == []
        work.append((len(built), len(told)))
    assert len(set(work[1:])) == 1 and work[-1][0] == 1, "as much for the last cell as for the second"
    assert len(history.unnamed) == runs.UNNAMED and len(history.listings) == 2 * runs.UNNAMED
    assert len(history.standing) >= runs.UNNAMED


def test_an_old_cell_without_a_name_still_counts(counting):
    history, x = runs.History(), np.zeros(4, np.int32)
    func, label, file = defined(
        "@qd.func\ndef g(v):\n    return v + 1\n" + KERNEL + "    for i in x:\n        x[i] = g(x[i])\n", "f")
    history.define(None, label, "", [entry_of(label, file)])
    func(x, 1)
    history.read()
    for _ in range(runs.UNNAMED):
        _, other, place = defined(KERNEL + "    x[0] = 1\n")
        history.define(None, other, "", [entry_of(other, place)])
    assert label not in history.listings
    func(x, 1)
    assert history.read() == [] and history.now.count(label, 3) == 8 and history.now.count(label, 7) == 8


def test_a_launch_between_two_steps_may_yet_run_other_lines(counting):
    text = "@qd.kernel(graph=True)\ndef f(x: qd.types.NDArray[qd.i32, 1]):\n    for i in x:\n        x[i] += 1\n    for i in x:\n        x[i] *= 10\n"
    kernel, label, file = defined(text)
    history, x = runs.History(), qd.ndarray(qd.i32, 2)
    listing = history.define(label, label, "", [entry_of(label, file)])

    def launched():
        history.read()
        (told,) = coverage.coverage_of([listing], history).values()
        return {line["number"]: (line["count"], line["launched"]) for line in told["lines"]}

    stepper = qd.graph.Stepper(kernel, x)
    stepper.task()
    assert launched() == {3: (1, True), 4: (2, True), 5: (0, False), 6: (0, False)}
    before = live_counts.unfinished_now()
    stepper.run()
    assert launched() == {3: (1, True), 4: (2, True), 5: (1, True), 6: (2, True)}
    assert before and not live_counts.unfinished_now()
    again = qd.graph.Stepper(kernel, x)
    assert live_counts.unfinished_now() == before
    del again
    assert not live_counts.unfinished_now(), "one that is forgotten goes on no more"
