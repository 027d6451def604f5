"""Coverage while cells run, in the Quadrants kernel and in ipykernel: the messages on the comm, the run that a count belongs to, clients
that get no messages. Every wait is for a message."""

import ast
import itertools
import os
import pathlib
import re
import sys
import time

import pytest
from conftest import PATIENCE, Client
from test_comms import send_comm

PROTOCOL = pathlib.Path(__file__).resolve().parents[2] / "widgets/protocol"
TARGET = "quadrants.coverage"
MIME = "application/vnd.quadrants.coverage+json"

CELL = """%%qd_kernel
@qd.func
def limited(v):
    if v > 10.0:
        v = 10.0
    return v

@qd.kernel
def clip(x: qd.types.ndarray(qd.f32, ndim=1)):
    for i in x:
        x[i] = limited(x[i])
"""

# Runs for minutes, in chunks of some milliseconds each.
LONG = """%%qd_kernel
@qd.kernel
def long(x: qd.types.ndarray(qd.f32, ndim=1)):
    for i in range(67108864):
        for j in range(1000):
            x[i % 64] = qd.sin(x[i % 64])
"""


@pytest.fixture(params=["quadrants", "python3"])
def session(request):
    client = Client(request.param)
    client.run("import numpy as np\nimport quadrants as qd\nqd.init(arch=qd.cpu, offline_cache=False)")
    client.run("%load_ext quadrants_jupyter")
    yield client
    client.close()


_unnamed = itertools.count()


def run(session, code, cell_id=None, **metadata):
    """Runs a cell like a front end that sends the ids of cells."""
    message = session.raw.session.msg("execute_request", {
        "code": code, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False,
        "stop_on_error": True})
    message["metadata"] = {"cellId": cell_id or f"unnamed {next(_unnamed)}", **metadata}
    session.started = 0
    session.raw.shell_channel.send(message)
    cell = session.collect(message["header"]["msg_id"])
    assert cell.status == "ok", cell.of("error") or cell.reply["content"]
    return cell


def opened(cell):
    return [content["comm_id"] for content in cell.of("comm_open") if content["target_name"] == TARGET]


def told(cell, comm_id):
    return [content["data"] for content in cell.of("comm_msg") if content["comm_id"] == comm_id]


def last(messages):
    """Returns the message at the end of the cell; a long cell also sends messages before."""
    *before, message = messages
    assert all(one["running"] for one in before)
    assert message["version"] == 1 and message["running"] is False
    return message


def only(messages):
    """Returns the only cell of the message."""
    (cell,) = last(messages)["cells"]
    return cell


def lines(cell):
    return {line["number"]: (line["count"], line["newest"], line["previous"]) for line in cell["lines"]}


def test_counts_of_the_newest_and_of_the_previous_run(session):
    defined = run(session, CELL, "first")
    (comm_id,) = opened(defined)
    cell = only(told(defined, comm_id))
    assert cell["lines"] == [] and cell["cell_id"] == "first" and re.fullmatch(r"cell \d+", cell["label"])

    cell = only(told(run(session, "x = np.full(5, 20, np.float32); clip(x)"), comm_id))
    assert cell["cell_id"] == "first"
    assert lines(cell) == {4: (5, 5, None), 5: (5, 5, None), 6: (5, 5, None), 10: (1, 1, None), 11: (5, 5, None)}
    assert next(line for line in cell["lines"] if line["number"] == 4)["outcomes"] == {"taken": 5, "not_taken": 0}

    assert told(run(session, "1 + 1"), comm_id) == [], "nothing grew"

    cell = only(told(run(session, "clip(x); clip(x)"), comm_id))  # 10.0 now, so not above it
    assert lines(cell) == {4: (15, 10, 5), 5: (5, 0, 5), 6: (15, 10, 5), 10: (3, 2, 1), 11: (15, 10, 5)}

    cell = only(told(run(session, "clip(np.full(2, 20, np.float32))"), comm_id))
    assert lines(cell) == {4: (17, 2, 10), 5: (7, 2, 0), 6: (17, 2, 10), 10: (4, 1, 2), 11: (17, 2, 10)}
    (specialisation,) = cell["specialisations"]
    assert specialisation["name"] == "clip(x: f32[:])"
    assert {line["number"]: (line["count"], line["copies"]) for line in specialisation["lines"]}[5] == (7, [7])


def test_counts_continue_over_a_new_program(session):
    (comm_id,) = opened(run(session, CELL, "first"))
    run(session, "clip(np.ones(5, np.float32))")
    assert told(run(session, "qd.init(arch=qd.cpu, offline_cache=False)"), comm_id) == []
    cell = only(told(run(session, "clip(np.ones(2, np.float32))"), comm_id))
    assert lines(cell)[11] == (7, 2, 5) and lines(cell)[10] == (2, 1, 1)


