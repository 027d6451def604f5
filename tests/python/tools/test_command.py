"""The command `quadrants`."""

import json
import os
import pathlib
import subprocess
import sys

import pytest
import quadrants as qd
from quadrants import _command
from quadrants.tools import diagnose


def run(*arguments, **environment):
    command = [sys.executable, "-m", "quadrants", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment})


def test_version():
    done = run("--version")
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1].startswith(f"quadrants {qd.__version_str__} (commit ")


def test_is_installed():
    from importlib.metadata import entry_points

    (found,) = [e for e in entry_points(group="console_scripts") if e.name == "quadrants"]
    assert found.load() is _command.main


def test_without_a_command_it_shows_help(capsys):
    assert _command.main([]) == 2
    said = capsys.readouterr().out
    assert all(name in said for name in _command._COMMANDS)


def test_a_reader_may_leave(tmp_path):
    """As in `quadrants doctor | head -1`; `true` reads nothing."""
    pipe = f"set -o pipefail; {sys.executable} -m quadrants doctor | true"
    done = subprocess.run(["bash", "-c", pipe], capture_output=True, text=True, env={**os.environ, "XDG_CACHE_HOME": str(tmp_path)})
    assert done.returncode == 1 and "Traceback" not in done.stderr, done.stderr


def test_doctor_says_what_works(tmp_path):
    done = run("doctor", XDG_CACHE_HOME=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "ok      kernels compile and run" in done.stdout
    assert "Quadrants:" in done.stdout


def test_doctor_says_how_to_get_what_is_missing(monkeypatch, capsys):
    import importlib.util

    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "anywidget" else found(name))
    assert diagnose.doctor() == 0
    (line,) = [line for line in capsys.readouterr().out.splitlines() if "anywidget" in line]
    assert line.startswith("missing") and line.endswith("pip install anywidget")


def test_doctor_says_what_the_notebook_kernel_needs(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    assert diagnose._notebook_kernel()[0] == "missing"
    spec = tmp_path / "share/jupyter/kernels/quadrants/kernel.json"
    spec.parent.mkdir(parents=True)
    spec.write_text("{}")
    assert diagnose._notebook_kernel() == ("ok", str(spec.parent))
    monkeypatch.setattr(diagnose, "_is_installed", lambda name: name != "IPython")
    assert diagnose._notebook_kernel() == ("missing", "it needs: pip install ipython")


def test_doctor_prints_json(capsys):
    assert _command.main(["doctor", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["installation"]["Quadrants"] == qd.__version_str__
    assert {"check": "kernels compile and run", "state": "ok", "remedy": ""} in said["checks"]


def test_doctor_sees_what_is_broken(monkeypatch, capsys):
    monkeypatch.setattr(sys, "executable", "/bin/false")
    assert diagnose.doctor() == 1
    assert "BROKEN  kernels compile and run" in capsys.readouterr().out


def test_doctor_sees_a_cache_that_cannot_be_written(tmp_path):
    wrong = tmp_path / "file"
    wrong.write_text("")
    done = run("doctor", XDG_CACHE_HOME=str(wrong))
    assert "missing compiled kernels are kept" in done.stdout and "set XDG_CACHE_HOME" in done.stdout


def test_cache(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("import quadrants as qd\nqd.init(arch=qd.cpu)\n@qd.kernel\ndef f() -> qd.i32:\n    s = 0\n    for i in range(9):\n        s += i\n    return s\nf()\n")
    subprocess.run([sys.executable, program], check=True, env={**os.environ, "XDG_CACHE_HOME": str(tmp_path)})
    folder = run("cache", "path", XDG_CACHE_HOME=str(tmp_path)).stdout.splitlines()[-1]
    assert folder.startswith(str(tmp_path))
    own = pathlib.Path(folder, "notes.txt")
    own.write_text("not of the cache")
    assert "compiled code: 1 kernels in " in run("cache", XDG_CACHE_HOME=str(tmp_path)).stdout
    assert "all intact and trusted" in run("cache", "verify", XDG_CACHE_HOME=str(tmp_path)).stdout
    assert run("cache", "clear", XDG_CACHE_HOME=str(tmp_path)).returncode == 0
    assert [name for _, _, names in os.walk(folder) for name in names] == [own.name]
    assert "compiled code: 0 kernels in " in run("cache", "info", XDG_CACHE_HOME=str(tmp_path)).stdout
    subprocess.run([sys.executable, program], check=True, env={**os.environ, "XDG_CACHE_HOME": str(tmp_path)})


def test_coverage_is_the_other_command(capsys):
    with pytest.raises(SystemExit) as ended:
        _command.main(["coverage", "--help"])
    assert ended.value.code == 0 and "report" in capsys.readouterr().out
