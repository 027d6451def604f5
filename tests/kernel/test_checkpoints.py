"""%qd_step and %qd_graph, in the Quadrants kernel and in ipykernel: text, data, moves, editing, errors."""

import os
import re
import time

import pytest
from conftest import PATIENCE, Client, trace_of
from test_live import members

MIME = "application/vnd.quadrants.checkpoints+json"
WIDGET = "application/vnd.jupyter.widget-view+json"

CELL = """import enum
import numpy as np
Flag = qd.types.ndarray(qd.i32, ndim=0)
Line = qd.types.ndarray(qd.i32, ndim=1)

class Stage(enum.IntEnum):
    FIRST = 4
    SECOND = 5

plane = qd.field(qd.f32, (20, 30))

@qd.kernel(graph=True, checkpoints=True)
def staged(x: Line, stop: Flag, n: Flag):
    while qd.graph.do_while(n):
        for i in x:
            x[i] += 1
        with qd.checkpoint(Stage.FIRST, yield_on=stop):
            for i in x:
                x[i] *= 2
        with qd.checkpoint(Stage.SECOND, yield_on=stop):
            for i, j in plane:
                plane[i, j] += i
        n[()] -= 1

x, stop, n = qd.ndarray(qd.i32, 3), qd.ndarray(qd.i32, ()), qd.ndarray(qd.i32, ())
n[()] = 2
"""


@pytest.fixture(params=["quadrants", "python3"], scope="module")
def client(request, tmp_path_factory):
    client = Client(request.param, env={**os.environ, "QD_OFFLINE_CACHE_FILE_PATH": str(tmp_path_factory.mktemp("cache"))})
    client.run("%load_ext quadrants_jupyter\nimport quadrants as qd\nqd.init(arch=qd.cpu)")
    yield client
    client.close()


@pytest.fixture
def session(client):
    cell = client.run(CELL)
    assert cell.status == "ok", cell.of("error")
    return client


def shown(cell, error=None):
    assert cell.error == error, cell.of("error")
    return (cell.of("display_data") + cell.of("execute_result"))[-1]["data"]


def lines(data):
    return [" ".join(line.split()) for line in data["text/plain"].splitlines()]


def test_a_launch_begins_at_its_first_checkpoint(session):
    data = shown(session.run("%qd_step staged(x, stop, n=n)"))
    assert lines(data) == [
        "staged: stopped", "do_while n (iteration 1, n = 2)", "loop that is a checkpoint of its own (done)",
        "line 15: for i in x: (ran once)", "-> checkpoint FIRST (pending, stop = 0)", "line 18: for i in x:",
        "checkpoint SECOND (pending, stop = 0)", "line 21: for i, j in plane:", "line 23: n[()] -= 1",
        "x i32 3 (3 of 3 changed: [0]: 0 → 1, [1]: 0 → 1, [2]: 0 → 1)", "stop i32 = 0", "n i32 = 2", "plane f32 20 × 30",
    ]  # fmt: skip
    kept = data[MIME]
    assert kept["next"] == 3 and kept["moves"] == 0 and kept["arrays"]["x"]["values"] == [1, 1, 1]
    assert not any("microseconds" in step for step in kept["steps"])  # times differ in each run
    assert WIDGET in data and "checkpoint FIRST" in data["text/html"] and " µs" not in data["text/html"]


def test_moves(session):
    session.run("%qd_step staged(x, stop, n)")
    assert "checkpoint FIRST (done, stop = 0)" in lines(shown(session.run("%qd_step --step")))
    data = shown(session.run("%qd_step --iteration"))
    assert "do_while n (iteration 2, n = 1)" in lines(data)
    assert "n i32 = 1 (1 of 1 changed: 2 → 1)" in lines(data)
    assert '<img src="data:image/png' in data["text/html"] and "which elements changed" in data["text/html"]
    assert "do_while n (iteration 1, n = 2)" in lines(shown(session.run("%qd_step --back")))
    session.run("%qd_step --run")
    assert session.run("x.to_numpy().tolist()").result == "[6, 6, 6]"
    for label in ("SECOND", "5", "Stage.SECOND"):
        text = lines(shown(session.run(f"%qd_step --resume {label}")))
        assert text[1].startswith("-> do_while n") and "checkpoint FIRST (pending, stop = 0)" in text
    session.run("n[()] = 1")
    text = lines(shown(session.run("%qd_step --run")))
    assert "checkpoint FIRST (skipped, stop = 0)" in text and "checkpoint SECOND (done, stop = 0)" in text


