"""Features that users and libraries know from ipykernel: names, magics, tooltips, warnings."""

import importlib.util
import json
import re
import sys
import time
import warnings

import pytest
from conftest import PATIENCE


def inspected(kernel, code, **options):
    wanted = kernel.raw.inspect(code, **options)
    while True:
        reply = kernel.raw.get_shell_msg(timeout=PATIENCE)
        if reply["parent_header"]["msg_id"] == wanted:
            return reply["content"]["data"]


def completed(kernel, code):
    wanted = kernel.raw.complete(code)
    while True:
        reply = kernel.raw.get_shell_msg(timeout=PATIENCE)
        if reply["parent_header"]["msg_id"] == wanted:
            return reply["content"]["matches"]


def test_libraries_see_a_notebook(kernel):
    assert kernel.run("'IPKernelApp' in get_ipython().config").result == "True"
    assert kernel.run("get_ipython().config['IPKernelApp']['connection_file'].endswith('.json')").result == "True"
    assert kernel.run("type(get_ipython()).__name__").result == "'ZMQInteractiveShell'"
    assert kernel.run("hasattr(get_ipython(), 'kernel')").result == "True"
    pytest.importorskip("ipykernel")
    cell = kernel.run("from ipykernel.zmqshell import ZMQInteractiveShell\nisinstance(get_ipython(), ZMQInteractiveShell)")
    assert cell.result == "True"


def test_magics_of_other_kernels(kernel, tmp_path):
    (tmp_path / "a.txt").write_text("one\ntwo\n")
    for magic in ("less", "more"):
        cell = kernel.run(f"%{magic} {tmp_path / 'a.txt'}")
        assert [p["data"]["text/plain"] for p in cell.reply["content"]["payload"]] == ["one\ntwo\n"]
        assert "No such file" in kernel.run(f"%{magic} {tmp_path / 'none'}").text("stderr")
    assert "shell_port" in json.loads(kernel.run("%connect_info").text().split("\n\n")[0])
    assert kernel.run("%clear").of("clear_output") == [{"wait": False}]
    assert kernel.run("%autosave 60").status == "ok"
    assert kernel.run("%subshell").text() == "Kernel does not support subshells\n"
    payload = kernel.run(f"%edit {tmp_path / 'a.py'}").reply["content"]["payload"]
    assert [p["source"] for p in payload] == ["edit_magic"]
    assert kernel.run("%man ls").status == "ok"


def test_qtconsole(kernel, tmp_path):
    """It gets the connection of this kernel, and outlives Stop."""
    if importlib.util.find_spec("qtconsole") is None:
        cell = kernel.run("%qtconsole")
        assert cell.text("stderr") == "UsageError: %qtconsole: the package qtconsole is not installed\n"
    package = tmp_path / "qtconsole"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "qtconsoleapp.py").write_text(
        "import os, sys\n\n\ndef main():\n"
        f"    with open({str(tmp_path / 'new')!r}, 'w') as file:\n"
        "        print(*sys.argv[1:], os.getsid(0) == os.getpid(), sep='\\n', file=file)\n"
        f"    os.rename({str(tmp_path / 'new')!r}, {str(tmp_path / 'told')!r})\n"
    )
    kernel.run(f"import os, sys\nsys.path.insert(0, {str(tmp_path)!r})\nos.environ['PYTHONPATH'] = {str(tmp_path)!r}")
    try:
        cell = kernel.run("%qtconsole --style 'a b'")
        until = time.monotonic() + PATIENCE
        while not (tmp_path / "told").exists() and time.monotonic() < until:
            time.sleep(0.05)
    finally:
        kernel.run("sys.path.pop(0)\ndel os.environ['PYTHONPATH']")
    told = (tmp_path / "told").read_text().splitlines()
    assert (cell.status, cell.text(), cell.text("stderr")) == ("ok", "", "")
    assert told == ["--existing", kernel.manager.connection_file, "--style", "a b", "True"]


def test_links_of_the_help_menu(kernel):
    """The links are those of ipykernel, with their current targets."""
    links = kernel.raw.kernel_info(reply=True, timeout=PATIENCE)["content"]["help_links"]
    ipkernel = pytest.importorskip("ipykernel.ipkernel")
    assert [link["text"] for link in links] == [link["text"] for link in ipkernel.IPythonKernel.class_traits()["help_links"].default()]
    assert all(link["url"].startswith("https://") for link in links)
    assert links[0]["url"] == f"https://docs.python.org/{sys.version_info[0]}.{sys.version_info[1]}"