def test_specialisations_and_static_copies(session):
    (comm_id,) = opened(run(session, "%%qd_kernel\n@qd.kernel\ndef pick(x: qd.types.ndarray(), n: qd.i32):\n    for i in x:\n"
                                     "        for k in qd.static(range(3)):\n            if n == k:\n                x[i] = k\n"))
    cell = only(told(run(session, "pick(np.ones(4, np.float32), 0); pick(np.ones(2, np.int32), 2)"), comm_id))
    first, second = cell["specialisations"]
    assert [one["name"] for one in (first, second)] == ["pick(x: f32[:], n: i32)", "pick(x: i32[:], n: i32)"]
    copies = [next(line for line in one["lines"] if line["number"] == 7)["copies"] for one in (first, second)]
    assert copies == [[4, 0, 0], [0, 0, 2]]
    assert lines(cell)[7][0] == 6


def test_an_edited_cell_starts_again(session):
    (comm_id,) = opened(run(session, CELL, "first"))
    run(session, "clip(np.ones(5, np.float32))")
    edited = CELL.replace("= limited(x[i])", "= limited(x[i]) + 1")
    cell = only(told(run(session, edited, "first"), comm_id))
    assert cell["lines"] == [], "the func did not change, but what counted in it was the kernel that is replaced"
    cell = only(told(run(session, "clip(np.ones(5, np.float32))"), comm_id))
    assert lines(cell)[11] == (5, 5, None) and lines(cell)[6] == (5, 5, None)
    assert [one["name"] for one in cell["specialisations"]] == ["clip(x: f32[:])"], "those of the replaced kernel are gone"
    cell = only(told(run(session, "clip(np.ones(3, np.float32))"), comm_id))
    assert lines(cell)[11] == lines(cell)[6] == (8, 3, 5)
    assert cell["digest"] == run(session, f"from quadrants_jupyter import live\nlive.digest({edited!r})").result.strip("'")


TWO = CELL + """
@qd.kernel
def clip_all(x: qd.types.ndarray(qd.f32, ndim=1)):
    for i in x:
        x[i] = limited(x[i])
        if x[i] > 1e9:
            x[i] = other(x[i])
"""


def test_kernels_that_did_not_run_yet(session):
    """Their lines are distinct from lines that a run skipped. A func counts for the kernels that exist."""
    (comm_id,) = opened(run(session, "%%qd_kernel\n@qd.func\ndef other(v):\n    return v + 1\n", "func"))
    run(session, TWO, "kernels")
    cell = only(told(run(session, "clip(np.ones(5, np.float32))"), comm_id))
    launched = {line["number"]: line["launched"] for line in cell["lines"]}
    assert launched == {4: True, 5: True, 6: True, 10: True, 11: True, 15: False, 16: False, 17: False, 18: False}
    counts = {line["number"]: line["count"] for line in cell["lines"]}
    assert counts == {4: 5, 5: 0, 6: 5, 10: 1, 11: 5, 15: 0, 16: 0, 17: 0, 18: 0}
    message = last(told(run(session, "clip_all(np.ones(3, np.float32))"), comm_id))
    cells = {cell["cell_id"]: cell for cell in message["cells"]}
    assert all(line["launched"] for cell in cells.values() for line in cell["lines"])
    counts = {line["number"]: line["count"] for line in cells["kernels"]["lines"]}
    assert counts == {4: 8, 5: 0, 6: 8, 10: 1, 11: 5, 15: 1, 16: 3, 17: 3, 18: 0}
    assert message["scale"] == {"total": 8, "newest": 3, "difference": 5}

    edited = TWO.replace("x[i] = limited(x[i])\n        if", "x[i] = limited(x[i] + 0)\n        if")
    message = last(told(run(session, edited, "kernels"), comm_id))
    assert {cell["cell_id"]: cell["lines"] for cell in message["cells"]} == {"kernels": []}, "all are defined again"
    cell = only(told(run(session, "clip(np.ones(4, np.float32))"), comm_id))
    counts = {line["number"]: (line["count"], line["launched"]) for line in cell["lines"]}
    assert counts[6] == (4, True) and counts[16] == (0, False), "what the replaced kernel counted in the func is left out"
    shown = run(session, "%qd_coverage").result.splitlines()
    assert "  16 not yet |         x[i] = limited(x[i] + 0)" in shown


def test_specialisations_have_names_and_branches(session):
    code = ("%%qd_kernel\n@qd.kernel\ndef pick(x: qd.types.ndarray(), n: qd.template()):\n    for i in x:\n"
            "        if x[i] > n:\n            x[i] = n\n")
    (comm_id,) = opened(run(session, code, "pick"))
    cell = only(told(run(session, "pick(np.ones((2, 3), np.float32)[0], 0); pick(np.ones(2, np.int32), 2)"), comm_id))
    first, second = cell["specialisations"]
    assert [first["name"], second["name"]] == ["pick(x: f32[:], n=0)", "pick(x: i32[:], n=2)"]
    outcomes = [{line["number"]: line["outcomes"] for line in one["lines"]}[5] for one in (first, second)]
    assert outcomes == [{"taken": 3, "not_taken": 0}, {"taken": 0, "not_taken": 2}]
    run(session, "qd.init(arch=qd.cpu, offline_cache=False)")
    cell = only(told(run(session, "pick(np.ones(4, np.int32), 2)"), comm_id))
    assert [one["name"] for one in cell["specialisations"]] == ["pick(x: f32[:], n=0)", "pick(x: i32[:], n=2)"], "not once more"
    assert {line["number"]: line["count"] for line in cell["specialisations"][1]["lines"]}[5] == 6


