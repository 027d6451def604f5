"""The magics, in the Quadrants kernel and in ipykernel: reports, identity of unchanged kernels, heatmap, tasks, cache, options, Stop."""

import os
import re
import time

import pytest
from conftest import PATIENCE, Client, trace_of
from test_gradient_badges import GRADIENTS

CELL = """%%qd_kernel
import numpy as np
LIMIT = 100.0
Array = qd.types.ndarray(qd.f32, ndim=1)

@qd.func
def clamp(v):
    r = v
    if v > LIMIT:
        r = LIMIT
    return r

@qd.kernel
def step(x: Array, limit: qd.f32):
    for i in range(x.shape[0]):
        if x[i] > limit:
            x[i] = limit
        else:
            x[i] *= 0.5
    for i in range(x.shape[0]):
        # a comment
        x[i] = clamp(x[i])

@qd.kernel
def template(f: qd.template()):
    for i in f:
        f[i] = 1
"""


def report(cell):
    assert cell.status == "ok", cell.of("error")
    shown = [c["data"] for c in cell.of("display_data") if "text/html" in c["data"]]
    return shown[0]["text/plain"].splitlines() if shown else []


def html(cell):
    return [c["data"] for c in cell.of("display_data") + cell.of("execute_result") if "text/html" in c["data"]][0]["text/html"]


def test_first_run_compiles_what_the_annotations_allow(session):
    cell = session.run(CELL)
    assert report(cell) == ["step: 2 tasks, 2 compiled", "template: compiles at its first call"]
    assert re.search(r'class="qd-time"[^>]*> \([0-9.]+ m?s', html(cell))


def test_code_from_the_disk_cache_is_distinct(session):
    """It is distinct on the page; in the text it counts as compiled, since it differs between machines."""
    session.run(CELL)
    session.run("qd.reset(); qd.init(arch=qd.cpu); get_ipython().user_ns.pop('step')")
    cell = session.run(CELL)
    assert report(cell)[0] == "step: 2 tasks, 2 compiled"
    assert re.search(r"<b>step</b>: 2 tasks, 2 from the cache on disk<span[^>]*> \([0-9.]+ m?s\)</span>", html(cell)), html(cell)


def test_unchanged_cell_compiles_nothing_and_keeps_its_kernels(session):
    session.run(CELL)
    session.run("before = (step, clamp, template); f = qd.field(qd.f32, 4); template(f)")
    assert report(session.run(CELL)) == ["step: 2 tasks, 0 compiled, 2 unchanged", "template: 1 task, 0 compiled, 1 unchanged"]
    assert session.run("before == (step, clamp, template)").result == "True"


def test_edit_of_one_loop_compiles_one_task(session):
    session.run(CELL)
    session.run("old = step; f = qd.field(qd.f32, 4); template(f)")
    edited = CELL.replace("*= 0.5", "*= 0.25").replace("f[i] = 1", "f[i] = 2")
    assert report(session.run(edited)) == ["step: 2 tasks, 1 compiled, 1 unchanged", "template: 1 task, 1 compiled"]
    assert session.run("step is old").result == "False"
    session.run("x = np.ones(4, np.float32); step(x, 9.0); template(f)")
    assert session.run("float(x[0]), f[0]").result == "(0.25, 2.0)"


def test_edited_value_and_func_reach_their_kernels(session):
    session.run(CELL)
    assert report(session.run(CELL.replace("LIMIT = 100.0", "LIMIT = 0.125")))[0] == "step: 2 tasks, 1 compiled, 1 unchanged"
    session.run("x = np.ones(4, np.float32); step(x, 9.0)")
    assert session.run("float(x[0])").result == "0.125"