def test_a_yield_is_reported(session):
    session.run("stop[()] = 1")
    session.run("%qd_step staged(x, stop, n)")
    data = shown(session.run("%qd_step --run"))
    assert lines(data)[0] == "staged: yielded at FIRST" and data[MIME]["yielded"] == 4 and data[MIME]["next"] is None


def test_an_element_is_edited(session):
    session.run("%qd_step staged(x, stop, n)\nfrom quadrants_jupyter import checkpoints")
    edit = "checkpoints.newest.on_message(None, {'do': 'edit', 'name': %r, 'index': %r, 'value': %r}, [])"
    cell = session.run(edit % ("x", [1], "77"))
    (update,) = cell.of("update_display_data")
    assert "x i32 3 (1 of 3 changed: [1]: 1 → 77)" in lines(update["data"]) and update["data"][MIME]["moves"] == 1
    assert session.run("x.to_numpy().tolist()").result == "[1, 77, 1]"
    session.run("plane.fill(0)")
    session.run(edit % ("plane", [2, 3], "0.5"))
    assert session.run("plane[2, 3]").result == "0.5"
    for index, value, words in (([3], "1", "no element [3]"), ([0, 0], "1", "has 1 indices"), ([0], "2.5", "invalid literal")):
        (update,) = session.run(edit % ("x", index, value)).of("update_display_data")
        assert words in update["data"]["text/plain"].splitlines()[-1]
    session.run("%qd_step --run")
    assert session.run("x.to_numpy().tolist()").result == "[6, 310, 6]"


def test_the_widget_moves_the_launch(session):
    session.run("%qd_step staged(x, stop, n)")
    session.run("checkpoints.newest.model._handle_custom_msg({'do': 'step'}, [])")
    assert session.run("x.to_numpy().tolist()").result == "[2, 2, 2]"
    assert session.run("checkpoints.newest.model.data['steps'][3]['state']").result == "'done'"


def test_the_graph_alone(session):
    data = shown(session.run("%qd_graph staged(x, stop, n)"))
    assert lines(data)[:5] == ["staged: the graph", "do_while n", "loop that is a checkpoint of its own", "line 15: for i in x:",
                               "checkpoint FIRST (yields on stop)"]
    assert session.run("x.to_numpy().tolist()").result == "[0, 0, 0]"  # no task ran
    assert WIDGET not in data


def test_the_graph_of_a_kernel_by_name(session):
    session.run(CELL.replace("def staged", "def unused"))
    data = shown(session.run("%qd_graph unused"))  # compiled now, since its annotations determine its arguments
    assert lines(data)[1] == "do_while n" and data[MIME]["kernel"] == "unused"
    assert shown(session.run("%qd_graph unused"))[MIME] == data[MIME]
    assert session.run("x.to_numpy().tolist()").result == "[0, 0, 0]"
    session.run("""@qd.kernel(graph=True)
def sums(x: qd.template()):
    for i in x:
        x[i] += 1
f = qd.field(qd.i32, 3)
@qd.data_oriented
class Model:
    def __init__(self):
        self.f = qd.field(qd.i32, 3)

    @qd.kernel(graph=True)
    def step(self):
        for i in self.f:
            self.f[i] += 1
model = Model()""")
    words = session.run("%qd_graph sums").text("stderr")
    assert "the arguments of sums decide how it is compiled; call it once, or write %qd_graph sums(...)" in words
    session.run("sums(f)")
    assert lines(shown(session.run("%qd_graph sums"))) == ["sums: the graph", "line 3: for i in x:"]
    assert lines(shown(session.run("%qd_graph model.step"))) == ["Model.step: the graph", "line 13: for i in self.f:"]
    assert session.run("model.f.to_numpy().tolist()").result == "[0, 0, 0]"


