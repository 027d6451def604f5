"""The files that `cmake --install` puts into an environment and that the wheel contains."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / os.environ.get("BUILD", "build")

WANTED = """
bin/xquadrants
share/jupyter/kernels/quadrants/kernel.json
share/jupyter/kernels/quadrants/logo-32x32.png
share/jupyter/kernels/quadrants/logo-64x64.png
share/jupyter/kernels/quadrants/logo-svg.svg
share/jupyter/labextensions/quadrants-jupyter/install.json
share/jupyter/labextensions/quadrants-jupyter/package.json
share/jupyter/labextensions/quadrants-jupyter/schemas/quadrants-jupyter/plugin.json
share/jupyter/labextensions/quadrants-jupyter/static/style.js
lib/python3.11/site-packages/quadrants/__init__.py
lib/python3.11/site-packages/quadrants/__init__.pyi
lib/python3.11/site-packages/quadrants/py.typed
lib/python3.11/site-packages/quadrants/_lib/__init__.py
lib/python3.11/site-packages/quadrants/_lib/_build_info.py
lib/python3.11/site-packages/quadrants/_lib/core/__init__.py
lib/python3.11/site-packages/quadrants/_lib/libquadrants_core.so
lib/python3.11/site-packages/quadrants/_lib/libquadrants_llvm.so
lib/python3.11/site-packages/quadrants/_lib/quadrants_linalg.so
lib/python3.11/site-packages/pytest_quadrants.py
lib/python3.11/site-packages/quadrants_jupyter/__init__.py
lib/python3.11/site-packages/quadrants_jupyter/magics.py
lib/python3.11/site-packages/quadrants_jupyter/nbval_plugin.py
lib/python3.11/site-packages/quadrants_jupyter/static/heatmap.js
""".split()

SCRIPT = """
import quadrants as qd, quadrants_jupyter
qd.init(arch=qd.cpu, offline_cache=False)
@qd.kernel
def twice(n: qd.i32) -> qd.i32:
    return 2 * n
print(twice(21), qd.__file__, quadrants_jupyter.__file__)
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """An environment into which the build was installed, and the files that were there before. An earlier version had another name."""
    folder = tmp_path_factory.mktemp("installed")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    earlier = folder / "lib/python3.11/site-packages/quadrants-0.0.9.dist-info"
    earlier.mkdir()
    before = {p for p in folder.rglob("*") if p.is_file()}
    (earlier / "INSTALLER").write_text("cmake\n")
    subprocess.run(["cmake", "--install", BUILD, "--prefix", folder], check=True, stdout=subprocess.DEVNULL)
    return folder, before


def test_installed_files(installed, tmp_path):
    place, _ = installed
    files = {str(p.relative_to(place)) for p in place.rglob("*") if p.is_file()}
    assert set(WANTED) <= files
    sources = {p.relative_to(ROOT / "quadrants_core/python") for p in (ROOT / "quadrants_core/python/quadrants").rglob("*.py*") if "__pycache__" not in p.parts}
    site = pathlib.Path("lib/python3.11/site-packages")
    assert {str(site / p) for p in sources} <= files
    assert [f for f in files if "CMakeFiles" in f or f.endswith((".cpp", ".h", ".ts", ".a"))] == []

    extension = place / "share/jupyter/labextensions/quadrants-jupyter"
    package = json.loads((extension / "package.json").read_text())
    assert (extension / package["jupyterlab"]["_build"]["load"]).is_file()
    listed = subprocess.run([sys.executable, "-m", "jupyterlab.labextensions", "list"], capture_output=True, text=True,
                            env={**os.environ, "JUPYTER_PATH": str(place / "share/jupyter")})
    here = (listed.stdout + listed.stderr).partition(f"{extension.parent}\n")[2].partition("\n\n")[0]
    assert "quadrants-jupyter" in here and "enabled" in here and "OK" in here, listed

    spec = place / "share/jupyter/kernels/quadrants"
    argv = json.loads((spec / "kernel.json").read_text())["argv"]
    assert pathlib.Path(argv[0].format(resource_dir=spec, connection_file="")).resolve() == place / "bin/xquadrants"
    version = subprocess.run([place / "bin/xquadrants", "--version"], capture_output=True, text=True, check=True)
    assert version.stdout.startswith("xquadrants ")

    (tmp_path / "script.py").write_text(SCRIPT)
    environment = {**os.environ, "PYTHONPATH": str(place / site), "ENABLE_QUADRANTS_HEADER_PRINT": "0"}
    done = subprocess.run([sys.executable, tmp_path / "script.py"], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[-3:] == ["42", str(place / site / "quadrants/__init__.py"),
                                        str(place / site / "quadrants_jupyter/__init__.py")]


def test_pip_removes_what_was_installed(installed, tmp_path):
    """The last test of this file, since it removes everything."""
    place, before = installed
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", place / "bin/python"]
    shown = subprocess.run([*pip, "show", "xeus-quadrants"], check=True, capture_output=True, text=True, cwd=tmp_path).stdout
    assert "Requires: numpy" in shown and "Summary: Data-parallel kernels" in shown
    subprocess.run([place / "bin/python", "-c", "import quadrants, quadrants_jupyter"], check=True, capture_output=True, cwd=tmp_path)
    subprocess.run([*pip, "uninstall", "-q", "-y", "xeus-quadrants"], check=True, cwd=tmp_path)
    assert sorted({p for p in place.rglob("*") if p.is_file()} - before) == []
    assert not any(place.rglob("*quadrants*"))