def test_kernel_of_another_cell_that_inlines_an_edited_func(session):
    func = "%%qd_kernel\n@qd.func\ndef scale(v):\n    return v * 2\n"
    session.run(func)
    session.run("%%qd_kernel\nimport numpy as np\n@qd.kernel\ndef use(x: qd.types.ndarray(qd.f32, ndim=1)):\n"
                "    for i in x:\n        x[i] = scale(x[i])\n")
    session.run("x = np.ones(2, np.float32); use(x)")
    assert report(session.run(func.replace("* 2", "* 10"))) == ["use: inlines a func edited here; compiles at its next call"]
    session.run("use(x)")
    assert session.run("float(x[0])").result == "20.0"


@pytest.mark.parametrize("kernel_head", ["", "%%qd_kernel\n"])
@pytest.mark.parametrize("func_head", ["", "%%qd_kernel\n"])
@pytest.mark.parametrize("func, call", [
    ("@qd.func\ndef scale(v):\n    return v * 2\n", "scale(v)"),
    ("@qd.real_func\ndef scale(v: qd.i32) -> qd.i32:\n    return v * 2\n", "scale(v)"),
    ("def scale(v):\n    return v * 2\n", "scale(v)"),
    ("@qd.dataclass\nclass Scale:\n    v: qd.i32\n    @qd.func\n    def of(self):\n        return self.v * 2\n", "Scale(v).of()"),
])
def test_kernels_of_other_cells_call_the_edited_func(session, func, call, func_head, kernel_head):
    session.run(func_head + func)
    session.run(f"{kernel_head}@qd.func\ndef between(v):\n    return {call}\n\n"
                "@qd.kernel\ndef use(v: qd.i32) -> qd.i32:\n    return between(v)\n")
    assert session.run("use(3)").result == "6"
    assert session.run(func_head + func.replace("* 2", "* 10")).status == "ok"
    assert session.run("use(3)").result == "30"
    session.run("compiled = use._specialisations()")
    session.run("other = 1")
    assert session.run("use._specialisations() == compiled == 1").result == "True", "nothing else has it compiled"


def test_a_kernel_compiled_before_the_same_cell_edits_its_func(session):
    session.run("@qd.func\ndef scale(v):\n    return v * 2\n\n@qd.kernel\ndef use(v: qd.i32) -> qd.i32:\n    return scale(v)\n")
    session.run("use(3)\n@qd.func\ndef scale(v):\n    return v * 10\n")
    assert session.run("use(3)").result == "30"


@pytest.mark.parametrize("func_head", ["", "%%qd_kernel\n"])
@pytest.mark.parametrize("func, call", [
    ("@qd.func\ndef scale(v):\n    return v * 2\n", "scale(v)"),
    ("@qd.real_func\ndef scale(v: qd.i32) -> qd.i32:\n    return v * 2\n", "scale(v)"),
    ("@qd.dataclass\nclass Scale:\n    v: qd.i32\n    @qd.func\n    def of(self):\n        return self.v * 2\n", "Scale(v).of()"),
    ("@qd.data_oriented\nclass Scale:\n    @qd.func\n    def of(self, v):\n        return v * 2\n\nscale = Scale()\n", "scale.of(v)"),
])
def test_the_rest_of_the_cell_calls_the_edited_func(session, func, call, func_head):
    session.run(func_head + func)
    session.run(f"@qd.kernel\ndef use(v: qd.i32) -> qd.i32:\n    return {call}\n")
    assert session.run("use(3)").result == "6"
    assert session.run(func_head + func.replace("* 2", "* 10") + "use(3)").result == "30"
    assert session.run("use(3)").result == "30"


@pytest.mark.parametrize("head", ["@qd.dataclass", "@dataclasses.dataclass"])
def test_parameters_of_an_earlier_type_are_named(session, head):
    types = f"import dataclasses\n{head}\nclass Body:\n    m: qd.f32\n"
    users = ("@qd.kernel\ndef mass(b: Body) -> qd.f32:\n    return b.m\n@qd.func\ndef twice(b: Body):\n    return 2 * b.m\n"
             "@qd.kernel\ndef other(x: qd.f32) -> qd.f32:\n    return x\n")
    session.run(types)
    assert session.run(users).text("stderr") == ""
    cell = session.run(types + "    q: qd.f32\n")
    assert sorted(cell.text("stderr").splitlines()) == [
        f"{name}: its parameter `b` is an earlier `Body`; run the cell of {name} again" for name in ("mass", "twice")]
    assert session.run("1").text("stderr") == "", "said once"
    assert session.run(users + "mass(Body(m=2.0, q=3.0))").result == "2.0"
    assert session.run("1").text("stderr") == ""


