"""Tasks: the event loop of the session runs while a cell awaits and between cells."""

import time
import uuid

import pytest
from conftest import PATIENCE
from test_comms import send_comm

TICKER = """import asyncio, os
async def tick(go, name):
    while not os.path.exists(go): await asyncio.sleep(0.01)
    print('first of', name)
    await asyncio.sleep(0)
    display({'text/plain': 'shown by ' + name}, raw=True)
    print('last of', name)
"""


def wait_for(kernel, message_id, text):
    """Collects the messages of this request until this text has come on a stream."""
    seen, found = "", []
    while text not in seen:
        message = kernel.raw.get_iopub_msg(timeout=PATIENCE)
        if message["parent_header"].get("msg_id") == message_id:
            found.append(message)
            if message["msg_type"] == "stream":
                seen += message["content"]["text"]
    return seen, found


@pytest.fixture
def session(kernel):
    kernel.run(TICKER)
    return kernel


def test_a_task_continues_between_cells_and_prints_into_its_own_cell(session, tmp_path):
    go = tmp_path / "go"
    cell = session.run(f"t = asyncio.create_task(tick({str(go)!r}, 'task'))")
    assert cell.status == "ok", cell.of("error")
    assert session.run("t.done()").result == "False"
    go.touch()
    seen, messages = wait_for(session, cell.reply["parent_header"]["msg_id"], "last of task\n")
    assert seen == "first of task\nlast of task\n"
    shown = [m["content"]["data"]["text/plain"] for m in messages if m["msg_type"] == "display_data"]
    assert shown == ["shown by task"]
    assert session.run("t.done()").result == "True"


def test_a_task_continues_while_another_cell_awaits(session, tmp_path):
    go = tmp_path / "go"
    first = session.raw.execute(f"t = asyncio.create_task(tick({str(go)!r}, 'older'))")
    second = session.run(f"print('mine')\nopen({str(go)!r}, 'w').close()\nawait t\nprint('mine too')")
    assert second.text() == "mine\nmine too\n"  # the output of the task is in its own cell
    session.started = time.perf_counter()


def test_ways_to_start_one(session):
    for way in ("asyncio.create_task(f())", "asyncio.ensure_future(f())", "asyncio.get_running_loop().create_task(f())",
                "asyncio.get_event_loop().create_task(f())", "asyncio.gather(f(), f())",
                "asyncio.run_coroutine_threadsafe(f(), asyncio.get_running_loop())"):
        session.run("done = []\nasync def f(): done.append(1); return 5")
        assert session.run(f"x = {way}").status == "ok", way
        assert session.run("await asyncio.sleep(0.01); x.done(), len(done) > 0").result == "(True, True)", way


def test_callbacks_of_the_loop(session, tmp_path):
    mark = tmp_path / "mark"
    session.run(f"import threading\nloop = asyncio.get_running_loop()\nloop.call_later(0.01, lambda: open({str(mark)!r}, 'w').close())")
    until = time.monotonic() + PATIENCE
    while not mark.exists():
        assert time.monotonic() < until
        time.sleep(0.01)
    mark.unlink()
    session.run(f"threading.Timer(0.1, lambda: loop.call_soon_threadsafe(lambda: open({str(mark)!r}, 'w').close())).start()")
    while not mark.exists():
        assert time.monotonic() < until
        time.sleep(0.01)


@pytest.mark.parametrize("code", [
    "asyncio.run(f())", "asyncio.Runner().run(f())", "asyncio.new_event_loop().run_until_complete(f())",
    "asyncio.get_event_loop().run_until_complete(f())", "asyncio.get_running_loop().run_until_complete(f())",
])
def test_other_loops_run_in_a_cell(session, code):
    session.run("import asyncio\nasync def f():\n    await asyncio.sleep(0.01); return 5")
    assert session.run(code).result == "5"
    assert session.run("t = asyncio.create_task(f())").status == "ok"
    assert session.run("await t").result == "5"


def test_a_loop_inside_a_running_one_is_refused(session):
    session.run("async def f(): return asyncio.run(f())")
    cell = session.run("await f()")
    assert cell.error == "RuntimeError" and "running event loop" in cell.of("error")[0]["evalue"]


def test_stop_ends_a_busy_task_between_cells(session):
    cell = session.run("async def busy():\n    print('go')\n    while True: pass\nt = asyncio.create_task(busy())")
    wait_for(session, cell.reply["parent_header"]["msg_id"], "go")
    session.interrupt()
    assert session.run("t.done(), isinstance(t.exception(), KeyboardInterrupt)").result == "(True, True)"


def test_stop_ends_a_kernel_that_a_task_launched(session):
    session.run("import quadrants as qd\nqd.init(arch=qd.cpu, offline_cache=False)\n@qd.kernel\ndef endless(x: qd.types.ndarray(qd.i32, ndim=1)):\n"
                "    print('go')\n    while x[0] < 1:\n        x[0] = x[0] * 1\nx = qd.ndarray(qd.i32, 1)")
    cell = session.run("async def launches(): endless(x)\nt = asyncio.create_task(launches())")
    wait_for(session, cell.reply["parent_header"]["msg_id"], "go")
    session.interrupt()
    assert session.run("t.done(), isinstance(t.exception(), KeyboardInterrupt)").result == "(True, True)"


