"""Output goes to its cell, in order, and none of it is lost."""

import base64

import pytest


def test_ten_thousand_prints(kernel):
    for _ in range(5):
        assert kernel.run("for i in range(10000): print(i)").text() == "".join(f"{i}\n" for i in range(10000))


def test_batches(kernel):
    """Text is sent every 40 ms, and whenever there are 64 KiB."""
    cell = kernel.run("for i in range(10000): print(i)")
    assert len(cell.of("stream")) < 10 + cell.seconds / 0.04


def test_order_of_streams_and_displays(kernel):
    cell = kernel.run("import sys, os\nfrom IPython.display import display\n"
                      "print('a'); print('b', file=sys.stderr); display(1); os.write(1, b'c\\n'); print('d')\n"
                      "os.write(2, b'e\\n'); display(2); print('f'); 'g'")
    seen, last = [], None
    for message in cell.messages:
        content = message["content"]
        if message["msg_type"] == "stream" and last == content["name"]:
            seen[-1] += content["text"]  # one text in two messages, because 40 ms had passed
        elif message["msg_type"] == "stream":
            seen.append(content["text"])
        elif message["msg_type"] in ("display_data", "execute_result"):
            seen.append(content["data"]["text/plain"])
        last = content.get("name")
    assert seen == ["a\n", "b\n", "1", "c\nd\n", "e\n", "2", "f\n", "'g'"]


def test_order_of_native_text_and_prints(kernel):
    count = 20_000
    cell = kernel.run(f"import os\nfor i in range({count}): os.write(1, b'c%d\\n' % i); print(f'd{{i}}')")
    assert cell.text() == "".join(f"c{i}\nd{i}\n" for i in range(count))


def test_native_output_arrives_while_the_cell_runs(kernel, tmp_path):
    seen = tmp_path / "seen"
    cell = kernel.send(f"import os, time\nos.system('echo early')\nwhile not os.path.exists({str(seen)!r}): time.sleep(0.01)")
    kernel.wait_for_text("early")
    seen.touch()
    assert kernel.collect(cell).status == "ok"


def test_c_level_printf(kernel):
    cell = kernel.run("import ctypes\nlibc = ctypes.CDLL(None)\nlibc.printf(b'from C\\n'); libc.puts(b'puts'); None")
    assert cell.text() == "from C\nputs\n"


def test_unfinished_line_of_c(kernel):
    assert kernel.run("libc = __import__('ctypes').CDLL(None); libc.printf(b'no newline'); None").text() == "no newline"


def test_text_that_is_not_utf8(kernel):
    cell = kernel.run("import os; os.write(1, b'\\xff\\xfe ok\\n'); print('caf\\u00e9 \\U0001f30a'); print('\\ud800')")
    assert cell.status == "ok" and "ok" in cell.text() and "café 🌊" in cell.text()


def test_utf8_split_between_two_writes(kernel):
    cell = kernel.run("import os, time\nb = 'é'.encode()\nos.write(1, b[:1]); time.sleep(0.2); os.write(1, b[1:]); None")
    assert cell.text() == "é"


def test_threads_that_print(fresh_kernel):
    fresh_kernel.run("import threading, time\nrun = True\ndef flood():\n    while run:\n        print('x' * 50); time.sleep(0.0005)\n"
                     "threads = [threading.Thread(target=flood, daemon=True) for _ in range(3)]\n"
                     "for t in threads: t.start()")
    for i in range(60):
        assert fresh_kernel.run(f"{i} + 1").result == str(i + 1)
    assert fresh_kernel.run("run = False\nfor t in threads: t.join()\n'done'").result == "'done'"


def test_displays_from_threads(kernel):
    cell = kernel.run("import threading\nfrom IPython.display import display\n"
                      "def many(k):\n    for i in range(200): display({'text/plain': f'{k}-{i}'}, raw=True)\n"
                      "ts = [threading.Thread(target=many, args=(k,)) for k in range(4)]\n"
                      "for t in ts: t.start()\nfor t in ts: t.join()")
    shown = [c["data"]["text/plain"] for c in cell.of("display_data")]
    assert sorted(shown) == sorted(f"{k}-{i}" for k in range(4) for i in range(200))
    for k in range(4):
        mine = [int(s.split("-")[1]) for s in shown if s.startswith(f"{k}-")]
        assert mine == list(range(200))


