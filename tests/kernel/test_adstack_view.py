"""`%qd_adstack`: its view, budgets, measurements, and requests of a page."""

import ast
import json
import os
import re
import signal
import subprocess
import threading

import pytest
from conftest import Client
from test_comms import send_comm
from test_live import PROTOCOL, TRAITS, members

MIME = "application/vnd.quadrants.adstack+json"
VIEW = "application/vnd.jupyter.widget-view+json"
CELL = """%%qd_kernel
x = qd.field(qd.f64, shape=4, name="x", needs_grad=True)
loss = qd.field(qd.f64, shape=(), name="loss", needs_grad=True)
scratch = qd.field(qd.i32, shape=4, name="scratch")
x.fill(0.3)

@qd.kernel
def logistic(n: qd.i32):
    for i in x:
        v = x[i]
        for _ in range(n):
            v = 3.0 * v * (1.0 - v)
        scratch[i] += 1
        loss[None] += v
"""


@pytest.fixture(params=["quadrants", "python3"])
def session(request, tmp_path):
    client = Client(request.param, env={**os.environ, "QD_OFFLINE_CACHE_FILE_PATH": str(tmp_path)})
    client.run("%load_ext quadrants_jupyter\nimport quadrants as qd\n"
               "qd.init(arch=qd.cpu, ad_stack_experimental_enabled=True)\n%qd_gradients --on")
    client.run(CELL)
    client.run("with qd.ad.Tape(loss):\n    logistic(1000)")
    yield client
    client.close()


def shown(cell):
    assert cell.status == "ok", cell.of("error")
    (found,) = [c["data"] for c in cell.of("display_data") if MIME in c["data"]]
    return found


def state(session):
    return session.run("print(x.grad.to_numpy().tobytes().hex(), loss.grad[None], loss[None], scratch.to_numpy().tolist(), "
                       "x.to_numpy().tobytes().hex())").text()


def test_contents_of_the_view(session):
    data = shown(session.run("%qd_adstack"))
    (kernel,) = data[MIME]["kernels"]
    (task,) = kernel["tasks"]
    (loop,) = task["loops"]
    assert (kernel["name"], kernel["budget"], kernel["whole"]) == ("logistic", 0, 8000)
    assert (task["line"], task["text"]) == (9, "for i in x:")
    assert (loop["line"], loop["text"], loop["trips"]) == (11, "for _ in range(n):", 1000)
    assert (loop["choice"], loop["slot_bytes"], loop["bytes"]) == ("keep", 8, 8000)
    assert [(v["name"], v["type"], v["bytes"]) for v in loop["variables"]] == [("v", "f64", 8)]
    assert loop["variables"][0]["line"] in (10, 12)
    assert task["predicted"] == task["measured"] == 8000
    report = session.run("print(qd.ad.memory_report())").text().strip()
    assert data["text/plain"] == report and "1000 times" in report
    for words in ("<code>for _ in range(n):</code>", "8,000 bytes predicted", "(f64, line", "no budget"):
        assert words in data["text/html"]


def test_a_budget(session):
    before = session.run("x.grad.to_numpy().tolist()").result
    data = shown(session.run("%qd_adstack logistic --budget 1000"))
    (kernel,) = data[MIME]["kernels"]
    assert data["text/plain"].endswith("logistic: the gradient is compiled with this budget at its next call")
    assert kernel["budget"] == 1000 and kernel["tasks"][0]["measured"] == 8000  # not launched with this budget yet
    (kernel,) = shown(session.run("%qd_adstack"))[MIME]["kernels"]
    assert kernel["budget"] == 1000 and kernel["tasks"][0]["measured"] == 8000
    assert "1000 times" in session.run("print(qd.ad.memory_report())").text()  # the same as in the view
    session.run("with qd.ad.Tape(loss):\n    logistic(1000)")
    assert session.run("[len(kernel.tasks) for kernel in qd.ad.memory_report()]").result == "[1]"
    (kernel,) = shown(session.run("%qd_adstack"))[MIME]["kernels"]
    assert kernel["tasks"][0]["measured"] <= 1000 and kernel["whole"] == 8000
    assert [(loop["choice"], loop["trips"]) for loop in kernel["tasks"][0]["loops"]] == [("every 32-th", 32), ("keep", 32)]
    after = session.run("x.grad.to_numpy().tolist()").result
    assert ast.literal_eval(after) == pytest.approx(ast.literal_eval(before))
    session.run("%qd_adstack logistic --budget 0\nlogistic.grad(1000)")
    assert shown(session.run("%qd_adstack"))[MIME]["kernels"][0]["tasks"][0]["measured"] == 8000