def test_the_graph_as_boxes(session):
    session.run("""@qd.kernel(graph=True)
def beside(x: Line, y: Line, n: Flag):
    while qd.graph.do_while(n):
        with qd.graph.parallel_context():
            with qd.graph.parallel():
                for i in x:
                    x[i] += 1
            with qd.graph.parallel():
                for i in y:
                    y[i] += 1
        n[()] -= 1
""")
    data = shown(session.run("%qd_graph beside"))
    assert lines(data) == ["beside: the graph", "do_while n", "region of 2 sections", "section 1", "line 6: for i in x:", "section 2",
                           "line 9: for i in y:", "line 11: n[()] -= 1"]  # fmt: skip
    html = data["text/html"]
    region = html[html.index("region of 2 sections"):html.index("line 11")]
    assert "display:flex" in region and html.index("do_while n") < html.index("region of")
    assert html.count("<div") == html.count("</div>")
    n = session.run("y = qd.ndarray(qd.i32, 3)\n%qd_step beside(x, y, n)")
    assert lines(shown(n))[2:5] == ["region of 2 sections", "section 1", "line 6: for i in x: (ran once)"]


def completed(session, code):
    wanted = session.raw.complete(code)
    while True:
        reply = session.raw.get_shell_msg(timeout=PATIENCE)
        if reply["parent_header"]["msg_id"] == wanted:
            return reply["content"]["matches"]


def test_names_of_kernels_complete(session):
    session.run("""@qd.kernel
def plain(x: Line):
    pass
@qd.data_oriented
class Thing:
    @qd.kernel(graph=True)
    def stir(self):
        pass
    @qd.kernel
    def other(self):
        pass
thing = Thing()""")
    assert completed(session, "%qd_graph sta") == ["staged"]
    assert completed(session, "%qd_step sta") == ["staged"]
    assert completed(session, "%qd_graph thing.") == ["thing.stir"]
    names = completed(session, "%qd_graph ")
    assert {"staged", "thing.stir"} <= set(names) and not {"plain", "thing.other", "x"} & set(names)
    assert {"staged", "--back", "--resume", "--iteration"} <= set(completed(session, "%qd_step "))
    assert completed(session, "%qd_step --r") == ["--resume", "--run"]
    session.run("%qd_step staged(x, stop, n)")
    assert completed(session, "%qd_step --resume ") == ["FIRST", "SECOND"]


def test_going_back_takes_edits_back(session):
    session.run("""from quadrants_jupyter import checkpoints
@qd.kernel(graph=True)
def adds(x: Line, by: Line):
    for i in x:
        x[i] += by[i]
    for i in x:
        x[i] += by[i]
by = qd.ndarray(qd.i32, 3)
by.fill(1)
%qd_step adds(x, by)""")
    held = "print(x.to_numpy().tolist(), by.to_numpy().tolist(), checkpoints.newest.data()['back'])"
    session.run("checkpoints.newest.on_message(None, {'do': 'edit', 'name': 'by', 'index': [1], 'value': '5'}, [])")
    session.run("%qd_step --run")
    assert session.run(held).text() == "[2, 6, 2] [1, 5, 1] 3\n"
    for wanted in ("[1, 1, 1] [1, 5, 1] 2\n", "[1, 1, 1] [1, 1, 1] 1\n", "[0, 0, 0] [1, 1, 1] 0\n"):
        session.run("%qd_step --back")
        assert session.run(held).text() == wanted
    session.run("%qd_step --task\nby[2] = 9")  # not a step of its own, so it is undone with the previous step
    session.run("%qd_step --back")
    assert session.run(held).text() == "[0, 0, 0] [1, 1, 1] 0\n"


def test_members_and_plain_graphs(session):
    cell = session.run("""f = qd.field(qd.i32, 3)  # not what self.f is
@qd.data_oriented
class Model:
    def __init__(self):
        self.f = qd.field(qd.i32, 3)
        self.unused = qd.field(qd.i32, 3)

    @qd.kernel(graph=True)
    def step(self, by: qd.i32):
        for i in self.f:
            self.f[i] += by
        for i in self.f:
            self.f[i] *= 2

model = Model()
%qd_step model.step(3)""")
    assert lines(shown(cell)) == [
        "Model.step: stopped", "line 10: for i in self.f: (ran once)", "-> line 12: for i in self.f:",
        "self.f i32 3 (3 of 3 changed: [0]: 0 → 3, [1]: 0 → 3, [2]: 0 → 3)",
    ]  # fmt: skip


@pytest.mark.parametrize("line, words", [
    ("staged", "a call is needed"), ("--sideways", "not understood"), ("--resume", "not understood"), ("staged(x", "never closed"),
])
def test_wrong_use(session, line, words):
    assert words in session.run(f"%qd_step {line}").text("stderr")


