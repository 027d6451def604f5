"""%qd_step and %qd_graph, in the Quadrants kernel and in ipykernel: text, data, moves, editing, what is refused."""

import os
import re

import pytest
from conftest import Client
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


def shown(cell):
    assert cell.status == "ok", cell.of("error")
    return (cell.of("display_data") + cell.of("execute_result"))[-1]["data"]


def lines(data):
    return [" ".join(line.split()) for line in data["text/plain"].splitlines()]


def test_a_launch_begins_at_its_first_checkpoint(session):
    data = shown(session.run("%qd_step staged(x, stop, n=n)"))
    assert lines(data) == [
        "staged: stopped", "do_while n (turn 1, n = 2)", "loop that is a checkpoint of its own (done)",
        "line 15: for i in x: (ran once)", "-> checkpoint FIRST (pending, stop = 0)", "line 18: for i in x:",
        "checkpoint SECOND (pending, stop = 0)", "line 21: for i, j in plane:", "line 23: n[()] -= 1",
        "x i32 3 (3 of 3 changed: [0]: 0 → 1, [1]: 0 → 1, [2]: 0 → 1)", "stop i32 = 0", "n i32 = 2", "plane f32 20 × 30",
    ]  # fmt: skip
    kept = data[MIME]
    assert kept["next"] == 3 and kept["moves"] == 0 and kept["arrays"]["x"]["values"] == [1, 1, 1]
    assert not any("microseconds" in step for step in kept["steps"])  # times are others in each run
    assert WIDGET in data and "checkpoint FIRST" in data["text/html"] and " µs" not in data["text/html"]


def test_moves(session):
    session.run("%qd_step staged(x, stop, n)")
    assert "checkpoint FIRST (done, stop = 0)" in lines(shown(session.run("%qd_step --step")))
    data = shown(session.run("%qd_step --turn"))
    assert "do_while n (turn 2, n = 1)" in lines(data)
    assert "n i32 = 1 (1 of 1 changed: 2 → 1)" in lines(data)
    assert '<img src="data:image/png' in data["text/html"] and "which elements changed" in data["text/html"]
    assert "do_while n (turn 1, n = 2)" in lines(shown(session.run("%qd_step --back")))
    session.run("%qd_step --run")
    assert session.run("x.to_numpy().tolist()").result == "[6, 6, 6]"
    for label in ("SECOND", "5", "Stage.SECOND"):
        text = lines(shown(session.run(f"%qd_step --resume {label}")))
        assert text[1].startswith("-> do_while n") and "checkpoint FIRST (pending, stop = 0)" in text
    session.run("n[()] = 1")
    text = lines(shown(session.run("%qd_step --run")))
    assert "checkpoint FIRST (skipped, stop = 0)" in text and "checkpoint SECOND (done, stop = 0)" in text


def test_a_yield_is_told(session):
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
    assert session.run("x.to_numpy().tolist()").result == "[0, 0, 0]"  # nothing ran
    assert WIDGET not in data


def test_members_and_plain_graphs(session):
    cell = session.run("""@qd.data_oriented
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
        "Model.step: stopped", "line 9: for i in self.f: (ran once)", "-> line 11: for i in self.f:",
        "self.f i32 3 (3 of 3 changed: [0]: 0 → 3, [1]: 0 → 3, [2]: 0 → 3)",
    ]  # fmt: skip


@pytest.mark.parametrize("line, words", [
    ("staged", "a call is needed"), ("--sideways", "not understood"), ("--resume", "not understood"), ("staged(x", "never closed"),
])
def test_wrong_use(session, line, words):
    assert words in session.run(f"%qd_step {line}").text("stderr")


def test_an_error_ends_the_launch_and_is_shown(session):
    session.run("""@qd.kernel(graph=True)
def fails(x: Line):
    for i in x:
        x[i] += 1
    for i in x:
        assert x[i] < 1, "too much"
""")
    session.run("qd.init(arch=qd.cpu, debug=True, offline_cache=False)\nx = qd.ndarray(qd.i32, 3)")
    session.run("%qd_step fails(x)")
    data = shown(session.run("%qd_step --run"))
    assert "AssertionError" in lines(data)[-1] and lines(data)[0] == "fails: at its end"
    session.run("qd.init(arch=qd.cpu)")


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