def test_stop_between_cells_does_not_affect_tasks(session, tmp_path):
    go = tmp_path / "go"
    cell = session.run(f"t = asyncio.create_task(tick({str(go)!r}, 'patient'))")
    for _ in range(30):
        session.interrupt()
        time.sleep(0.005)
    go.touch()
    assert wait_for(session, cell.reply["parent_header"]["msg_id"], "last of patient\n")
    assert session.run("t.exception() is None").result == "True"


def test_shutdown_ends_a_busy_task(fresh_kernel):
    cell = fresh_kernel.run("import asyncio\nasync def busy():\n    print('go')\n    while True: pass\nt = asyncio.create_task(busy())")
    wait_for(fresh_kernel, cell.reply["parent_header"]["msg_id"], "go")
    process = fresh_kernel.manager.provisioner.process
    fresh_kernel.raw.shutdown()
    assert process.wait(timeout=PATIENCE) == 0


def test_errors_of_tasks_are_reported(session):
    session.run("async def bad(): raise ValueError('mine')\nt = asyncio.create_task(bad())")
    cell = session.run("await asyncio.sleep(0.01); del t; import gc; gc.collect(); await asyncio.sleep(0.01)")
    assert "Task exception was never retrieved" in cell.text("stderr") and "ValueError: mine" in cell.text("stderr")


@pytest.mark.parametrize("code", [
    "asyncio.get_event_loop().close()", "asyncio.get_running_loop().stop()", "asyncio.set_event_loop(None)",
    "asyncio.get_running_loop().call_soon(exit_now)", "asyncio.get_running_loop().call_soon(asyncio.get_running_loop().close)",
    "asyncio._set_running_loop(None)", "asyncio.get_running_loop().call_soon(raise_it)",
])
def test_the_session_survives_any_misuse_of_the_loop(fresh_kernel, code):
    fresh_kernel.run("import asyncio, sys\ndef exit_now(): sys.exit(3)\n"
                     "class E(BaseException):\n    def __str__(self): raise E\n    __repr__ = __str__\n"
                     "def raise_it(): raise E")
    fresh_kernel.run(code)
    for _ in range(2):
        assert fresh_kernel.run("async def f(): return 7\nt = asyncio.create_task(f())").status == "ok"
        assert fresh_kernel.run("await t").result == "7"


def test_a_child_that_a_task_forks_ends_by_itself(session, tmp_path):
    out = tmp_path / "pids"
    session.run(f"async def forks():\n    pid = os.fork()\n    with open({str(out)!r}, 'a') as f: f.write(f'{{pid}} ')\n"
                "t = asyncio.create_task(forks())")
    assert session.run("await asyncio.sleep(0.05); t.done()").result == "True"
    assert session.run("os.waitstatus_to_exitcode(os.wait()[1])").result == "0"
    assert sorted(pid == "0" for pid in out.read_text().split()) == [False, True]
    assert session.run("await asyncio.sleep(0.01, 'alive')").result == "'alive'"


def test_asyncio_in_a_forked_child(session):
    cell = session.run("import multiprocessing as mp\nasync def seven(): await asyncio.sleep(0.01); return 7\n"
                       "def child(): return asyncio.run(seven())\n"
                       "with mp.get_context('fork').Pool(2) as pool: r = [pool.apply(child) for _ in range(2)]\nr")
    assert cell.result == "[7, 7]"
    assert session.run("await asyncio.sleep(0.01, 'alive')").result == "'alive'"


def test_tasks_of_callbacks_of_the_front_end(session):
    session.run("import comm\nfuture = asyncio.get_running_loop().create_future()\n"
                "async def answer(m): future.set_result(m['content']['data']['x'])\n"
                "comm.get_comm_manager().register_target('async', lambda c, m: c.on_msg(lambda m: asyncio.create_task(answer(m))))")
    key = uuid.uuid4().hex
    send_comm(session, "comm_open", {"comm_id": key, "target_name": "async", "data": {}})
    send_comm(session, "comm_msg", {"comm_id": key, "data": {"x": 4}})
    assert session.run("await future").result == "4"


def test_threads_print_into_the_newest_cell_despite_other_requests(fresh_kernel, tmp_path):
    """Completions and callbacks are requests too, but they show no output."""
    go = tmp_path / "go"
    cell = fresh_kernel.run(f"import threading, time, os, comm\ncomm.get_comm_manager().register_target('here', lambda c, m: None)\n"
                            f"def late():\n    while not os.path.exists({str(go)!r}): time.sleep(0.01)\n    print('late')\n"
                            "threading.Thread(target=late).start()")
    fresh_kernel.raw.complete("os.pa")
    fresh_kernel.raw.get_shell_msg(timeout=PATIENCE)
    send_comm(fresh_kernel, "comm_open", {"comm_id": uuid.uuid4().hex, "target_name": "here", "data": {}})
    go.touch()
    seen, _ = wait_for(fresh_kernel, cell.reply["parent_header"]["msg_id"], "late\n")
    assert seen == "late\n"


def test_an_idle_session_sleeps(fresh_kernel):
    """The event loop does not poll: an idle process takes no time."""
    fresh_kernel.run("import asyncio; t = asyncio.create_task(asyncio.sleep(3000))")

    def switches():
        with open(f"/proc/{fresh_kernel.pid}/task/{fresh_kernel.pid}/status") as file:
            return int(next(line for line in file if line.startswith("voluntary_ctxt_switches")).split()[1])

    before = switches()
    time.sleep(1)
    assert switches() - before < 20
