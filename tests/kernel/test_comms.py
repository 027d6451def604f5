"""Comms and widgets, in both directions."""

import re
import uuid

import pytest
from conftest import PATIENCE


def send_comm(kernel, kind, content, buffers=None):
    message = kernel.raw.session.msg(kind, content)
    kernel.raw.session.send(kernel.raw.shell_channel.socket, message, buffers=buffers)
    seen = []
    while True:
        got = kernel.raw.get_iopub_msg(timeout=PATIENCE)
        if got["parent_header"].get("msg_id") != message["header"]["msg_id"]:
            continue
        if got["msg_type"] == "status" and got["content"]["execution_state"] == "idle":
            return seen
        seen.append(got)


def text(seen):
    """Returns the merged text, since one print may be sent in parts."""
    return "".join(m["content"]["text"] for m in seen if m["msg_type"] == "stream")


def test_comm_opened_by_the_kernel_to_an_unknown_target(kernel):
    cell = kernel.run("import comm\nc = comm.create_comm(target_name='nobody.knows', data={'a': 1})\nc.send({'b': 2}, buffers=[b'xyz'])")
    assert cell.of("comm_open")[0]["target_name"] == "nobody.knows"
    message = [m for m in cell.messages if m["msg_type"] == "comm_msg"][0]
    assert message["content"]["data"] == {"b": 2} and bytes(message["buffers"][0]) == b"xyz"


def test_target_in_the_kernel(kernel):
    kernel.run("import comm\ndef opened(c, m):\n    c.on_msg(lambda m: (print('got', m['content']['data']['x'], bytes(m['buffers'][0])), c.send({'y': 2})))\n"
               "    c.on_close(lambda m: print('closed'))\n"
               "comm.get_comm_manager().register_target('here', opened)")
    key = uuid.uuid4().hex
    send_comm(kernel, "comm_open", {"comm_id": key, "target_name": "here", "data": {}})
    seen = send_comm(kernel, "comm_msg", {"comm_id": key, "data": {"x": 1}}, buffers=[b"raw"])
    assert [m["content"] for m in seen if m["msg_type"] == "comm_msg"] == [{"comm_id": key, "data": {"y": 2}}]
    assert text(seen) == "got 1 b'raw'\n"
    kernel.raw.comm_info()
    while True:
        reply = kernel.raw.get_shell_msg(timeout=PATIENCE)
        if reply["msg_type"] == "comm_info_reply":
            break
    assert reply["content"]["comms"][key] == {"target_name": "here"}
    seen = send_comm(kernel, "comm_close", {"comm_id": key, "data": {}})
    assert text(seen) == "closed\n"


def test_error_in_a_handler_is_seen(kernel):
    kernel.run("import comm\ncomm.get_comm_manager().register_target('bad', lambda c, m: c.on_msg(lambda m: 1/0))")
    key = uuid.uuid4().hex
    send_comm(kernel, "comm_open", {"comm_id": key, "target_name": "bad", "data": {}})
    seen = send_comm(kernel, "comm_msg", {"comm_id": key, "data": {}})
    assert [m["content"]["ename"] for m in seen if m["msg_type"] == "error"] == ["ZeroDivisionError"]


def test_slider(kernel):
    cell = kernel.run("import ipywidgets as w\ns = w.IntSlider(3)\ns.observe(lambda change: print('now', change.new), 'value')\ns")
    view = cell.of("execute_result")[0]["data"]["application/vnd.jupyter.widget-view+json"]
    key = view["model_id"]
    seen = send_comm(kernel, "comm_msg", {"comm_id": key, "data": {"method": "update", "state": {"value": 8}, "buffer_paths": []}})
    assert text(seen) == "now 8\n"
    assert kernel.run("s.value").result == "8"
    cell = kernel.run("s.value = 11")
    assert cell.of("comm_msg")[0]["data"]["state"] == {"value": 11}