def until(session, comm_id, reached):
    """Returns the first suitable message that the kernel sends without a request."""
    while True:
        message = session.raw.get_iopub_msg(timeout=PATIENCE)
        if message["msg_type"] == "comm_msg" and message["content"]["comm_id"] == comm_id:
            if reached(message["content"]["data"]):
                return message["content"]["data"]


def test_callbacks_threads_and_tasks(session):
    (comm_id,) = opened(run(session, CELL, "first"))
    run(session, "x = np.full(5, 20, np.float32)\nfrom comm import get_comm_manager\n"
                 "get_comm_manager().register_target('callback', lambda comm, _: comm.on_msg(lambda _: clip(x)))")
    send_comm(session, "comm_open", {"comm_id": "mine", "target_name": "callback", "data": {}})
    sent = send_comm(session, "comm_msg", {"comm_id": "mine", "data": {}})
    told_of = [m["content"]["data"] for m in sent if m["msg_type"] == "comm_msg" and m["content"]["comm_id"] == comm_id]
    data = told_of[-1] if told_of else until(session, comm_id, lambda data: data["cells"])
    assert lines(data["cells"][0]) == {4: (5, 5, None), 5: (5, 5, None), 6: (5, 5, None), 10: (1, 1, None), 11: (5, 5, None)}

    run(session, "import threading\ngo = threading.Event()\ndef work():\n    go.wait()\n    clip(np.ones(2, np.float32))\n"
                 "threading.Thread(target=work).start()\nthreading.Timer(0.3, go.set).start()")
    data = until(session, comm_id, lambda data: data["cells"])  # no cell is running
    assert lines(data["cells"][0])[11] == (7, 2, 5)
    assert until(session, comm_id, lambda data: not data["running"])["cells"] == [], "that was all"


def test_a_page_may_ask_for_zeros(session):
    (comm_id,) = opened(run(session, CELL, "first"))
    run(session, "clip(np.ones(5, np.float32))")
    sent = send_comm(session, "comm_open", {"comm_id": "page", "target_name": TARGET, "data": {"clear": True}})
    told_of = [m["content"]["data"] for m in sent if m["msg_type"] == "comm_msg" and m["content"]["comm_id"] == comm_id]
    assert [cell["lines"] for cell in told_of[-1]["cells"]] == [[]]
    cell = only(told(run(session, "clip(np.ones(3, np.float32))"), comm_id))
    assert lines(cell)[11] == (3, 3, None)


def test_a_kernel_that_runs_in_the_cell_that_defines_it(session):
    code = CELL + "clip(np.ones(5, np.float32))\n"
    cell = run(session, code, "first")
    (comm_id,) = opened(cell)
    assert lines(only(told(cell, comm_id)))[11] == (5, 5, None)


def test_growth_while_a_kernel_runs(session):
    (comm_id,) = opened(run(session, LONG, "long"))
    request = session.send("print('before')\nlong(np.ones(64, np.float32))")
    seen, order = [], []
    while len(set(seen)) < 3:
        message = session.raw.get_iopub_msg(timeout=PATIENCE)
        assert message["parent_header"].get("msg_id") in (request, None) or message["msg_type"] == "status"
        if message["msg_type"] == "stream":
            order.append(message["content"]["text"])
        if message["msg_type"] == "comm_msg" and message["content"]["comm_id"] == comm_id:
            data = message["content"]["data"]
            assert data["running"] is True
            seen.append(lines(data["cells"][0]).get(6, (0,))[0])
    assert seen == sorted(seen)
    session.interrupt()
    cell = session.collect(request)
    assert "".join(order) + cell.text() == "before\n"
    assert cell.error == "KeyboardInterrupt"
    last = told(cell, comm_id)[-1]
    assert last["running"] is False
    count, newest, previous = lines(last["cells"][0])[6]
    assert count == newest >= seen[-1] and previous is None


SLOW = """%%qd_kernel
@qd.kernel
def slow(x: qd.types.ndarray(qd.f64, ndim=1), m: qd.i32):
    for i in range(x.shape[0]):
        for j in range(m):
            x[i] = qd.sin(x[i])
        if x[i] > 2:
            x[i] = 2
"""
WHILE = "import threading\nt = threading.Thread(target=slow, args=(np.ones(4), 2_000_000_000)); t.start()"


def verdicts(cell):
    """Returns number -> True if the line is marked as never run, for lines without a count."""
    return {line["number"]: line["launched"] for line in cell["lines"] if line["count"] == 0}


def test_no_line_is_marked_never_before_its_launch_ends(session):
    (comm_id,) = opened(run(session, SLOW, "slow"))
    cell = run(session, WHILE + "\nimport time; time.sleep(1.5)\nprint(repr(get_ipython().run_line_magic('qd_coverage', 'slow')))")
    found = [verdicts(one) for message in told(cell, comm_id) for one in message["cells"]]
    assert not any(said for one in found for said in one.values()), found
    assert "never" not in cell.text() and "not yet" in cell.text(), cell.text()
    request = session.send("t.join()")
    time.sleep(0.3)
    session.interrupt()
    session.collect(request)
    run(session, "t.join()")
    last = only([message for cell in [run(session, "slow(np.ones(4), 2)")] for message in told(cell, comm_id)][-1:])
    assert verdicts(last) == {8: True}
    listing = run(session, "%qd_coverage slow").result
    assert listing.count("never") == 2 and "not yet" not in listing, listing