def test_measurements_leave_everything_as_it_was(session):
    session.run("logistic(500)\nlogistic.grad(1000)")
    before = state(session)
    counts = session.run("qd.coverage.snapshot()").result
    data = shown(session.run("%qd_adstack --measure"))
    assert re.search(r"logistic with several budgets:\n  keep all: 8,000 bytes for one iteration; kept: all iterations\n"
                     r"  budget 1/2 \(4,000 bytes\): ", data["text/plain"]), data["text/plain"]
    found = data[MIME]["kernels"][0]["measurements"]
    assert [m["part"] for m in found] == [1, 2, 16]  # 1/4 has the same choices as 1/2
    assert [m["budget"] for m in found] == [0, 4000, 500]
    assert all(m["measured"] <= m["budget"] for m in found[1:-1]) and found[0]["measured"] == 8000
    assert found[0]["choice"] == "keep" and found[1]["choice"].startswith("every ")
    assert all(m["seconds"] > 0 for m in found)
    assert "<svg" in data["text/html"] and "budget 1/16" in data["text/html"]
    assert not re.search(r"\bms\b", data["text/plain"])
    assert state(session) == before
    assert session.run("qd.coverage.snapshot()").result == counts
    assert session.run("logistic._primal.ad_stack_budget_bytes is None").result == "True"


def test_kernels_that_cannot_be_measured(session):
    session.run("import numpy as np\n%qd_gradients --off")
    session.run("""@qd.kernel
def talks(n: qd.i32):
    for i in x:
        v = x[i]
        for _ in range(n):
            v = v * v
        print(i)
        loss[None] += v
""")
    session.run("talks.grad(3)")
    assert "the arguments of its last call are unknown" in shown(session.run("%qd_adstack talks --measure"))[MIME]["said"]
    session.run("%qd_gradients --on\ntalks.grad(3)")
    assert "it prints" in shown(session.run("%qd_adstack talks --measure"))[MIME]["said"]
    assert "no gradient of a kernel named 'other'" in session.run("%qd_adstack other").text("stderr")
    assert "--budget N needs" in session.run("%qd_adstack --budget 5").text("stderr")


def test_only_the_last_call_is_measured(session):
    session.run("logistic.grad(1000)\n%qd_gradients --off")
    session.run("logistic.grad(10)")
    data = shown(session.run("%qd_adstack --measure"))
    assert "the arguments of its last call are unknown; run %qd_gradients --on, and call its gradient again" in data[MIME]["said"]
    session.run("%qd_gradients --on\nlogistic.grad(20)")
    assert shown(session.run("%qd_adstack --measure"))[MIME]["kernels"][0]["whole"] == 160
    assert session.run("from quadrants_jupyter import adstack\nlen(adstack.newest.calls)").result == "1"
    assert session.run("qd.reset()\nlen(adstack.newest.calls)").result == "0"


def test_stop_in_a_measurement_fails_the_cell(session):
    session.run("%qd_gradients --on\nlogistic.grad(1000)")
    session.run("from quadrants_jupyter import adstack\nadstack.SECONDS, adstack.RUNS = 1e9, 10**9")
    sent = session.send("print('go')\n%qd_adstack --measure\nreached = True")
    session.wait_for_text("go")
    threading.Timer(1, os.kill, (session.pid, signal.SIGINT)).start()
    cell = session.collect(sent)
    assert cell.error == "KeyboardInterrupt"
    assert [c["data"][MIME]["said"] for c in cell.of("display_data") if MIME in c["data"]] == ["logistic: Stop was pressed"]
    assert session.run("'reached' in globals()").result == "False"


def test_nothing_is_kept(session):
    session.run("qd.init(arch=qd.cpu)")
    cell = session.run("%qd_adstack")
    assert shown(cell)["text/plain"] == "no reverse-mode kernel stores any values"


def asked(session, key, **content):
    """Returns the reply to a request of the page: the states of the model, and the stored picture."""
    heard = send_comm(session, "comm_msg", {"comm_id": key, "data": {"method": "custom", "content": content}})
    assert [m["content"] for m in heard if m["msg_type"] == "error"] == []
    states = [m["content"]["data"]["state"] for m in heard if m["msg_type"] == "comm_msg" and m["content"]["comm_id"] == key]
    stored = [m["content"]["data"] for m in heard if m["msg_type"] == "update_display_data"]
    return states, stored