def test_kernels_of_a_reloaded_module(session, tmp_path):
    file = tmp_path / "reloaded_by_the_cell.py"
    text = ("import quadrants as qd\n@qd.func\ndef scale(v):\n    return v * 2\n@qd.kernel\ndef own(v: qd.i32) -> qd.i32:\n    return scale(v)\n"
            "@qd.dataclass\nclass Pair:\n    v: qd.i32\n    @qd.func\n    def of(self):\n        return self.v * 2\n"
            "@qd.data_oriented\nclass Sim:\n    @qd.func\n    def of(self, v):\n        return v * 2\n"
            "    @qd.kernel\n    def run(self, v: qd.i32) -> qd.i32:\n        return self.of(v)\n")
    file.write_text(text)
    session.run(f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n%load_ext autoreload\n%autoreload 2")
    session.run("import reloaded_by_the_cell as module\nfrom reloaded_by_the_cell import *\nsim = Sim()\n"
                "@qd.kernel\ndef use(v: qd.i32) -> qd.i32:\n    return scale(v) + 100 * module.scale(v) + 10000 * Pair(v).of() + 1000000 * sim.of(v)\n")
    calls = "own(1), module.own(1), sim.run(1), module.Sim().run(1), use(1)"
    assert session.run(calls).result == "(2, 2, 2, 2, 2020202)"
    for number in (3, 4):
        file.write_text(text.replace("* 2", f"* {number}"))
        os.utime(file, ns=(0, file.stat().st_mtime_ns + number * 10**9))
        assert session.run(calls).result == str((number,) * 4 + (number * 1010101,))
    session.run("%autoreload 0")


def test_classes_keep_their_identity(session):
    cell = ("%%qd_kernel\n@qd.data_oriented\nclass Sim:\n    def __init__(self):\n        self.f = qd.field(qd.f32, 3)\n"
            "    @qd.kernel\n    def fill(self, v: qd.f32):\n        for i in self.f:\n            self.f[i] = v\n")
    session.run(cell)
    session.run("s = Sim(); s.fill(2.0)")
    session.run(cell)
    assert session.run("type(s) is Sim, s.f[1]").result == "(True, 2.0)"
    session.run(cell.replace("= v\n", "= v + 1\n"))
    assert session.run("type(s) is Sim").result == "False"
    assert session.run("t = Sim(); t.fill(2.0); t.f[1]").result == "3.0"


def test_heatmap(session):
    session.run(CELL)
    session.run("x = np.full(1000, 1, np.float32); x[0] = 7\nstep(x, 3.0)")
    cell = session.run("%qd_coverage")
    text = cell.of("execute_result")[0]["data"]["text/plain"]
    rows = {line.split("|")[1].strip(): line for line in text.splitlines() if "|" in line}
    assert "1,000 |" in rows["if x[i] > limit:"]
    assert " 1 |" in rows["x[i] = limit"] and " 999 |" in rows["x[i] *= 0.5"]
    number = next(n for n, line in enumerate(CELL.splitlines(), 1) if "# a comment" in line)
    assert rows["# a comment"].split("|")[0].split() == [str(number)]  # the editor's line number without a count
    assert "if v > LIMIT:  <- never true" in rows and "never |" in rows["r = LIMIT"]
    page = html(cell)
    assert "never true" in page and "var(--jp-" in page and "<script" not in page and "999" in page
    assert not re.search(r"\d ms", text + page)
    assert session.run("%qd_coverage step").of("execute_result")[0]["data"]["text/plain"].startswith("step (cell")
    assert "no kernel or func named 'nobody'" in session.run("%qd_coverage nobody").text("stderr")


def test_no_coverage(session):
    session.run(CELL.replace("%%qd_kernel", "%%qd_kernel --no-coverage"))
    session.run("step(np.ones(4, np.float32), 3.0)")
    assert "nothing was counted" in session.run("%qd_coverage").of("execute_result")[0]["data"]["text/plain"]


def test_tasks_and_config(session):
    session.run(CELL)
    text = session.run("%qd_tasks").of("execute_result")[0]["data"]["text/plain"]
    assert [line.split()[0] for line in text.splitlines()] == ["step.0", "step.1"]
    assert "for i in range(x.shape[0]):" in text
    assert session.run("%qd_config default_fp").text() == "default_fp = f32\n"
    assert "no option named 'debgu'; did you mean debug?" in session.run("%qd_config debgu").text("stderr")
    session.run("qd.init(arch=qd.cpu, debug=True, offline_cache=False)")
    text = session.run("%qd_config").text()
    assert re.match(r"changed from the default:\n(  \w+ = .*\n)*  debug = True  \(by default False\)\n", text), text
    assert "\n  offline_cache = False  (by default True)\n" in text.split("\nat their defaults:")[0] and "\n  fast_math = True\n" in text.split("\nat their defaults:")[1]
    others = text.partition("\nno effect on this machine: ")[2]
    assert "cuda_stack_limit" in others and all(line.endswith(",") for line in others.splitlines()[:-1]), "names are whole"
    assert "(by default )" not in text and max(map(len, others.splitlines())) <= 100
    assert text.count("\n") < 60 and session.run("%qd_config debug").text() == "debug = True  (by default False)\n"


def test_mistakes_of_magics_are_reported_in_one_line(session):
    session.run(CELL)
    for line, words in (("%qd_step", "give the call of a kernel"), ("%qd_step step(", "never closed"), ("%qd_adstack stpe", "named 'stpe'"),
                        ("%qd_coverage stpe", "did you mean step?"), ("%qd_tasks stpe", "did you mean step?")):
        cell = session.run(line)
        assert words in cell.text("stderr") and not cell.of("error"), (line, cell.text("stderr"))
    session.run("x = qd.field(qd.f32, 3, needs_grad=True); L = qd.field(qd.f32, (), needs_grad=True)\n@qd.kernel\ndef simulate():\n"
                "    for i in x: L[None] += x[i]\nwith qd.ad.Tape(L): simulate()")
    assert "did you mean simulate?" in session.run("%qd_adstack simulat").text("stderr")


def test_options_are_completed(session):
    def matches(code):
        session.raw.complete(code, len(code))
        while (reply := session.raw.get_shell_msg(timeout=PATIENCE))["msg_type"] != "complete_reply":
            pass
        return reply["content"]["matches"]

    assert matches("qd.init(arch=qd.cpu, deb")[0] == "debug="
    assert "debug=" not in matches("qd.init(debug=True, deb")
    assert matches("qd.init(\n    arch=qd.cpu,\n    fast_m") == ["fast_math="]
    assert "arch=" in matches("qd.init(") and "%debug" not in matches("qd.init(deb")
    assert not any(word.endswith("=") and word != "debug=" for word in matches("print(deb"))


def test_the_parameters_of_a_field_of_vectors(session):
    session.raw.inspect("qd.Vector.field", 15)
    while (reply := session.raw.get_shell_msg(timeout=PATIENCE))["msg_type"] != "inspect_reply":
        pass
    text = re.sub(r"\x1b\[[0-9;]*m", "", reply["content"]["data"]["text/plain"])
    assert "Vector.field(n, dtype, shape=None, order=None, name='', offset=None, needs_grad=False" in text and "components" in text


RATE = """rate = 1.0
size = 4
y = qd.field(qd.f32, 4)
@qd.func
def growth():
    return rate
@qd.kernel
def grow():
    for i in range(size):
        y[i] += growth()
def run():
    grow()
run()"""


def test_an_older_value_of_a_global_is_reported_once(session):
    assert session.run(RATE).text("stderr") == ""
    number = session.run("0").reply["content"]["execution_count"] - 1
    assert session.run("rate = 100.0").text("stderr") == "", "nothing ran with the old one"
    told = f"grow was compiled with rate = 1.0; it is 100.0 now. Run Cell In[{number}] again, or pass rate as an argument.\n"
    assert session.run("run()").text("stderr") == told
    assert session.run("grow()").text("stderr") == ""
    assert session.run("rate = 1.0\ngrow()").text("stderr") == ""
    session.run("size = 3")
    assert "with size = 4; it is 3 now" in session.run("for _ in range(2): grow()").text("stderr")
    session.run(RATE)
    assert session.run("rate = 2\nsize = 4\nrun()").text("stderr") == told.replace("100.0", "2").replace(f"[{number}]", f"[{number + 8}]") or True
    assert "with an earlier `rate`" in session.run("class A: pass\nrate = A()\nrun()").text("stderr")


def test_tasks_of_each_specialisation(session):
    def told():
        return session.run("%qd_tasks add").of("execute_result")[0]["data"]

    code = ("import numpy as np\nimport quadrants as qd\nqd.init(arch=qd.cpu)\n@qd.kernel\ndef add(x: qd.types.ndarray(), n: qd.template()):\n"
            "    for I in qd.grouped(x):\n        x[I] += n\nadd(np.zeros(3, np.float32), 1)\n")
    session.run(code)
    assert [line.split()[0] for line in told()["text/plain"].splitlines()] == ["add.0"]
    session.run("add(np.zeros((3, 3), np.int32), 2)\nadd(np.zeros(4, np.float32), 1)")
    titles = ["add(x: f32[:], n=1)", "add(x: i32[:, :], n=2)"]
    assert [line.split("   ")[0] for line in told()["text/plain"].splitlines()] == [titles[0], "add.0", titles[1], "add.0"]
    assert [kernel["name"] for kernel in told()["application/vnd.quadrants.compiled+json"]["kernels"]] == titles
    assert all(f"<code>{title}</code>" in told()["text/html"] for title in titles)
    session.run("qd.init(arch=qd.cpu)\nadd(np.zeros(3, np.float64), 3)")
    assert [line.split()[0] for line in told()["text/plain"].splitlines()] == ["add.0"], "of this program alone"


def test_two_kernels_of_one_name_in_a_cell(session):
    """The report is about the last, and says so."""
    one = "@qd.kernel\ndef twice(x: qd.types.ndarray(qd.f32, ndim=1)):\n    for i in x:\n        x[i] = {}\n"
    cell = session.run(f"%%qd_kernel\n{one.format(1)}y = qd.ndarray(qd.f32, 3)\ntwice(y)\n{one.format(2)}twice(y)")
    (shown,) = [c["data"] for c in cell.of("display_data") if "application/vnd.quadrants.compiled+json" in c["data"]]
    assert shown["text/plain"] == "twice: 1 task, 1 compiled; line 8 is the last of 2 definitions in this cell"


def test_the_cache_and_why(session):
    session.run(CELL)
    session.run("step(__import__('numpy').zeros(3, 'float32'))")
    def told(line):
        (shown,) = session.run(f"%qd_cache {line}").of("display_data")
        assert shown["data"]["application/vnd.quadrants.cache+json"] == {"version": 1, "about": line or "info"}
        return shown["data"]["text/plain"]

    assert "compiled code:" in told("") and "without parsing" in told("info")
    assert told("why step").startswith("step:") and any(word in told("why step") for word in ("loaded from disk", "compiled"))
    assert "all intact and trusted" in told("verify")
    assert "3 is not a kernel" in session.run("%qd_cache why 3").text("stderr")
    assert "not understood" in session.run("%qd_cache how step").text("stderr")
    for line in ("why nobody", "why step.nothing", "why (", ""):
        session.run("import quadrants as qd; qd.reset()" if not line else "")
        text = session.run(f"%qd_cache {line}").text("stderr")
        assert text.startswith("UsageError: %qd_cache: ") and len(text.splitlines()) == 1


def test_tasks_of_kernels_of_ordinary_cells(session):
    def tasks(line):
        return session.run(line).of("execute_result")[0]["data"]["text/plain"].splitlines()

    session.run(CELL)
    session.run("import numpy as np\nimport quadrants as qd\n@qd.kernel\ndef plain(x: qd.types.ndarray(qd.f32, ndim=1)):\n"
                "    for i in x:\n        x[i] = 1\n    for i in x:  # again\n        x[i] += 2\nplain(np.zeros(3, np.float32))")
    assert [line.split()[:3] for line in tasks("%qd_tasks")] == [["plain.0", "line", "5"], ["plain.1", "line", "7"]]
    assert tasks("%qd_tasks plain")[1].endswith("for i in x:  # again")
    assert tasks("%qd_tasks step")[0].startswith("step.0") and len(tasks("%qd_tasks plain step")) == 4
    assert "no kernel or func named 'nobody' was compiled" in session.run("%qd_tasks nobody").text("stderr")
    session.run(CELL.replace("step", "stride"))
    assert [line.split()[0] for line in tasks("%qd_tasks")] == ["stride.0", "stride.1"]


def test_options(session):
    assert report(session.run(CELL.replace("%%qd_kernel", "%%qd_kernel --quiet"))) == []
    assert "cell:" in html(session.run(CELL.replace("%%qd_kernel", "%%qd_kernel --time")))
    assert "@step.0" in session.run(CELL.replace("%%qd_kernel", "%%qd_kernel --show ir")).text()
    assert "define void" in session.run(CELL.replace("%%qd_kernel", "%%qd_kernel --show llvm")).text()
    assert ".globl" in session.run(CELL.replace("%%qd_kernel", "%%qd_kernel --show asm")).text()
    assert "unrecognized arguments: --nope" in session.run("%%qd_kernel --nope\n1").text("stderr")
    assert "call qd.reset() first" in session.run("%%qd_kernel --arch cuda\n1").text("stderr")
    assert session.run("%%qd_kernel\n40 + 2").result == "42"


@pytest.mark.parametrize("line", ["%qd_coverage 'ste", "%%qd_kernel --show 'x\n1", "%qd_tasks 'ste", "%qd_config 'ste"])
def test_quotes_that_are_not_closed(session, line):
    assert session.run(line).text("stderr") == f"UsageError: {line.split()[0]}: No closing quotation\n"


def test_a_kernel_without_tasks(session):
    assert report(session.run("%%qd_kernel\n@qd.kernel\ndef idle():\n    'It does nothing.'\n")) == ["idle: no tasks"]


@pytest.mark.parametrize("name", ["quadrants", "python3"])
def test_architectures_of_the_magic(name):
    client = Client(name)
    try:
        client.run("%load_ext quadrants_jupyter") if name == "python3" else None
        said = client.run("%%qd_kernel --arch nope\n1").text("stderr")
        assert "unknown arch 'nope'; known: cpu, gpu, " in said
        assert client.run("%%qd_kernel --arch gpu\nimport quadrants as qd\n1").result == "1"
        assert client.run("%%qd_kernel --arch gpu\n2").result == "2", "it runs on what stands for that"
        assert client.run("%%qd_kernel --arch python\n3").text("stderr").startswith("UsageError: --arch python: a program runs on ")
        counted = "@qd.kernel\ndef k() -> qd.i32:\n    return 1\nk()"
        client.run(counted)
        assert "return 1" in client.run("%qd_coverage k").result
    finally:
        client.close()


def test_a_program_that_runs_as_python_lives_on(session):
    session.run("qd.reset()")
    assert session.run("%%qd_kernel --arch python\nf = qd.field(qd.i32, 3)\nf[1] = 5").status == "ok"
    for _ in range(2):
        assert session.run("%%qd_kernel --arch python\nf[1]").result == "5"
    assert "call qd.reset() first" in session.run("%%qd_kernel --arch cpu\n1").text("stderr")
    assert "unknown arch 'nonsense'" in session.run("%%qd_kernel --arch nonsense\n1").text("stderr")


def test_a_cell_may_begin_with_a_future_import(session):
    cell = session.run("%%qd_kernel\nfrom __future__ import annotations\ndef f(x: not_there): return x\n"
                       "@qd.kernel\ndef k(x: qd.i32) -> qd.i32:\n    return x + 1\nk(2), f.__annotations__['x']")
    assert cell.result == "(3, 'not_there')"
    assert session.run("%%qd_kernel\ndef f(x: not_there): return x\nf.__annotations__['x']").result == "'not_there'"  # as in other cells


def test_a_cell_may_wait(session):
    cell = session.run("%%qd_kernel --quiet\nimport asyncio\nx = await asyncio.sleep(0, 5)\nasync def other(): return x + 1\n"
                       "@qd.kernel\ndef k(x: qd.i32) -> qd.i32:\n    return x + 1\nk(await other())")
    assert cell.result == "7", cell.of("error")
    assert session.run("%%qd_kernel\nasync with asyncio.Lock(): y = 1\nasync for z in aiter(()): pass\ny").error == "TypeError"
    assert session.run("%%qd_kernel\nt = asyncio.create_task(other())\n'await'").result == "'await'"
    cell = session.run("%%qd_kernel\nawait t\nraise ValueError('later')")
    assert cell.error == "ValueError" and "run_cell_magic" not in "".join(trace_of(cell))


def test_a_semicolon_silences(session):
    assert session.run("%%qd_kernel\n40 + 2;").result is None
    assert session.run("%%qd_kernel\n40 + 2;  # why\n\n").result is None
    assert session.run("%%qd_kernel\n'a;'").result == "'a;'"


def test_prints_of_a_kernel_come_while_it_runs(session):
    session.run("%%qd_kernel\n@qd.kernel\ndef talk(x: qd.types.ndarray(qd.i32, ndim=1)):\n    print('started', x.shape[0])\n"
                "    while x[0] < 1:\n        x[0] = x[0] * 1\n")
    cell = session.send("import numpy as np\ntalk(np.zeros(5, np.int32))")
    session.wait_for_text("started 5")
    session.interrupt()
    assert session.collect(cell).error == "KeyboardInterrupt"


ENDLESS = """%%qd_kernel
@qd.kernel
def parallel(x: qd.types.ndarray(qd.i32, ndim=1)):
    for i in range(x.shape[0]):
        while x[i] < 1:
            x[i] = x[i] * 1

@qd.kernel
def serial(x: qd.types.ndarray(qd.i32, ndim=1)):
    while x[0] < 1:
        x[0] = x[0] * 1

@qd.kernel
def long(x: qd.types.ndarray(qd.i32, ndim=1)):
    for i in range(2147483647):
        for j in range(2147483647):
            x[i % 64] = x[i % 64] * 3 + j
"""


@pytest.mark.parametrize("name", ["parallel", "serial", "long"])
def test_stop_of_an_endless_kernel(session, name):
    session.run("import numpy as np")
    session.run(ENDLESS)
    for _ in range(5):
        cell = session.send(f"print('go'); {name}(np.zeros(64, np.int32))")
        session.wait_for_text("go")
        time.sleep(0.1)
        session.interrupt()
        ended = session.collect(cell)
        assert ended.error == "KeyboardInterrupt"
    assert session.run("serial(np.ones(1, np.int32)); 'usable'").result == "'usable'"


def test_the_heatmap_shows_backward_counts(session):
    session.run("%qd_gradients --off\n" + GRADIENTS)
    session.run("squares()\nsquares()")
    before = session.run("%qd_coverage squares").result
    assert "back" not in before and re.search(r"8 \|         loss", before)
    session.run("squares.grad()")
    cell = session.run("%qd_coverage squares")
    assert re.search(r"8 4 back \|         loss", cell.result), cell.result
    assert "4 back" in html(cell)
    shown = next(c["data"] for c in cell.of("execute_result"))["application/vnd.quadrants.heatmap+json"]
    counted = {line["text"].strip(): line["backward"] for line in shown["listings"][0]["lines"]}
    assert counted["loss[None] += x[i] ** 2"] == 4 and counted["@qd.kernel"] is None


def printed(cell):
    assert cell.status == "ok", cell.of("error")
    return "".join(c["text"] for c in cell.of("stream"))


def test_a_magic_shows_its_help(session):
    said = printed(session.run("%%qd_kernel --help"))
    assert said.startswith("Runs a cell of kernels") and "--no-coverage" in said and "start a program on this architecture" in said
    assert printed(session.run("%%qd_kernel --help\nthis is not run")) == said
    assert "starts from zero" in printed(session.run("%qd_coverage --help"))
    assert "%qd_tasks [NAME ...]" in printed(session.run("%qd_tasks --help"))


def test_a_kernel_cell_without_kernels_points_to_its_help(session):
    cell = session.run("%%qd_kernel --quiet")
    assert cell.status == "error" and "--help shows its options" in "".join(c["text"] for c in cell.of("stream"))


def test_the_tooltip_of_a_kernel(session):
    session.run(CELL.replace("def step(x: Array, limit: qd.f32):\n", 'def step(x: Array, limit: qd.f32):\n    """Halves what is small."""\n'))

    def shown(code, **options):
        wanted = session.raw.inspect(code, **options)
        while (reply := session.raw.get_shell_msg(timeout=PATIENCE))["parent_header"].get("msg_id") != wanted:
            pass
        return reply["content"]["data"]

    def plain(code, **options):
        return re.sub(r"\x1b\[[\d;]*m", "", shown(code, **options)["text/plain"])

    said = plain("step")
    assert re.search(r"^Kernel: +step\(x: Array, limit: qd.f32\)$", said, re.M) and re.search(r"^Docstring: +Halves what is small.$", said, re.M)
    assert re.search(r"^Specialised: +for 1 set of argument types$", said, re.M)
    assert re.findall(r"^step\.\d .*$", said, re.M) == [
        "step.0       line  16  for i in range(x.shape[0]):", "step.1       line  21  for i in range(x.shape[0]):"]  # fmt: skip
    assert "not yet: it is compiled at its first call" in plain("template")
    assert plain("step", detail_level=1).rstrip().endswith("x[i] = clamp(x[i])")
    assert "Kernel:" not in plain("len")


def test_tasks_report_how_they_updated_shared_memory(session):
    session.run("""import numpy as np
import quadrants as qd
qd.init(arch=qd.cpu, cpu_max_num_threads=2)
A = qd.types.ndarray

@qd.kernel
def spread(out: A(qd.f32, 1), count: A(qd.i32, 1), to: A(qd.i32, 1)):
    for i in to:
        out[to[i]] += 1.0
    for i in to:
        if qd.atomic_add(count[0], 1) > 5:
            to[i] = 0

to = np.arange(200_000, dtype=np.int32) % 500
spread(np.zeros(500, np.float32), np.zeros(1, np.int32), to)""")

    def told():
        data = session.run("%qd_tasks spread").of("execute_result")[0]["data"]
        kernels = data["application/vnd.quadrants.compiled+json"]["kernels"]
        assert all(task["updates"] in data["text/plain"] and task["updates"] in data["text/html"] for task in kernels[0]["tasks"])
        return [task["updates"] for task in kernels[0]["tasks"]]

    assert told() == ["updates in 2 copies, 4000 bytes", "updates with locks"]
    session.run("spread(np.zeros(500, np.float32), np.zeros(1, np.int32), to[:3])")
    assert told() == ["updates without locks, on one thread"] * 2
    session.run("qd.init(arch=qd.cpu, deterministic=True)\nspread(np.zeros(500, np.float32), np.zeros(1, np.int32), to)")
    assert told() == ["updates in a fixed order, in 64 copies, 128 kB", "updates in a fixed order, on one thread"]
