"""The values that gradients keep on the lines of a cell, for the marks in its gutter."""

from test_live import members, only, opened, run, session, told  # noqa: F401

SETUP = "qd.init(arch=qd.cpu, offline_cache=False, ad_stack_experimental_enabled=True)"
CELL = """%%qd_kernel
x = qd.field(qd.f64, shape=4, name="x", needs_grad=True)
loss = qd.field(qd.f64, shape=(), name="loss", needs_grad=True)

@qd.kernel
def logistic(n: qd.i32):
    for i in x:
        v = x[i]
        w = qd.Vector([1.0, x[i]])
        for _ in range(n):
            w = w * v
            v = 3.0 * v * (1.0 - v)
        loss[None] += v + w[0] + w[1]
"""
LANES = "max([1] + [loop.lanes for kernel in qd.ad.memory_report() for task in kernel.tasks for loop in task.loops])"
GRADIENT = "with qd.ad.Tape(loss):\n    logistic({})"


def of(line):
    return sorted((value["name"], value["type"], value["bytes"], value["trips"], value["loop"], value["choice"]) for value in line["of"])


def test_after_a_gradient(session):  # noqa: F811
    run(session, SETUP)
    run(session, "%qd_gradients --off")
    (comm_id,) = opened(run(session, CELL, "first"))
    run(session, "logistic(10)")
    cell = only(told(run(session, GRADIENT.format(1000)), comm_id))
    assert cell["cell_id"] == "first"
    w, v = cell["kept"]  # at the statements in the loop
    lanes = int(session.run(LANES).result)
    assert list(v) == members("coverage.ts", "AdstackLine") and list(v["of"][0]) == members("coverage.ts", "AdstackValue")
    assert (v["number"], v["bytes"], of(v)) == (12, 8000 * lanes, [("v", "f64", 8 * lanes, 1000, 10, "keep")])
    assert (w["number"], w["bytes"], of(w)) == (11, 16000 * lanes, [("w", "f64", 16 * lanes, 1000, 10, "keep")])
    assert {value["kernel"] for line in (v, w) for value in line["of"]} == {"logistic"}
    assert told(run(session, "1 + 1"), comm_id) == [], "nothing changed"

    cell = only(told(run(session, GRADIENT.format(10)), comm_id))
    assert sum(line["bytes"] for line in cell["kept"]) == 240 * lanes, "those of the newest launch"
    run(session, "logistic(3)")
    assert sum(line["bytes"] for line in shown(session)["kept"]) == 240 * lanes, "what runs forward keeps nothing"

    run(session, "%qd_adstack logistic --budget 1000")
    assert sum(line["bytes"] for line in shown(session)["kept"]) == 240 * lanes
    run(session, GRADIENT.format(1000))
    kept = shown(session)["kept"]
    assert sum(line["bytes"] for line in kept) <= 1000 * lanes
    assert {value["choice"].split()[0] for line in kept for value in line["of"]} == {"every", "keep"}

    run(session, CELL.replace("3.0", "2.9"), "first")
    assert shown(session)["kept"] == [], "it is another kernel now"


def shown(session, code="%qd_coverage logistic"):  # noqa: F811
    run(session, "logistic(1)")
    message = run(session, code).of("execute_result")[0]["data"]["application/vnd.quadrants.coverage+json"]
    return next(cell for cell in message["cells"] if cell["cell_id"] == "first")


def test_without_counts_and_in_funcs(session):  # noqa: F811
    run(session, SETUP)
    func = "%%qd_kernel --no-coverage\n@qd.func\ndef grown(v):\n    u = 1.0 * v\n    for _ in range(50):\n        u = 3.0 * u * (1.0 - u)\n    return u\n"
    assert not opened(run(session, func, "func")), "nothing to tell"
    run(session, CELL.replace("%%qd_kernel", "%%qd_kernel --no-coverage").replace("3.0 * v * (1.0 - v)", "grown(v)"), "first")
    ran = run(session, GRADIENT.format(20))
    (comm_id,) = opened(ran)
    cells = {cell["cell_id"]: cell for cell in told(ran, comm_id)[-1]["cells"]}
    assert set(cells) == {"func", "first"} and all(cell["lines"] == [] for cell in cells.values())
    (inside,) = cells["func"]["kept"]
    assert (inside["number"], inside["bytes"], of(inside)) == (6, inside["of"][0]["bytes"] * 50, [("u", "f64", inside["of"][0]["bytes"], 50, 5, "keep")])
    assert [line["number"] for line in cells["first"]["kept"]] == [11, 12]


def test_a_pending_launch_is_not_waited_for(session):  # noqa: F811
    run(session, SETUP)
    run(session, CELL, "first")
    run(session, GRADIENT.format(3))
    run(session, """import threading
@qd.kernel
def busy(stop: qd.types.ndarray(qd.i32, ndim=1)):
    for i in range(1):
        stop[2] = 1
    for i in range(1):
        while qd.atomic_add(stop[0], 0) == 0:
            stop[1] += 1
stop = np.zeros(3, np.int32)
threading.Thread(target=busy, args=(stop,)).start()
from quadrants._gradients import memory
while stop[2] == 0:
    pass
memory.memory_now()""")
    assert run(session, "int(stop[0])").result == "0"
    run(session, "stop[0] = 1")