def test_tooltips_are_short(kernel):
    data = inspected(kernel, "len")
    assert set(data) == {"text/plain"} and "Return the number of items" in data["text/plain"]
    kernel.run("import quadrants as qd\n@qd.kernel\ndef step(x: qd.i32, dt: qd.f32) -> qd.i32:\n    'One step.'\n    return x")
    text = inspected(kernel, "step")["text/plain"]
    assert "step(x: qd.i32, dt: qd.f32) -> qd.i32" in text and "One step." in text and "*args" not in text


def highlighted(cell):
    """Returns the parts of a traceback with a different background."""
    text, marked, found = "\n".join(cell.of("error")[0]["traceback"]), False, ""
    for codes, piece in re.findall(r"(?:\x1b\[([\d;]*)m)?([^\x1b]*)", text):
        for code in codes.split(";"):
            marked = code in ("43", "103") or marked and code not in ("49", "0")
        found += piece if marked else ""
    return found


def test_the_failing_expression_is_highlighted(kernel):
    kernel.run("def ratio(d):\n    return 1 + d['a'] / d['b'] + 3")
    assert highlighted(kernel.run("x = {'a': 1, 'b': 0}\ny = ratio(x) + ratio(x)")) == "ratio(x)d['a'] / d['b']"
    assert highlighted(kernel.run("print(1)\n(3).real + (4).absent + 5")) == "(4).absent"


def test_warnings_name_the_cell(kernel):
    cell = kernel.run("import warnings\n\nwarnings.warn('careful')")
    count = cell.reply["content"]["execution_count"]
    assert cell.text("stderr") == f"Cell In[{count}], line 3: UserWarning: careful\n  warnings.warn('careful')\n"
    cell = kernel.run("warnings.warn_explicit('far', UserWarning, 'other.py', 7)")
    assert cell.text("stderr") == warnings.formatwarning("far", UserWarning, "other.py", 7)


def test_the_extension_may_be_asked_for(fresh_kernel):
    for code in ("%load_ext quadrants_jupyter\n%load_ext quadrants_jupyter", "import quadrants", "%load_ext quadrants_jupyter"):
        cell = fresh_kernel.run(code)
        assert cell.status == "ok" and "already loaded" not in cell.text()
    assert "already loaded" in fresh_kernel.run("%load_ext autoreload\n%load_ext autoreload").text()


def test_debug_opens_at_the_failure(kernel):
    kernel.run("def inner(x):\n    return 1 / x\ndef outer():\n    y = 0\n    return inner(y)\nouter()")
    cell = kernel.send("%debug", allow_stdin=True)
    for answer in ("p 'x is', x", "up", "p 'y is', y", "q"):
        assert kernel.raw.get_stdin_msg(timeout=PATIENCE)["content"]["prompt"].startswith("ipdb>")
        kernel.raw.input(answer)
    text = kernel.collect(cell).text()
    assert "('x is', 0)" in text and "('y is', 0)" in text


def test_tb_without_an_error(fresh_kernel):
    cell = fresh_kernel.run("%tb")
    assert cell.status == "ok" and "No traceback available" in cell.text("stderr")


def test_magics_before_the_package_is_imported(fresh_kernel):
    assert "%qd_cache: not understood" in fresh_kernel.run("%qd_cache absent").text("stderr")
    assert fresh_kernel.run("%qd_tasks absent").text("stderr").startswith("UsageError: ")
    assert fresh_kernel.run("import sys; 'quadrants_jupyter' in sys.modules").result == "True"


def test_options_of_magics_complete(kernel):
    kernel.run("%qd_config")
    assert completed(kernel, "%%qd_kernel --ar") == ["--arch"]
    assert completed(kernel, "%qd_coverage --") == ["--clear", "--live", "--off", "--on"], "and nothing of Python's"
    assert completed(kernel, "%%qd_kernel --")[:2] == ["--arch", "--coverage"]
    assert completed(kernel, "%%qd_kernel --arch c")[0] == "cpu"
    assert completed(kernel, "%%qd_kernel --show ") == ["ir", "tasks", "llvm", "asm"]
    assert completed(kernel, "%qd_coverage --l") == ["--live"]