def test_lines_that_never_ran_are_reported_repeatedly(session):
    """This also holds while the next of many launches is running."""
    (comm_id,) = opened(run(session, SLOW, "slow"))
    run(session, "slow(np.ones(4), 2)")
    request = session.send("import time\nend = time.monotonic() + 3\nwhile time.monotonic() < end: slow(np.ones(4), 2_000_000)")
    found = [verdicts(cell) for message in told(session.collect(request), comm_id) for cell in message["cells"]]
    assert len(found) > 2 and all(one == {8: True} for one in found), found


def test_nothing_is_sent_once_the_comm_is_closed(session):
    (comm_id,) = opened(run(session, CELL))
    send_comm(session, "comm_close", {"comm_id": comm_id, "data": {}})
    cell = run(session, "clip(np.ones(5, np.float32))")
    assert cell.of("comm_msg") == [] and cell.of("comm_open") == []
    assert run(session, "from quadrants_jupyter import live; live.live.listened_to()").result == "False"
    assert opened(run(session, CELL)) == [], "it is not opened again"


def test_a_page_that_connects_later_gets_everything(session):
    run(session, CELL, "first")
    run(session, "clip(np.ones(5, np.float32))")
    seen = send_comm(session, "comm_open", {"comm_id": "later", "target_name": TARGET, "data": {}})
    (data,) = [m["content"]["data"] for m in seen if m["msg_type"] == "comm_msg" and m["content"]["comm_id"] == "later"]
    assert lines(only([data]))[11] == (5, 5, None)
    assert lines(only(told(run(session, "clip(np.ones(1, np.float32))"), "later")))[11] == (6, 1, 5)


def test_clear(session):
    (comm_id,) = opened(run(session, CELL))
    run(session, "clip(np.ones(5, np.float32)); clip(np.ones(5, np.float32))")
    assert only(told(run(session, "%qd_coverage --clear"), comm_id))["lines"] == []
    cell = only(told(run(session, "clip(np.ones(3, np.float32))"), comm_id))
    assert lines(cell)[11] == (3, 3, None)
    cell = only(told(run(session, "qd.coverage.clear(); clip(np.ones(1, np.float32))"), comm_id))
    assert lines(cell)[11] == (1, 1, None)


def test_clear_of_one(session):
    run(session, TWO.replace("other(x[i])", "0"), "first")
    run(session, UNCOUNTED, "before")
    run(session, "clip(np.ones(5, np.float32)); clip_all(np.ones(7, np.float32)); before(np.ones(1, np.float32))")
    run(session, "%qd_coverage --clear clip")
    assert counted(session, "clip", "for i in x:") == [["not", "yet"]]
    assert counted(session, "limited", "if v > 10.0:") == [["7"]], "what the other kernel counted there"
    assert counted(session, "before", "x[0] = 1") == [["1"]]
    message = run(session, "clip(np.ones(3, np.float32)); before(np.ones(1, np.float32))")
    data = run(session, "%qd_coverage clip before").of("execute_result")[0]["data"][MIME]["cells"]
    assert lines(data[0])[11] == (3, 3, None) and lines(data[1]) == {3: (2, 1, 1)}, message
    said = session.run("%qd_coverage --clear absent").text("stderr")
    assert "no kernel or func named 'absent'" in said
    assert counted(session, "clip", "x[i] = limited(x[i])") == [["3"]]
    run(session, "qd.init(arch=qd.cpu, offline_cache=False)")
    run(session, "clip(np.ones(3, np.float32))")
    assert counted(session, "clip", "x[i] = limited(x[i])") == [["6"]]
    run(session, "%qd_coverage --clear")
    run(session, "clip(np.ones(2, np.float32))")
    assert counted(session, "clip", "x[i] = limited(x[i])") == [["2"]]


@pytest.mark.parametrize("head", ["", "%%qd_kernel\n"])
def test_a_cell_that_is_run_again_starts_from_nothing(session, head):
    for _ in range(3):
        run(session, head + UNCOUNTED, "before")
        run(session, "before(np.ones(1, np.float32))")
        assert counted(session, "before", "x[0] = 1") == [["1"]]


def test_output_of_the_magic(session):
    run(session, CELL, "first")
    run(session, "clip(np.ones(5, np.float32))")
    data = run(session, "%qd_coverage clip").of("execute_result")[0]["data"]
    cell = only([data[MIME]])
    assert cell["cell_id"] == "first" and lines(cell)[11] == (5, 5, None)
    assert {"text/plain", "text/html"} <= set(data)


def updates(cell, model):
    return [c["data"]["state"] for c in cell.of("comm_msg") if c["comm_id"] == model and "listings" in c["data"].get("state", {})]