@pytest.mark.parametrize("line, words", [("", "give the name of a kernel"), ("staged(", "was never closed"), ("3 +", "invalid syntax")])
def test_wrong_use_of_graphs(session, line, words):
    assert words in session.run(f"%qd_graph {line}").text("stderr")


def test_an_error_ends_the_launch_and_is_shown(session):
    session.run("""@qd.kernel(graph=True)
def fails(x: Line):
    for i in x:
        x[i] += 1
    for i in x:
        assert x[i] < 1, "too much"

@qd.kernel(graph=True)
def first_fails(x: Line):
    for i in x:
        assert x[i] < 1, "too much"

from quadrants_jupyter import checkpoints
""")
    session.run("qd.init(arch=qd.cpu, debug=True, offline_cache=False)\nx = qd.ndarray(qd.i32, 3)")
    session.run("%qd_step fails(x)")
    cell = session.run("%qd_step --run\nreached = True")
    data = shown(cell, "QuadrantsAssertionError")
    assert re.match(r"QuadrantsAssertionError: .*too much.* \(Cell In\[\d+\], line 6\)$", lines(data)[-1]), lines(data)
    assert lines(data)[0] == "fails: ended by an error"
    text = "\n".join(trace_of(cell))
    assert "too much" in text and "assert x[i] < 1" in text and "checkpoints.py" not in text
    assert session.run("'reached' in globals()").result == "False", "Run All stops here"
    assert lines(shown(session.run("%qd_step --step")))[0] == "fails: ended by an error", "a move of a launch that has ended changes nothing"
    assert lines(shown(session.run("%qd_step --back")))[0] == "fails: stopped"
    assert session.run("checkpoints.newest.move('run'), checkpoints.newest.ended").result == "(None, 'ended by an error')", "a button"
    session.run("x.fill(3)")
    assert lines(shown(session.run("%qd_step first_fails(x)"), "QuadrantsAssertionError"))[0] == "first_fails: ended by an error"
    session.run("qd.init(arch=qd.cpu)")


@pytest.mark.parametrize("call", ["forever(x, n)", "%qd_step forever(x, n)\n%qd_step --run"])
def test_stop_in_an_endless_loop(session, call):
    session.run("""@qd.kernel(graph=True)
def forever(x: Line, n: Flag):
    while qd.graph.do_while(n):
        for i in x:
            x[i] += 1
        for i in x:
            x[i] -= 1
n[()] = 0
forever(x, n)
n[()] = 1""")
    took = []
    for _ in range(5):
        cell = session.send("print('go')\n" + call)
        session.wait_for_text("go")
        time.sleep(0.2)
        begun = time.monotonic()
        session.interrupt()
        ended = session.collect(cell)
        took.append(time.monotonic() - begun)
        if call.startswith("%"):  # the stepper reports it
            data = shown(ended, "KeyboardInterrupt")
            assert re.match(r"KeyboardInterrupt: kernel forever was stopped in iteration [\d,]+, at Cell In\[\d+\], line [46]$", lines(data)[-1])
            assert re.match(r"forever: interrupted in iteration [\d,]+$", lines(data)[0])
            for move in ("--step", "--task"):
                assert lines(shown(session.run(f"%qd_step {move}")))[0] == lines(data)[0]
            assert lines(shown(session.run("%qd_step --back")))[0] == "forever: stopped"
        else:
            assert re.match(r"kernel forever was stopped in iteration [\d,]+, at Cell In", ended.of("error")[0]["evalue"])
    print(f"Stop ends the cell within {1e3 * min(took):.0f} to {1e3 * max(took):.0f} ms")
    assert min(took) < 0.5
    assert session.run("6 * 7").result == "42"


def test_a_statement_after_a_loop_is_a_separate_row(session):
    """The same task also adds the counts of the loop before it."""
    session.run("""@qd.kernel(graph=True)
def decay(x: qd.types.ndarray(qd.f32, ndim=1), go: Flag):
    while qd.graph.do_while(go):
        for i in x:
            x[i] = x[i] * 0.999 + qd.sin(x[i])
        go[()] -= 1
big, go = qd.ndarray(qd.f32, 200_000), qd.ndarray(qd.i32, ())
go[()] = 3""")
    session.run("%qd_step decay(big, go)")
    assert lines(shown(session.run("%qd_step --run")))[2:4] == ["line 4: for i in x: (ran 3 times)", "line 6: go[()] -= 1 (ran 3 times)"]
    steps = "[step for step in checkpoints.newest.data()['steps'] if step['kind'] == 'task']"
    session.run("from quadrants_jupyter import checkpoints")
    assert session.run(f"len({steps}), {steps}[0]['microseconds'] > {steps}[1]['microseconds']").result == "(2, True)"