def test_a_page_sets_the_budget_and_measures(session):
    key = shown(session.run("%qd_adstack"))[VIEW]["model_id"]
    states, stored = asked(session, key, do="budget", kernel="logistic", bytes=1000)
    assert states[-1]["kernels"][0]["budget"] == 1000 and "at its next call" in states[-1]["said"]
    assert stored[-1][MIME]["kernels"][0]["budget"] == 1000
    assert not [m for m in session.run("1 + 1").messages if m["msg_type"] in ("comm_msg", "update_display_data")]
    cell = session.run("logistic.grad(1000)")
    told = [m["content"]["data"]["state"] for m in cell.messages if m["msg_type"] == "comm_msg" and m["content"]["comm_id"] == key]
    assert told[-1]["kernels"][0]["tasks"][0]["measured"] <= 1000
    states, stored = asked(session, key, do="measure", kernel="logistic")
    assert [len(s["kernels"][0]["measurements"]) for s in states if "kernels" in s] [-1] == 3
    assert states[-1]["measuring"] == "" and len(stored[-1][MIME]["kernels"][0]["measurements"]) == 3
    assert session.run("logistic._primal.ad_stack_budget_bytes").result == "1000"


def test_stop_ends_a_measurement(session):
    session.run("%qd_gradients --on\nlogistic.grad(1000)")
    session.run("from quadrants_jupyter import adstack\nadstack.SECONDS, adstack.RUNS = 1e9, 10**9")
    before = state(session)
    key = shown(session.run("%qd_adstack"))[VIEW]["model_id"]
    threading.Timer(2, os.kill, (session.pid, signal.SIGINT)).start()
    states, _ = asked(session, key, do="measure", kernel="logistic")
    assert states[0]["measuring"] == "logistic"
    assert states[-1]["said"] == "logistic: Stop was pressed" and states[-1]["measuring"] == ""
    assert state(session) == before