def test_a_heatmap_that_follows(session):
    (comm_id,) = opened(run(session, CELL, "first"))
    (shown,) = run(session, "%qd_coverage --live clip", "second").of("display_data")
    assert "11 not yet |" in shown["data"]["text/plain"]
    model = shown["data"]["application/vnd.jupyter.widget-view+json"]["model_id"]
    key = shown["transient"]["display_id"]

    cell = run(session, "clip(np.ones(5, np.float32)); print('done')")
    state = updates(cell, model)[-1]
    (listing,) = state["listings"]
    counts = {line["number"]: (line["count"], line["newest"], line["previous"]) for line in listing["lines"]}
    assert counts[11] == (5, 5, None) and counts[9] == (None, 0, None)
    assert [one["name"] for one in listing["specialisations"]] == ["clip(x: f32[:])"]
    (update,) = cell.of("update_display_data")
    assert update["transient"]["display_id"] == key
    assert "11 5 |" in update["data"]["text/plain"]
    assert lines(only([update["data"][MIME]]))[11] == (5, 5, None)
    assert update["data"]["application/vnd.jupyter.widget-view+json"]["model_id"] == model

    assert run(session, "1 + 1").of("update_display_data") == []
    (again,) = run(session, "%qd_coverage --live clip", "second").of("display_data")  # replaces the previous one
    cell = run(session, "clip(np.ones(5, np.float32))")
    assert [c["transient"]["display_id"] for c in cell.of("update_display_data")] == [again["transient"]["display_id"]]
    assert updates(cell, model) == []
    assert told(cell, comm_id)

    run(session, "%qd_coverage clip", "second")
    assert run(session, "clip(np.ones(5, np.float32))").of("update_display_data") == []
    run(session, "%qd_coverage --live clip", "third")
    assert len(run(session, "clip(np.ones(5, np.float32))").of("update_display_data")) == 1
    cell = run(session, "clip(np.ones(5, np.float32))", "fourth", deletedCells=["third"])
    assert cell.of("update_display_data") == []


ORDINARY = """

@qd.kernel
def step(x: qd.types.ndarray(qd.f32, ndim=1)):
    for i in x:
        if x[i] > 0:
            x[i] = half(x[i])
"""


UNCOUNTED = "@qd.kernel\ndef before(x: qd.types.ndarray(qd.f32, ndim=1)):\n    x[0] = 1"


def test_ordinary_cells(session):
    run(session, "%qd_coverage --off")
    assert opened(run(session, UNCOUNTED, "before")) == []
    run(session, "%qd_coverage --on")
    assert opened(run(session, "@qd.func\ndef half(v):\n    return v / 2", "half")) == []
    defined = run(session, ORDINARY, "step")
    (comm_id,) = opened(defined)
    assert [cell["lines"] for message in told(defined, comm_id) for cell in message["cells"]] == [[]], "nothing ran yet"
    message = last(told(run(session, "before(np.ones(5, np.float32)); step(np.ones(5, np.float32))"), comm_id))
    cells = {cell["cell_id"]: cell for cell in message["cells"]}
    assert lines(cells["half"]) == {3: (5, 5, None)}
    assert lines(cells["step"]) == {5: (1, 1, None), 6: (5, 5, None), 7: (5, 5, None)}, "lines are those of the editor"
    assert set(cells) == {"half", "step"}
    shown = run(session, "%qd_coverage").of("execute_result")[0]["data"]
    assert "   7 5 |             x[i] = half(x[i])" in shown["text/plain"] and shown[MIME]["cells"] == [cells["step"]]
    assert run(session, "%qd_coverage half").result.splitlines()[-1] == "   3 5 |     return v / 2"

    message = last(told(run(session, ORDINARY, "step"), comm_id))
    assert {cell["cell_id"]: cell["lines"] for cell in message["cells"]} == {"half": [], "step": []}, "it is another kernel now"
    message = last(told(run(session, "step(np.ones(2, np.float32))"), comm_id))
    assert {cell["cell_id"]: lines(cell).get(7) or lines(cell)[3] for cell in message["cells"]} == {
        "half": (2, 2, 0), "step": (2, 2, None)}

    run(session, "%qd_coverage --off")
    assert [cell["lines"] for cell in last(told(run(session, ORDINARY, "step"), comm_id))["cells"]] == [[], []]
    assert told(run(session, "step(np.ones(2, np.float32))"), comm_id) == []


def counted(session, name, text):
    """Returns the text of a listing next to the line with this text."""
    rows = run(session, f"%qd_coverage {name}").result.splitlines()
    return [row.split("|")[0].split()[1:] for row in rows if "|" in row and row.split("|")[1].split("  <-")[0].strip() == text]


def test_all_cells_run_twice(session):
    """qd.init starts another program, and equal text creates another kernel of the same name."""
    for _ in range(3):
        run(session, "qd.init(arch=qd.cpu, offline_cache=False)", "start")
        run(session, UNCOUNTED, "before")
        defined = run(session, "before(np.ones(5, np.float32))", "call")
        assert counted(session, "before", "x[0] = 1") == [["1"]]
    (cell,) = run(session, "%qd_coverage before").of("execute_result")[0]["data"][MIME]["cells"]
    assert lines(cell) == {3: (1, 1, None)} and [one["lines"][0]["count"] for one in cell["specialisations"]] == [1]


