"""Comms and widgets, both ways."""

import uuid

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
    """A print may leave in parts."""
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
    kernel.run("comm.get_comm_manager().register_target('bad', lambda c, m: c.on_msg(lambda m: 1/0))")
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
    cell = kernel.run("o = w.Output()\nwith o:\n    print('inside')")
    updates = [m["data"]["state"].get("msg_id") for m in cell.of("comm_msg") if "msg_id" in m["data"].get("state", {})]
    assert updates[0] == cell.reply["parent_header"]["msg_id"] and updates[-1] == ""
    assert cell.text() == "inside\n"


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