def test_a_move_of_the_widget_shows_what_runs(session):
    session.run("""@qd.kernel(graph=True)
def endless(x: Line, n: Flag):
    while qd.graph.do_while(n):
        for i in x:
            x[i] += 1
n[()] = 1""")
    session.run("%qd_step endless(x, n)\nfrom quadrants_jupyter import checkpoints")
    cell = session.send("checkpoints.newest.model._handle_custom_msg({'do': 'run'}, [])")
    told, until = [], time.monotonic() + PATIENCE
    while len(told) < 3 and time.monotonic() < until:
        message = session.raw.get_iopub_msg(timeout=PATIENCE)
        if message["msg_type"] == "comm_msg" and message["content"]["data"].get("method") == "custom":
            told.append(message["content"]["data"]["content"]["running"])
    session.interrupt()
    session.collect(cell)
    assert all(re.match(r"endless runs: iteration [\d,]+, ", text) for text in told), told
    assert session.run("checkpoints.newest.data()['ended']").result.startswith("'interrupted in iteration ")


def test_stop_ends_a_launch_at_once(session):
    """The remaining time of the cell goes to the text of its traceback."""
    session.run("""import time
@qd.kernel(graph=True)
def forever(x: Line, n: Flag):
    while qd.graph.do_while(n):
        for i in x:
            x[i] += 1
n[()] = 0
forever(x, n)
n[()] = 1""")
    took = []
    for _ in range(5):
        cell = session.send("print('go')\ntry:\n    forever(x, n)\nexcept KeyboardInterrupt:\n    print('at', time.monotonic())")
        session.wait_for_text("go")
        time.sleep(0.1)
        begun = time.monotonic()
        session.interrupt()
        took.append(float(session.collect(cell).text().split()[-1]) - begun)
    print(f"Stop ends the launch within {1e3 * min(took):.1f} to {1e3 * max(took):.1f} ms")
    assert min(took) < 0.1


def test_both_sides_name_the_same_members(session):
    session.run("%qd_step staged(x, stop, n)")
    found = session.run("import json\ndata = checkpoints.newest.data()\n"
                        "print(json.dumps([list(data), list(data['steps'][0]), list(data['arrays'][0])]))").text()
    launch, step, array = (set(names) for names in __import__("json").loads(found))
    assert launch == set(members("checkpoints.ts", "Launch"))
    assert step == set(members("checkpoints.ts", "Step"))
    assert array == set(members("checkpoints.ts", "ArrayShown"))
    text = session.run("checkpoints.MOVES").result
    from pathlib import Path

    protocol = (Path(__file__).resolve().parents[2] / "widgets/protocol/checkpoints.ts").read_text()
    moves = protocol[protocol.index("export type Move"):]
    words = [word for told in re.findall(r"do: ([^;}]*)", moves) for word in re.findall(r'"(\w+)"', told)]
    assert sorted(words) == sorted(re.findall(r"'(\w+)'", text))


@pytest.mark.parametrize("line, said", [
    ("%qd_step nosuch(1)", "%qd_step: name 'nosuch' is not defined"),
    ("%qd_step staged(x, stop, nosuch)", "%qd_step: name 'nosuch' is not defined"),
    ("%qd_step len(x)", "%qd_step: a kernel is needed, got <built-in function len>"),
    ("%qd_step staged(", "%qd_step: '(' was never closed"),
    ("%qd_graph nosuch", "%qd_graph: name 'nosuch' is not defined"),
    ("%qd_graph 3", "%qd_graph: a kernel is needed, got 3"),
])
def test_kernels_that_cannot_be_stepped_are_reported_in_one_line(session, line, said):
    cell = session.run(line)
    assert cell.text("stderr") == f"UsageError: {said}\n" and not cell.of("error")


def test_arguments_of_a_step_are_any_expressions(session):
    cell = session.run("%qd_step staged(*[(lambda a: a)(value) for value in [x, stop, n]])")
    assert cell.status == "ok" and not cell.text("stderr"), (cell.text("stderr"), cell.of("error"))