FACTORY = """def make(c):
    @qd.kernel
    def inner(n: qd.i32):
        for i in range(n):
            if i > c:
                pass
    return inner
made = [make(c) for c in (1, 2, 3)]
"""


def test_kernels_of_a_factory(session):
    """All kernels of the factory have the same lines, with one count each."""
    run(session, FACTORY, "factory")
    run(session, "made[0](10)")
    run(session, "made[1](20); made[2](30)")
    data = run(session, "%qd_coverage").of("execute_result")[0]["data"]
    assert data["text/plain"].count("inner (cell ") == 1 and " 60 |             if i > c:" in data["text/plain"]
    (cell,) = data[MIME]["cells"]
    assert [line["number"] for line in cell["lines"]] == sorted({line["number"] for line in cell["lines"]})
    run(session, FACTORY + "made[0](7)", "factory")
    assert counted(session, "make.<locals>.inner", "if i > c:") == [["7"]]


def test_a_bad_kernel_does_not_disturb_the_others(session):
    cell = session.run("@qd.kernel\nasync def waits(x: qd.i32) -> qd.i32:\n    return x")
    assert cell.error == "QuadrantsSyntaxError"
    bad = "loop = []; loop.append(loop)\n@qd.kernel\ndef bad():\n    print(loop)\n"
    session.run(bad + "bad()")
    assert run(session, "%%qd_kernel\n" + bad).text("stderr") == ""
    after = run(session, UNCOUNTED + "\nbefore(np.ones(5, np.float32))")
    assert after.text("stderr") == "" and counted(session, "before", "x[0] = 1") == [["1"]]
    assert run(session, "1").text("stderr") == ""


def test_methods_of_ordinary_cells_while_they_run(session):
    method = LONG.removeprefix("%%qd_kernel\n").replace("(x:", "(self, x:").replace("\n", "\n    ")
    run(session, "page = 'it names its cells'")
    request = session.send(f"@qd.data_oriented\nclass Long:\n    {method}\nLong().long(np.ones(64, np.float32))")
    seen, comm_id = [], None
    while len(set(seen)) < 3:
        message = session.raw.get_iopub_msg(timeout=PATIENCE)
        if message["msg_type"] == "comm_open" and message["content"]["target_name"] == TARGET:
            comm_id = message["content"]["comm_id"]
        if message["msg_type"] == "comm_msg" and message["content"]["comm_id"] == comm_id:
            seen.append(lines(message["content"]["data"]["cells"][0]).get(7, (0,))[0])
    session.interrupt()
    assert session.collect(request).error == "KeyboardInterrupt"
    assert run(session, "%qd_coverage").result.startswith("Long.long (cell ")


def test_errors_of_ordinary_cells_name_the_cell(session):
    number = int(run(session, "print(get_ipython().displayhook.prompt_count)").text())
    cell = session.run("@qd.kernel\ndef f():\n    return missing\nf()")
    assert f'File "cell {number + 1}", line 3, in f:' in cell.of("error")[0]["evalue"]


def test_kernels_that_are_not_counted_are_reported(session):
    said = session.run("%qd_coverage absent").text("stderr")
    assert "no kernel or func named 'absent' of a cell has been counted" in said and "--on" not in said
    session.run("%qd_coverage --off")
    assert "%qd_coverage --on counts those that ordinary cells define" in session.run("%qd_coverage absent").text("stderr")


WHILES = """@qd.func
def halved(v):
    while v > 8:
        v = v / 2
    return v

@qd.kernel
def halve(x: qd.types.ndarray(qd.f32, ndim=1)):
    for i in x:
        x[i] = halved(x[i])
"""


def test_loops_that_never_iterate(session):
    """This includes `while`. Kernels and funcs are listed in the order of the cell."""
    (comm_id,) = opened(run(session, WHILES, "halve"))
    cell = only(told(run(session, "halve(np.ones(5, np.float32))"), comm_id))
    assert {line["number"]: line["outcomes"] for line in cell["lines"]}[3] == {"entered": 0, "zero_trips": 5}
    shown = run(session, "%qd_coverage").result.splitlines()
    assert shown[0].startswith("halved (cell ") and shown[3] == "   3     5 |     while v > 8:  <- never entered"
    run(session, "halve(np.full(2, 20, np.float32))")
    assert run(session, "%qd_coverage").result.splitlines()[3] == "   3 7 |     while v > 8:"


def test_a_cell_that_was_one_of_kernels(session):
    """Without its first line it is an ordinary cell of the same text."""
    text = "@qd.kernel\ndef fill(x: qd.types.ndarray(qd.f32, ndim=1)):\n    for i in x:\n        x[i] = 1\n"
    (comm_id,) = opened(run(session, "%%qd_kernel\n" + text, "fill"))
    assert lines(only(told(run(session, "fill(np.ones(5, np.float32))"), comm_id))) == {4: (1, 1, None), 5: (5, 5, None)}
    run(session, text, "fill")  # the page drops the marks of a cell that runs with another text
    assert lines(only(told(run(session, "fill(np.ones(3, np.float32))"), comm_id))) == {3: (1, 1, None), 4: (3, 3, None)}
    assert only(told(run(session, "%%qd_kernel\n" + text, "fill"), comm_id))["lines"] == []
    assert lines(only(told(run(session, "fill(np.ones(2, np.float32))"), comm_id))) == {4: (1, 1, None), 5: (2, 2, None)}