def test_stream_is_a_text_stream(kernel):
    cell = kernel.run("import sys, contextlib, io\n"
                      "print(sys.stdout.encoding, sys.stdout.writable(), sys.stdout.isatty(), sys.stdout.write('ab'))\n"
                      "sys.stdout.writelines(['c', 'd\\n'])\n"
                      "with contextlib.redirect_stdout(io.StringIO()) as held: print('held')\n"
                      "print(held.getvalue(), end='', file=sys.stderr)")
    assert cell.text() == "abutf-8 True False 2\ncd\n" and cell.text("stderr") == "held\n"


def test_bytes_and_odd_numbers_in_displays(kernel):
    cell = kernel.run("from IPython.display import display\n"
                      "display({'image/png': b'\\x89PNG', 'application/json': {'x': float('nan'), 'y': float('inf')}}, raw=True)\n"
                      "import numpy\ndisplay({'application/json': {'n': numpy.float32(0.5), 'a': numpy.arange(3)}}, raw=True)")
    first, second = cell.of("display_data")
    assert base64.b64decode(first["data"]["image/png"]) == b"\x89PNG"
    assert first["data"]["application/json"] == {"x": "nan", "y": "inf"}
    assert second["data"]["application/json"] == {"n": 0.5, "a": [0, 1, 2]}


def test_update_display_and_clear(kernel):
    cell = kernel.run("from IPython.display import display, clear_output\n"
                      "h = display(1, display_id='one'); h.update(2); clear_output(wait=True); print('left')")
    assert cell.of("update_display_data")[0]["data"] == {"text/plain": "2"}
    assert cell.of("update_display_data")[0]["transient"] == {"display_id": "one"}
    assert cell.of("clear_output") == [{"wait": True}]


@pytest.mark.parametrize("code, name", [
    ("1/0", "ZeroDivisionError"), ("def f(:", "SyntaxError"), ("raise SystemExit(3)", "SystemExit"),
    ("%no_such_magic", "UsageError"),
    ("raise BaseExceptionGroup('g', [KeyboardInterrupt()])", "BaseExceptionGroup"),
])
def test_errors(kernel, code, name):
    cell = kernel.run(code)
    if name == "UsageError":
        assert "not found" in cell.text("stderr")
        return
    assert cell.status == "error"
    assert [e["ename"] for e in cell.of("error")] == [name]
    assert cell.reply["content"]["ename"] == name and cell.reply["content"]["traceback"]


def test_the_lines_of_a_group_of_errors_are_aligned(kernel):
    cell = kernel.run("raise ExceptionGroup('both', [ValueError(1), TypeError('two\\nlines')])")
    lines = cell.of("error")[0]["traceback"]
    assert [line.strip() for line in lines[-7:]] == [
        "| ExceptionGroup: both (2 sub-exceptions)", "+-+---------------- 1 ----------------", "| ValueError: 1",
        "+---------------- 2 ----------------", "| TypeError: two", "| lines", "+------------------------------------"]
    assert not any("\n" in line for line in lines)


def test_error_that_cannot_be_printed(kernel):
    cell = kernel.run("class Bad(Exception):\n    def __str__(self): raise ValueError\nraise Bad()")
    assert cell.status == "error" and cell.error == "Bad"
    assert kernel.run("1").result == "1"


def test_result_stays_with_its_counter(kernel):
    before = kernel.run("'a'")
    silent = kernel.run("'b'", store_history=False)
    after = kernel.run("'c'")
    first = before.of("execute_result")[0]["execution_count"]
    for cell, count in ((before, first), (silent, first + 1), (after, first + 1)):
        assert cell.reply["content"]["execution_count"] == count
        assert cell.of("execute_input")[0]["execution_count"] == count
        assert cell.of("execute_result")[0]["execution_count"] == count