def test_a_running_launch_reports_its_stacks_so_far(session):
    session.run("""%%qd_kernel
y = qd.field(qd.f64, shape=1, name="y", needs_grad=True)
result = qd.field(qd.f64, shape=(), name="result", needs_grad=True)

@qd.kernel
def longer(k: qd.i32):
    for i in y:
        for m in range(k):
            v = y[i]
            for _ in range((m + 1) * 100):
                v = qd.sin(v)
            result[None] += v
""")
    session.run("y.fill(0.3)\nresult.grad[None] = 1.0\nlonger.grad(1)")
    key = shown(session.run("%qd_adstack longer"))[VIEW]["model_id"]
    cell = session.run("longer.grad(1500)")  # takes seconds, since each iteration keeps more than the previous one
    assert cell.status == "ok", cell.of("error")
    told = [m["content"]["data"]["state"] for m in cell.messages if m["msg_type"] == "comm_msg" and m["content"]["comm_id"] == key]
    kept = [s["kernels"][0]["tasks"][0]["measured"] for s in told if "kernels" in s]
    running = [s["running"] for s in told if "running" in s]
    assert running[0] == "longer" and running[-1] == ""
    assert len(kept) > 3 and 800 < kept[0] < kept[len(kept) // 2] < kept[-1] == 1500 * 100 * 8 and kept == sorted(kept)


ENDLESS = """%%qd_kernel
big = qd.field(qd.f32, shape=10, name="big")

@qd.kernel
def forever():
    for i in big:
        while big[i] < 1e30:
            big[i] = qd.sin(big[i])
"""
STARTED = "import threading, time\nthread = threading.Thread(target=forever, daemon=True)\nthread.start()\ntime.sleep(0.5)"


def test_views_do_not_wait_for_launches_of_other_threads(session):
    shown(session.run("%qd_adstack logistic"))
    session.run("with qd.ad.Tape(loss):\n    logistic(500)")
    session.run(ENDLESS)
    end = threading.Timer(60, os.kill, (session.pid, signal.SIGINT))  # if something waits
    end.start()
    assert session.run(STARTED).status == "ok"
    assert shown(session.run("%qd_adstack logistic"))[VIEW]["model_id"]
    assert session.run("print(thread.is_alive())").text() == "True\n"
    end.cancel()
    os.kill(session.pid, signal.SIGINT)


def test_an_exceeded_budget(session):
    session.run("%qd_adstack logistic --budget 100")
    session.run("logistic.grad(1000)")
    data = shown(session.run("%qd_adstack"))
    (task,) = data[MIME]["kernels"][0]["tasks"]
    said = "over the budget of 100 bytes: an iteration keeps 240, and about 240 in the smallest blocks that are tried"
    assert task["excess"] == said and f"<div>{said}</div>" in data["text/html"] and said in data["text/plain"]
    assert {loop["reason"] for loop in task["loops"]} == {"in blocks of blocks already, the smallest that are tried"}
    assert "every 10th iteration; the others are recomputed: in blocks of blocks already" in data["text/html"]
    session.run("logistic.grad(8)")
    measured = session.run("%qd_adstack --measure")
    assert [m["budget"] for m in shown(measured)[MIME]["kernels"][0]["measurements"]] == [0, 32]  # smaller budgets have the same choices
    assert measured.of("stream") == []  # 2 * 3 entries of 8 bytes exceed these budgets, but the measurement warns of nothing


def test_both_sides_name_the_same_members(session):
    output = shown(session.run("%qd_adstack --measure"))[MIME]
    kernel = output["kernels"][0]
    task = kernel["tasks"][0]
    loop = task["loops"][0]
    for value, name in ((kernel, "Kernel"), (task, "Task"), (loop, "Loop"), (loop["variables"][0], "Variable"),
                        (kernel["measurements"][0], "Measurement")):
        assert set(value) == set(members("adstack.ts", name)), name
    model = set(members("adstack.ts", "AdstackModel"))
    assert set(output) == model - {"measuring", "running"} | set(members("adstack.ts", "AdstackOutput"))
    traits = session.run("from quadrants_jupyter import adstack, models\n" + TRAITS.format("adstack")).result
    assert model <= set(ast.literal_eval(traits))


NODE = """
import { budgetAt, positionOf, budgetText, choiceText, keptText, milliseconds } from "./adstack/budget";
import { placed, spread, size } from "./adstack/chart";
const found = [{ part: 1, measured: 8000, seconds: 0.001 }, { part: 2, measured: 500, seconds: 0.002 }, { part: 4, measured: 500, seconds: 0.002 }];
const { points, most, longest } = placed(found as never);
console.log(JSON.stringify({
  budgets: [0, 16, 18, 20].map((at) => budgetAt(at, 8000)), unknown: budgetAt(3, 0),
  back: Array.from({ length: 21 }, (_, at) => positionOf(budgetAt(at, 1 << 20), 1 << 20)),
  text: [budgetText(0), budgetText(4000), milliseconds(0.0123456), milliseconds(1.5)],
  choices: CHOICES.map(choiceText), kept: keptText(TASK),
  first: [points[0].x, points[0].name], second: points[1], most, longest, moved: spread(points), size,
}));
"""


def test_the_slider_and_the_picture(tmp_path):
    """Runs the pure part of the front end under node."""
    widgets = PROTOCOL.parent
    from quadrants_jupyter.adstack import choice_text, kept_text

    choices = ["keep", "every 20-th", "every 1-th, every 2-th", "every 112-th", "every 123-th"]
    task = {"of_one": 640, "lanes": 8, "predicted": 5120, "measured": 5120, "total": 10240}
    source = f"const CHOICES = {json.dumps(choices)}, TASK = {json.dumps(task)};\n{NODE}"
    made = subprocess.run(["node_modules/.bin/esbuild", "--bundle", "--platform=node", "--loader=ts"], input=source, cwd=widgets,
                          capture_output=True, text=True, check=True).stdout
    (tmp_path / "made.cjs").write_text(made)
    said = subprocess.run(["node", tmp_path / "made.cjs"], capture_output=True, text=True, check=True).stdout
    told = ast.literal_eval(said.replace("true", "True"))
    assert told["budgets"] == [8, 2000, 4000, 0] and told["unknown"] == 0
    assert told["back"] == list(range(21))
    assert told["text"] == ["none, all values are kept", "4,000 bytes for one iteration", "12.3 ms", "1500 ms"]
    assert told["choices"] == [choice_text(choice) for choice in choices] and told["kept"] == kept_text(task)
    assert told["choices"][1:3] == ["every 20th iteration; the others are recomputed", "every 1st iteration, every 2nd iteration; the others are recomputed"]
    assert told["kept"].startswith("640 bytes for one iteration, 8 iterations at once on a thread: 5,120 bytes predicted")
    size = told["size"]
    assert told["first"] == [size["width"] - size["right"], "keep all"]
    assert told["second"]["y"] == size["top"] and (told["most"], told["longest"]) == (8000, 0.002)
    assert told["moved"] == [0, 0, 13]  # two names at the same position


@pytest.mark.parametrize("times", [(1.0, 1.0, 1.0, 1.0), (1.0, 0.99, 0.5, 0.51), (0.0, 0.0, 0.0, 0.0)])
def test_names_of_points_lie_apart(times):
    """This holds in the picture of a page without widgets."""
    from quadrants_jupyter.adstack import picture

    found = [{"part": part, "measured": 24, "seconds": seconds} for part, seconds in zip((1, 2, 4, 16), times)]
    places = sorted(float(y) for y in re.findall(r'<text x="[0-9.]+" y="([0-9.]+)">', picture(found)))
    assert len(places) == 4
    assert all(b - a >= 12.9 for a, b in zip(places, places[1:]))