@pytest.mark.parametrize("word", ["0", "false"])
def test_coverage_disabled_by_a_variable(tmp_path, word):
    client = Client("quadrants", env={**os.environ, "QD_KERNEL_COVERAGE": word}, cwd=tmp_path)
    try:
        client.run("import numpy as np\nimport quadrants as qd\nqd.init(arch=qd.cpu, offline_cache=False)\n%load_ext quadrants_jupyter")
        assert opened(run(client, UNCOUNTED)) == []
        run(client, "before(np.ones(1, np.float32))")
        assert run(client, "import quadrants as qd; qd.coverage.snapshot()").result == "{}"
    finally:
        client.close()


def test_ordinary_cells_of_a_process_that_counts_everything(tmp_path):
    client = Client("quadrants", env={**os.environ, "QD_KERNEL_COVERAGE": "1"}, cwd=tmp_path)
    try:
        client.run("import numpy as np\nimport quadrants as qd\nqd.init(arch=qd.cpu, offline_cache=False)")
        client.run("%load_ext quadrants_jupyter")
        run(client, "@qd.func\ndef half(v):\n    return v / 2", "half")
        comm_ids = opened(run(client, ORDINARY, "step"))
        assert len(comm_ids) == 1
        message = last(told(run(client, "step(np.ones(5, np.float32))"), comm_ids[0]))
        assert {cell["cell_id"]: cell["lines"][-1]["count"] for cell in message["cells"]} == {"half": 5, "step": 5}
    finally:
        client.close()


def test_clients_without_cell_ids_get_no_messages(session):
    """No comm is opened, since nbconvert would report it; a page that connects later gets everything."""
    cells = [session.run(CELL), session.run("clip(np.ones(3, np.float32))")]
    assert [opened(cell) for cell in cells] == [[], []]
    (comm_id,) = opened(run(session, "clip(np.ones(4, np.float32))", "call"))
    assert lines(only(told(run(session, "clip(np.ones(4, np.float32))", "again"), comm_id)))[4] == (11, 4, 4)


def test_a_forked_child_does_not_wait_for_the_thread():
    """The thread may hold a lock at the fork and does not exist in the child, which ends its cell."""
    client = Client("quadrants")
    try:
        client.run("import quadrants as qd\nqd.init(arch=qd.cpu, offline_cache=False)\n%load_ext quadrants_jupyter")
        run(client, CELL)
        cell = run(client, "import os, threading\nfrom quadrants_jupyter import live\n"
                           "held, done = threading.Event(), threading.Event()\nstate = live.live.publisher.state\n"
                           "def hold():\n    with state:\n        held.set(); done.wait()\n"
                           "holder = threading.Thread(target=hold); holder.start(); held.wait()\n"
                           "if pid := os.fork():\n"
                           "    status = os.waitpid(pid, 0)[1]; done.set(); holder.join(); print('the child ended with', status)")
        assert cell.text() == "the child ended with 0\n"
    finally:
        client.close()


def test_no_thread_before_the_first_cell_with_kernels(session):
    names = "import threading; sorted(t.name for t in threading.enumerate() if t.name == 'quadrants coverage')"
    assert run(session, names).result == "[]"
    assert opened(run(session, CELL.replace("%%qd_kernel", "%%qd_kernel --no-coverage"))) == []
    assert run(session, names).result == "[]"
    run(session, CELL)
    assert run(session, names).result == "['quadrants coverage']"


def test_ordinary_cells_need_no_magic():
    client = Client("quadrants")
    try:
        first = run(client, "import numpy as np\nimport quadrants as qd\nqd.init(arch=qd.cpu, offline_cache=False)\n"
                            "@qd.func\ndef half(v):\n    return v / 2" + ORDINARY + "step(np.ones(5, np.float32))", "first")
        (comm_id,) = opened(first)
        assert lines(only(told(first, comm_id))) == {6: (5, 5, None), 10: (1, 1, None), 11: (5, 5, None), 12: (5, 5, None)}
    finally:
        client.close()


@pytest.mark.parametrize("imported", [
    "import numpy as np, quadrants as qd", "import numpy as np; import quadrants as qd", "from helper import qd",
    "import importlib; qd = importlib.import_module('quadrants')",
    "import importlib.util; importlib.util.find_spec('quadrants'); qd = __import__('quadrants')"])
def test_every_way_to_import_the_package(tmp_path, imported):
    (tmp_path / "helper.py").write_text("import quadrants as qd\n")
    client = Client("quadrants", cwd=tmp_path)
    try:
        text = f"{imported}\nqd.init(arch=qd.cpu, offline_cache=False)\n@qd.kernel\ndef k() -> qd.i32:\n    return 1\nk()"
        (comm_id,) = opened(run(client, text, "first"))
        assert counted(client, "k", "return 1") == [["1"]]
        assert only(told(run(client, "k()"), comm_id))["cell_id"] == "first"
    finally:
        client.close()