def test_output_widget(kernel):
    cell = kernel.run("import ipywidgets as w\no = w.Output()\nwith o:\n    print('inside')")
    updates = [m["data"]["state"].get("msg_id") for m in cell.of("comm_msg") if "msg_id" in m["data"].get("state", {})]
    assert updates[0] == cell.reply["parent_header"]["msg_id"] and updates[-1] == ""
    assert cell.text() == "inside\n"


@pytest.mark.parametrize("module", ["auto", "notebook"])
def test_a_bar_of_tqdm(fresh_kernel, module):
    """Widgets draw it as in ipykernel, around launches of kernels: green up to 100 %, red if it was stopped."""
    begin = f"""
from tqdm.{module} import tqdm
import quadrants as qd
qd.init(arch=qd.cpu, log_level="warn")
x = qd.field(qd.f32, shape=8)
@qd.kernel
def step():
    for i in x:
        x[i] += 1
"""
    assert fresh_kernel.run(begin).status == "ok"
    cell = fresh_kernel.run("for k in tqdm(range(50), desc='steps', mininterval=0):\n    step()\nprint(x[0])")
    assert (cell.status, cell.text(), cell.text("stderr")) == ("ok", "50.0\n", "")
    shown = cell.of("display_data")[0]["data"]
    names = {message["comm_id"]: message["data"]["state"]["_model_name"] for message in cell.of("comm_open")}
    assert names[shown["application/vnd.jupyter.widget-view+json"]["model_id"]] == "HBoxModel"
    told = [(names[message["comm_id"]], message["data"]["state"]) for message in cell.of("comm_msg")]
    values = [state["value"] for name, state in told if name == "FloatProgressModel" and "value" in state]
    texts = [state["value"] for name, state in told if name == "HTMLModel" and "value" in state]
    assert values[-1] == 50 and values == sorted(values) and len(values) > 40
    assert any(re.match(r"steps:\W+100%", text) for text in texts) and re.match(r"\W*50/50", texts[-1])
    assert told[-1] == ("FloatProgressModel", {"bar_style": "success"})
    cell = fresh_kernel.run("for k in tqdm(range(50), mininterval=0):\n    step()\n    if k == 20:\n        raise KeyboardInterrupt")
    assert cell.error == "KeyboardInterrupt"
    assert [m["data"]["state"]["bar_style"] for m in cell.of("comm_msg") if "bar_style" in m["data"]["state"]] == ["danger"]


def test_a_bar_of_tqdm_without_widgets(kernel):
    """The output is as in a terminal: one line on stderr, which is overwritten."""
    cell = kernel.run("from tqdm import tqdm\nfor k in tqdm(range(20), mininterval=0, ncols=60):\n    pass")
    assert cell.status == "ok" and re.search(r"\r100%\|█+\| 20/20 \[", cell.text("stderr"))


def test_anywidget(kernel):
    cell = kernel.run("import anywidget, traitlets\n"
                      "class Counter(anywidget.AnyWidget):\n    _esm = 'export default {render() {}}'\n    n = traitlets.Int(1).tag(sync=True)\n"
                      "    raw = traitlets.Bytes(b'abc').tag(sync=True)\nc = Counter()\nc")
    key = cell.of("execute_result")[0]["data"]["application/vnd.jupyter.widget-view+json"]["model_id"]
    opened = [m for m in cell.messages if m["msg_type"] == "comm_open" and m["content"]["comm_id"] == key][0]
    assert bytes(opened["buffers"][0]) == b"abc"
    send_comm(kernel, "comm_msg", {"comm_id": key, "data": {"method": "update", "state": {"n": 5}, "buffer_paths": []}})
    assert kernel.run("c.n").result == "5"
    kernel.run("c.on_msg(lambda self, content, buffers: self.send({'back': content['x']}, [b'q']))")
    seen = send_comm(kernel, "comm_msg", {"comm_id": key, "data": {"method": "custom", "content": {"x": 4}}})
    answer = [m for m in seen if m["msg_type"] == "comm_msg"][0]
    assert answer["content"]["data"] == {"method": "custom", "content": {"back": 4}} and bytes(answer["buffers"][0]) == b"q"
