"""Errors and objects whose own methods raise or do not return: the cell ends with an error, and the session survives."""

import uuid

import pytest
from conftest import PATIENCE
from test_comms import send_comm

CLASSES = """
class E(BaseException):
    def __str__(self): raise E
class R(Exception):
    def __str__(self): raise R
    __repr__ = __str__
class Deep(BaseException):
    def __str__(self): return str(self)
class Args(BaseException):
    @property
    def args(self): raise E
    __cause__ = __context__ = __notes__ = args
    def __repr__(self): raise E
class NotText(Exception):
    def __str__(self): return 5
class Meta(type):
    @property
    def __name__(cls): raise E
    def __repr__(cls): raise E
    def __instancecheck__(cls, x): raise E
class M(BaseException, metaclass=Meta): pass
class Attribute(BaseException):
    def __getattribute__(self, name): raise E
class Render(Exception):
    def _render_traceback_(self): raise E
class RenderNothing(Exception):
    def _render_traceback_(self): return 7
class S(SyntaxError):
    def __str__(self): raise E
    __repr__ = __str__
class Shown:
    def __init__(self, error): self.error = error
    def __repr__(self): raise self.error
class Html(Shown):
    def _repr_html_(self): raise self.error
    def __repr__(self): return 'x'
"""
ERRORS = ["E", "R", "Deep", "Args", "NotText", "M", "Attribute", "Render", "RenderNothing", "S"]


@pytest.fixture(scope="module")
def hostile(kernel):
    assert kernel.run(CLASSES).status == "ok"
    return kernel


def alive(kernel):
    assert kernel.run("6 * 7").result == "42"


@pytest.mark.parametrize("name", ERRORS)
@pytest.mark.parametrize("code", [
    "raise {}", "raise {} from {}()", "raise BaseExceptionGroup('g', [{}()])", "await __import__('asyncio').sleep(0)\nraise {}",
    "%%time\nraise {}", "%%qd_kernel\nraise {}", "def f():\n    try: f2()\n    finally: raise {}\nf()",
])
def test_raised_in_a_cell(hostile, name, code):
    cell = hostile.run(code.replace("{}", name))
    assert cell.status == "error" and len(cell.of("error")) == 1, cell.messages
    assert cell.of("error")[0]["traceback"]
    assert cell.reply["content"]["ename"] == cell.error
    alive(hostile)


@pytest.mark.parametrize("name", ERRORS)
@pytest.mark.parametrize("code", ["Shown({}())", "Html({}())", "print(Shown({}()))", "display(Shown({}()))", "{'a': [Shown({}())]}"])
def test_raised_by_shown_objects(hostile, name, code):
    cell = hostile.run(code.replace("{}", name))
    assert cell.status in ("ok", "error")
    assert cell.status == "ok" or cell.of("error")
    alive(hostile)


@pytest.mark.parametrize("name", ERRORS)
def test_raised_in_hooks_and_expressions(hostile, name):
    cell = hostile.run("1", user_expressions={"a": f"Shown({name}())", "b": f"(_ for _ in ()).throw({name})", "c": "2"})
    assert set(cell.reply["content"]["user_expressions"]) == {"a", "b", "c"}
    for event in ("pre_execute", "pre_run_cell", "post_execute", "post_run_cell"):
        hostile.run(f"def hook(*_):\n    get_ipython().events.unregister({event!r}, hook)\n    raise {name}\n"
                    f"get_ipython().events.register({event!r}, hook)")
        hostile.run("3")
        alive(hostile)
    hostile.run(f"def formats(x): raise {name}\nget_ipython().display_formatter.formatters['text/plain'].for_type(complex, formats)")
    hostile.run("1j")
    hostile.run("get_ipython().display_formatter.formatters['text/plain'].pop(complex)")
    alive(hostile)


@pytest.mark.parametrize("name", ERRORS)
def test_raised_in_handlers_of_comms(hostile, name):
    hostile.run(f"import comm\ndef bad(*_): raise {name}\n"
                "comm.get_comm_manager().register_target('bad', lambda c, m: (c.on_msg(bad), c.on_close(bad)))\n"
                "comm.get_comm_manager().register_target('worse', bad)")
    key = uuid.uuid4().hex
    send_comm(hostile, "comm_open", {"comm_id": key, "target_name": "bad", "data": {}})
    for kind in ("comm_msg", "comm_close"):
        seen = send_comm(hostile, kind, {"comm_id": key, "data": {}})
        assert [m["msg_type"] for m in seen].count("error") == 1
    seen = send_comm(hostile, "comm_open", {"comm_id": uuid.uuid4().hex, "target_name": "worse", "data": {}})
    assert [m["msg_type"] for m in seen].count("error") == 1
    alive(hostile)


@pytest.mark.parametrize("name", ERRORS)
def test_raised_while_the_front_end_asks(hostile, name):
    hostile.run(f"class Bad:\n    def __getattribute__(self, n): raise {name}\n    def __dir__(self): raise {name}\n"
                f"    def __repr__(self): raise {name}\nbad = Bad()")
    for ask in (lambda: hostile.raw.complete("bad.x"), lambda: hostile.raw.inspect("bad", detail_level=1)):
        wanted = ask()
        while hostile.raw.get_shell_msg(timeout=PATIENCE)["parent_header"]["msg_id"] != wanted:
            pass
    alive(hostile)


def test_stop_while_the_front_end_asks(kernel):
    """A property that does not return must not block the session."""
    kernel.run("import sys\nclass Endless:\n    def __repr__(self):\n        print('go')\n        while True: pass\nendless = Endless()")
    wanted = kernel.raw.inspect("endless")
    kernel.wait_for_text("go")
    kernel.interrupt()
    while kernel.raw.get_shell_msg(timeout=PATIENCE)["parent_header"]["msg_id"] != wanted:
        pass
    alive(kernel)


def test_stop_while_a_target_opens(kernel):
    kernel.run("import comm\ndef opens(c, m):\n    print('go')\n    while True: pass\ncomm.get_comm_manager().register_target('endless', opens)")
    message = kernel.raw.session.msg("comm_open", {"comm_id": uuid.uuid4().hex, "target_name": "endless", "data": {}})
    kernel.raw.shell_channel.send(message)
    kernel.wait_for_text("go")
    kernel.interrupt()
    alive(kernel)


def test_stop_while_the_text_of_an_error_is_made(kernel):
    kernel.run("class Slow(Exception):\n    def __str__(self):\n        if not said:\n            said.append(1); print('go')\n            while True: pass\n"
               "        return 'text'\nsaid = []")
    cell = kernel.send("raise Slow")
    kernel.wait_for_text("go")
    kernel.interrupt()
    ended = kernel.collect(cell)
    assert ended.status == "error" and ended.error
    alive(kernel)


def test_errors_at_the_end_do_not_keep_the_process(fresh_kernel):
    fresh_kernel.run(CLASSES)
    fresh_kernel.run("import atexit\ndef bad(): raise E\natexit.register(bad)")
    process = fresh_kernel.manager.provisioner.process
    fresh_kernel.raw.shutdown()
    assert process.wait(timeout=PATIENCE) == 0


def test_a_cell_that_swallows_stop_ends_at_shutdown(fresh_kernel):
    fresh_kernel.send("n = 0\nprint('go')\nwhile n < 3:\n    try:\n        while True: pass\n    except KeyboardInterrupt: n += 1")
    fresh_kernel.wait_for_text("go")
    process = fresh_kernel.manager.provisioner.process
    fresh_kernel.raw.shutdown()
    assert process.wait(timeout=PATIENCE) == 0
