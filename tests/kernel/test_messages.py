"""Messages that are signed but invalid: each is refused or answered, and the session survives."""

import json
import random

import pytest
from conftest import Client

KINDS = ["execute_request", "complete_request", "inspect_request", "is_complete_request", "history_request", "comm_info_request",
         "comm_open", "comm_msg", "comm_close", "kernel_info_request", "interrupt_request", "debug_request", "input_reply", "nonsense"]
FIELDS = {
    "execute_request": {"code": "1", "silent": False, "store_history": False, "user_expressions": {"a": "1"}, "allow_stdin": False, "stop_on_error": True},
    "complete_request": {"code": "pri", "cursor_pos": 3},
    "inspect_request": {"code": "print", "cursor_pos": 3, "detail_level": 0},
    "is_complete_request": {"code": "if 1:"},
    "history_request": {"hist_access_type": "tail", "n": 3, "raw": True, "output": False, "session": 0, "start": 0, "stop": 2, "pattern": "*"},
    "comm_info_request": {"target_name": "x"},
    "comm_open": {"comm_id": "a", "target_name": "x", "data": {}},
    "comm_msg": {"comm_id": "a", "data": {}},
    "comm_close": {"comm_id": "a", "data": {}},
    "debug_request": {"type": "request", "seq": 1, "command": "debugInfo", "arguments": {}},
    "input_reply": {"value": "x", "status": "ok"},
}
WRONG = ["null", "true", "-1", "1e308", "1e999", "123456789012345678901234567890", "-9223372036854775809", "0.5", '""', '"\\ud800"', '"\\u0000"',
         "[]", "{}", "[[[]]]", '{"a": null}', '"' + "x" * 5000 + '"', "NaN", '"', b'"\xff"']


def frames_of(session, kind, header=None, parent="{}", metadata="{}", content=None, buffers=()):
    made = session.msg(kind)["header"]
    made["date"] = str(made["date"])
    parts = [header if header is not None else json.dumps(made), parent, metadata, content if content is not None else json.dumps(FIELDS.get(kind, {}))]
    parts = [part if isinstance(part, bytes) else part.encode() for part in parts]
    return [b"<IDS|MSG>", session.sign(parts), *parts, *buffers]


def with_field(text, name, value):
    """Returns a JSON object with a field that may be any text, even invalid JSON."""
    fields = {key: json.dumps(held).encode() for key, held in json.loads(text).items()}
    fields[name] = value if isinstance(value, bytes) else value.encode()
    return b"{" + b",".join(json.dumps(key).encode() + b":" + held for key, held in fields.items()) + b"}"


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    client = Client(stderr=open(tmp_path_factory.mktemp("log") / "log", "w"))
    yield client
    client.close()


def send(client, frames, channel="shell"):
    getattr(client.raw, f"{channel}_channel").socket.send_multipart(frames)


def is_alive(client):
    """Discards the messages that the clients of the session have received."""
    request = client.raw.session.msg("kernel_info_request")  # answered after earlier interrupts, which would end the cell below
    client.raw.control_channel.send(request)
    while client.raw.control_channel.get_msg(timeout=60)["parent_header"].get("msg_id") != request["header"]["msg_id"]:
        pass
    marker = client.send("6 * 7", store_history=False)
    cell = client.collect(marker)
    assert cell.result == "42"


@pytest.mark.parametrize("kind", KINDS)
def test_fields_of_wrong_types(session, kind):
    content = json.dumps(FIELDS.get(kind, {}))
    base = json.loads(json.dumps(session.raw.session.msg(kind)["header"], default=str))
    for channel in ("shell", "control"):
        for wrong in WRONG:
            for name in json.loads(content):
                send(session, frames_of(session.raw.session, kind, content=with_field(content, name, wrong)), channel)
            for name in ("msg_id", "session", "username", "date", "version", "msg_type"):
                made = {**base, "msg_id": f"{name}{random.random()}"}
                send(session, frames_of(session.raw.session, kind, header=with_field(json.dumps(made), name, wrong)), channel)
            send(session, frames_of(session.raw.session, kind, parent=with_field(json.dumps(base), "msg_id", wrong),
                                    metadata=with_field("{}", "cellId", wrong), buffers=[b"\xff" * 3]), channel)
        is_alive(session)


@pytest.mark.parametrize("part", ["header", "parent", "metadata", "content"])
def test_nesting_that_hides_from_a_count_of_brackets(session, part):
    for depth in (200, 5000, 200_000):
        value = '{"s": "' + "]" * 300_000 + '", "d": ' + "[" * depth + "]" * depth + "}"
        if part == "header":
            value = with_field(json.dumps(session.raw.session.msg("execute_request")["header"], default=str), "deep", value)
        send(session, frames_of(session.raw.session, "execute_request", **{part: value}))
        is_alive(session)


@pytest.mark.parametrize("kind", ["comm_open", "comm_msg", "comm_close", "execute_request", "nonsense"])
def test_requests_of_the_shell_channel_are_refused_on_control(session, kind):
    """xeus would run cells on the thread of the control channel, and its comm ids have only 55 bytes."""
    content = {**FIELDS.get(kind, {}), "comm_id": "x" * 100_000, "target_name": "jupyter.widget"}
    send(session, frames_of(session.raw.session, kind, content=json.dumps(content)), "control")
    if kind == "execute_request":
        answer = session.raw.control_channel.get_msg(timeout=60)
        assert answer["msg_type"] == "execute_reply" and answer["content"]["ename"] == "BadRequest"
    is_alive(session)


def test_random_messages(session):
    choose = random.Random(5)
    for _ in range(400):
        kind = choose.choice(KINDS)
        frames = frames_of(session.raw.session, kind, buffers=[bytes(choose.randrange(256) for _ in range(choose.randrange(9)))])
        parts = [bytearray(frame) for frame in frames[2:6]]
        damaged = choose.choice(parts)
        how = choose.randrange(4)
        if how == 0 and damaged:
            damaged[choose.randrange(len(damaged))] = choose.randrange(256)
        elif how == 1:
            del damaged[choose.randrange(len(damaged) + 1):]
        elif how == 2:
            damaged[:] = (b'{"a":' + b"[" * choose.randrange(400)) + b"]" * choose.randrange(400) + b"}"
        else:
            parts.pop()
        parts = [bytes(part) for part in parts]
        identities = [b"", b"x"] if choose.random() < 0.1 else []
        send(session, [*identities, frames[0], session.raw.session.sign(parts[:4]), *parts], choose.choice(["shell", "control", "stdin"]))
    is_alive(session)
