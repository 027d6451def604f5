"""Names of files and folders that are not UTF-8, which Python represents with surrogates: programs run, and their output is readable."""

import os
import subprocess
import sys

import pytest
import quadrants as qd

PROGRAM = """
import sys, traceback, warnings
import quadrants as qd

@qd.func
def f(x):
    return x + 1

@qd.kernel
def k(n: qd.i32) -> qd.i32:
    a = 0
    a += 0.5
    return f(n)

@qd.kernel
def wrong() -> qd.i32:
    return unknown

@qd.kernel
def checked(n: qd.i32):
    assert n > 0, "too small"

qd.init(arch=sys.argv[1], offline_cache=True, offline_cache_file_path=sys.argv[2], debug=True, timeline=True)
print(k(1))
for call in (wrong, lambda: checked(0)):
    try:
        call()
    except Exception as error:
        print(type(error).__name__, ascii(str(error)))
        traceback.print_exc()
print(ascii(qd.cache.path()), len(qd.cache.info().__dict__) > 0, ascii(str(qd.cache.why(k))))
print(sum(sum(counts.values()) for counts in qd.coverage.snapshot().values()) > 0)
print(ascii(sorted(qd.coverage.snapshot())))
qd.lang.misc.timeline_save("times.json")
"""


@pytest.fixture
def strange(tmp_path):
    try:
        folder = os.path.join(os.fsencode(tmp_path), b"d\xe9p\xf4t")
        os.mkdir(folder)
        return os.fsdecode(folder)
    except OSError:
        pytest.skip("the file system takes names in UTF-8 alone")


def run(arch, folder, *more, **environment):
    script = os.path.join(folder, os.fsdecode(b"k\xe9rn.py"))
    with open(script, "w") as file:
        file.write(PROGRAM)
    env = {**os.environ, "QD_KERNEL_COVERAGE": "1", "PYTHONPATH": os.path.dirname(os.path.dirname(qd.__file__)), **environment}
    command = [sys.executable, script, arch, os.path.join(folder, os.fsdecode(b"cach\xe9")), *more]
    return subprocess.run([os.fsencode(word) for word in command], cwd=os.fsencode(folder), env=env, capture_output=True, timeout=300)


def test_script_folder_and_cache(arch, strange):
    for _ in range(2):  # the second time from the cache
        program = run(arch, strange)
        output, errors = program.stdout.decode(), program.stderr.decode(errors="replace")
        assert program.returncode == 0, errors
        lines = [line for line in output.splitlines() if not line.startswith("[Quadrants]")]
        assert lines[0] == "2"
        assert lines[1].startswith("QuadrantsNameError") and 'k\\\\udce9rn.py", line 17, in wrong' in lines[1], lines[1]
        assert lines[2].startswith("QuadrantsAssertionError") and "too small" in lines[2]
        assert "return unknown" in lines[1] and "cach\\udce9" in lines[3] and lines[4] == "True", lines
        assert "UnicodeEncodeError" not in errors and "return unknown" in errors
    assert os.listdir(os.path.join(os.fsencode(strange), b"cach\xe9"))


def test_coverage_of_such_a_file(strange, arch):
    coverage = pytest.importorskip("coverage")
    program = run(arch, strange, COVERAGE_FILE="")
    assert program.returncode == 0, program.stderr.decode(errors="replace")
    data = [name for name in os.listdir(os.fsencode(strange)) if name.startswith(b"_qd_kcov.")]
    assert len(data) == 1
    read = coverage.CoverageData(basename=os.path.join(strange, os.fsdecode(data[0])))
    read.read()
    (kept,) = read.measured_files()
    assert set(read.lines(kept)) >= {7, 11, 12, 13}