def test_a_loaded_extension_that_the_first_cell_loads_itself():
    client = Client("quadrants")
    try:
        client.run("import numpy as np\nimport quadrants as qd\nqd.init(arch=qd.cpu, offline_cache=False)")
        defined = run(client, CELL, "first")
        (comm_id,) = opened(defined)
        assert only(told(defined, comm_id))["cell_id"] == "first"
        cell = only(told(run(client, "clip(np.ones(5, np.float32))"), comm_id))
        assert lines(cell)[11] == (5, 5, None)
        text = client.run(f"from quadrants_jupyter import live\nlive.digest({CELL!r})").result
        assert cell["digest"] == text.strip("'")
    finally:
        client.close()


# --- the protocol ----------------------------------------------------------------------------------------------------

def test_digest():
    sys.modules.pop("quadrants_jupyter.live", None)
    from quadrants_jupyter import live

    assert live.digest("") == "cbf29ce484222325"
    assert live.digest("a") == "af63dc4c8601ec8c"
    assert live.digest("foobar") == "85944171f73967e8"
    assert live.digest("é€😀\n") == "{:016x}".format(_fnv("é€😀\n".encode()))


def _fnv(data):
    state = 14695981039346656037
    for byte in data:
        state = (state ^ byte) * 1099511628211 % 2**64
    return state


def members(file, interface):
    """Returns name -> type of the members of an interface of the protocol, and of the objects inside it."""
    text = re.sub(r"/\*.*?\*/", "", (PROTOCOL / file).read_text(), flags=re.DOTALL)
    body = re.search(rf"export interface {interface}\b[^{{]*\{{(.*?)\n\}}", text, re.DOTALL).group(1)
    return re.findall(r"(?:^|[{;])\s*(\w+)\??:", body, re.MULTILINE)


TRAITS = "sorted(n for n in models.model_class({0!r}, **{0}.TRAITS).class_traits(sync=True) if not n.startswith('_'))"


def test_both_sides_name_the_same_members(session):
    run(session, CELL)
    run(session, "clip(np.ones(5, np.float32))")
    message = run(session, "%qd_coverage").of("execute_result")[0]["data"][MIME]
    cell = message["cells"][0]
    assert list(message) == members("coverage.ts", "CoverageMessage")
    assert list(cell) == members("coverage.ts", "CellCoverage")
    assert list(cell["lines"][0]) == members("coverage.ts", "LineCounts")
    assert list(message["scale"]) == members("coverage.ts", "Scale")
    output = run(session, "%qd_coverage").of("execute_result")[0]["data"]["application/vnd.quadrants.heatmap+json"]
    inherited = set(members("heatmap.ts", "HeatmapModel")) - {"running"}
    assert set(output) == inherited | set(members("heatmap.ts", "HeatmapOutput"))
    one = cell["specialisations"][0]
    assert [*one, *one["lines"][0]] == members("coverage.ts", "SpecialisationCounts")
    heatmap = run(session, "import dataclasses\nfrom quadrants_jupyter import heatmap\n"
                           "[[f.name for f in dataclasses.fields(c)] for c in (heatmap.Line, heatmap.Listing)]").result
    assert ast.literal_eval(heatmap) == [members("heatmap.ts", "Line"), members("heatmap.ts", "Listing")]
    traits = run(session, "from quadrants_jupyter import models\n" + TRAITS.format("heatmap"))
    assert set(members("heatmap.ts", "HeatmapModel")) <= set(ast.literal_eval(traits.result))
    outcomes = re.search(r"export type Outcome = ([^;]*);", (PROTOCOL / "heatmap.ts").read_text()).group(1)
    from quadrants._live import coverage

    assert re.findall(r'"(\w+)"', outcomes) == list(coverage.OUTCOMES)


UNCALLED = """@qd.kernel
def called(x: qd.types.ndarray(qd.f32, ndim=1)):
    for i in x: x[i] = 1

@qd.kernel
def uncalled(x: qd.types.ndarray(qd.f32, ndim=1)):
    for i in x:
        x[i] = 2"""


def test_a_kernel_that_was_never_called(session):
    comm_id = opened(run(session, UNCALLED, "both"))[0]
    message = last(told(run(session, "called(np.ones(5, np.float32))"), comm_id))
    (cell,) = message["cells"]
    assert {line["number"]: (line["count"], line["launched"]) for line in cell["lines"]} == {
        3: (5, True), 7: (0, False), 8: (0, False)}
    shown = run(session, "%qd_coverage called uncalled").result.splitlines()
    assert "   3       5 |     for i in x: x[i] = 1" in shown and "   8 not yet |         x[i] = 2" in shown
    assert counted(session, "uncalled", "x[i] = 2") == [["not", "yet"]]
    message = last(told(run(session, "uncalled(np.ones(3, np.float32))"), comm_id))
    assert lines(message["cells"][0])[8] == (3, 3, 0), "the run before did not call it"


def test_nothing_is_counted_where_kernels_run_as_python(session):
    run(session, "qd.init(arch=qd.python)")
    run(session, UNCALLED, "both")
    run(session, "called(np.ones(5, np.float32))")
    assert "nothing is counted with arch=qd.python" in run(session, "%qd_coverage").result
