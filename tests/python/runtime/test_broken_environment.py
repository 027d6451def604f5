"""The environment of a program may be broken: the cache folder, the compiler's library. Each case is a process of its own; the program
continues, or reports clearly why it cannot."""

import os
import pathlib
import shutil
import subprocess
import sys
import textwrap

import pytest


@pytest.fixture(autouse=True)
def arch():
    """The programs run in processes of their own."""


PROGRAM = textwrap.dedent(
    """
    import numpy as np
    import quadrants as qd

    qd.init(arch=qd.cpu)
    V = qd.types.ndarray(dtype=qd.f32, ndim=1)

    @qd.kernel
    def double(x: V):
        for i in range(x.shape[0]):
            x[i] *= 2.0

    x = np.arange(100, dtype=np.float32)
    double(x)
    assert (x == 2 * np.arange(100)).all()
    qd.reset()
    print("all is well")
    """
)


def spawn(folder, text=PROGRAM, **env):
    """Every process has its own file, since a file that is rewritten while another process starts might be read empty."""
    script = folder / f"program{len(list(folder.glob('program*.py')))}.py"
    script.write_text(text)
    environment = {**os.environ, "ENABLE_QUADRANTS_HEADER_PRINT": "0", "QD_OFFLINE_CACHE_FILE_PATH": str(folder / "cache"), **env}
    return subprocess.Popen(
        [sys.executable, str(script)], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def run(folder, text=PROGRAM, **env):
    process = spawn(folder, text, **env)
    out, err = process.communicate(timeout=120)
    return process.returncode, out, err


def cached(folder):
    return [path for path in (folder / "cache").rglob("*") if path.is_file() and path.stat().st_size > 64]


@pytest.mark.parametrize("damage", ["cut short", "flipped", "empty", "foreign"])
def test_damaged_cache_files_are_replaced(tmp_path, damage):
    assert run(tmp_path)[0] == 0
    files = cached(tmp_path)
    assert files
    for path in files:
        data = bytearray(path.read_bytes())
        if damage == "cut short":
            data = data[: len(data) // 2]
        elif damage == "flipped":
            data[len(data) // 2] ^= 0x10
        elif damage == "empty":
            data = b""
        else:
            data = b"something else entirely" * 100
        path.write_bytes(data)
    status, out, err = run(tmp_path)
    assert status == 0 and "all is well" in out, err
    status, out, err = run(tmp_path)  # and the rewritten files are intact
    assert status == 0 and "all is well" in out, err


def test_cache_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "cache").write_text("a file where the folder should be")
    status, out, err = run(tmp_path)
    assert status == 0 and "all is well" in out
    assert "cache" in err  # a warning
    code, _, err = run(tmp_path, PYTHONWARNINGS="error")
    assert code == 0 and "RuntimeWarning: " in err, "shown, since the launch cannot raise it"


def test_processes_share_a_cache(tmp_path):
    processes = [spawn(tmp_path) for _ in range(4)]
    for process in processes:
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0 and "all is well" in out, err


def test_missing_compiler_library(tmp_path):
    import quadrants

    package = pathlib.Path(quadrants.__file__).resolve().parent
    library = pathlib.Path(quadrants.__file__).parent / "_lib"
    copy = tmp_path / "site" / "quadrants"
    shutil.copytree(pathlib.Path(quadrants.__file__).parent, copy, ignore=shutil.ignore_patterns("libquadrants_llvm.so"))
    assert (library / "libquadrants_llvm.so").exists() and not (copy / "_lib" / "libquadrants_llvm.so").exists(), package
    status, out, err = run(tmp_path, PYTHONPATH=str(tmp_path / "site"))
    assert status == 1 and "libquadrants_llvm.so" in err and "Traceback" in err


def test_warm_start_needs_no_compiler_library(tmp_path):
    import quadrants

    assert run(tmp_path)[0] == 0
    copy = tmp_path / "site" / "quadrants"
    shutil.copytree(pathlib.Path(quadrants.__file__).parent, copy, ignore=shutil.ignore_patterns("libquadrants_llvm.so"))
    status, out, err = run(tmp_path, PYTHONPATH=str(tmp_path / "site"))
    assert status == 0 and "all is well" in out, err


def test_code_for_an_older_processor(tmp_path):
    status, out, err = run(tmp_path, QD_TARGET_CPU="x86-64")
    assert status == 0 and "all is well" in out, err
    status, out, err = run(tmp_path, QD_TARGET_CPU="z80")
    assert status == 1 and "QuadrantsRuntimeError: arch cpu cannot run here: QD_TARGET_CPU=z80 is not supported: it must be x86-64, " in err
    assert "use arch=qd.cpu" not in err  # which is what was refused
