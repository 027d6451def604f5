"""The package beside PyPI's `quadrants`, and its removal."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest
import quadrants as qd

ROOT = pathlib.Path(__file__).resolve().parents[3]
PACKAGE = pathlib.Path(qd.__file__).parent
REMEDY = "run `pip uninstall -y quadrants xeus-quadrants`"


@pytest.fixture
def mixed(tmp_path):
    """A copy of the package, linked file by file, with a folder that only the other package has."""
    for path in PACKAGE.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            here = tmp_path / "quadrants" / path.relative_to(PACKAGE)
            here.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, here) if path.suffix == ".py" else here.symlink_to(path.resolve())
    (tmp_path / "quadrants/_lib/runtime").mkdir()
    return tmp_path


def test_the_import_sees_files_of_the_other_package(mixed, tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(mixed), "ENABLE_QUADRANTS_HEADER_PRINT": "0"}
    (tmp_path / "program.py").write_text("import quadrants\n")
    done = subprocess.run([sys.executable, tmp_path / "program.py"], env=environment, capture_output=True, text=True)
    assert "program.py:1: RuntimeWarning: PyPI's package `quadrants` is installed over xeus-quadrants" in done.stderr and REMEDY in done.stderr
    # the other package was installed last, so its __init__ runs
    (mixed / "quadrants/__init__.py").write_text("")
    done = subprocess.run([sys.executable, "-c", "from quadrants._command import main; raise SystemExit(main(['doctor']))"],
                          env=environment, capture_output=True, text=True)
    assert done.returncode == 1 and REMEDY in done.stderr
    done = subprocess.run([sys.executable, "-c", "import quadrants_jupyter; quadrants_jupyter.load_ipython_extension(None)"],
                          env={**environment, "PYTHONPATH": f"{mixed}:{ROOT / 'jupyter'}"}, capture_output=True, text=True)
    assert "ImportError" in done.stderr and REMEDY in done.stderr


def test_an_import_alone_is_silent():
    done = subprocess.run([sys.executable, "-W", "error", "-c", "import quadrants"], capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == ""


def test_doctor_finds_the_other_distribution(tmp_path):
    info = tmp_path / "quadrants-1.3.3.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: quadrants\nVersion: 1.3.3\n")
    search = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run([sys.executable, "-m", "quadrants", "doctor"], env={**os.environ, "PYTHONPATH": search}, capture_output=True, text=True)
    (line,) = [line for line in done.stdout.splitlines() if "PyPI" in line]
    assert line.startswith("warning") and "1.3.3" in line and line.endswith("pip uninstall quadrants")
    assert done.returncode == 0
