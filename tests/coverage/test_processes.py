"""Coverage is written however a process ends and wherever its kernels come from."""

import json
import subprocess
import sys

import coverage
import pytest

from sample_project import KERNELS, NEVER, RAN, on_both

HEAD = "import os, sys\nimport quadrants as qd\nfrom shapes import kernels\nqd.init()\n"


def lines_in(folder, suffix="kernels.py"):
    """Returns the lines that ran, for each process."""
    found = []
    for path in sorted(folder.glob("_qd_kcov.*")):
        data = coverage.CoverageData(basename=str(path))
        data.read()
        found += [set(data.lines(file)) for file in data.measured_files() if file.endswith(suffix)]
    return found


ENDINGS = {
    "end": "kernels.go([1, 20], 10)\n",
    "reset": "kernels.go([1, 20], 10)\nqd.reset()\n",
    "init": "kernels.go([1, 2], 10)\nqd.init()\nkernels.go([20], 10)\n",
    "exit": "kernels.go([1, 20], 10)\nos._exit(0)\n",
    "exception": "kernels.go([1, 20], 10)\nraise KeyError('x')\n",
    "folder": "kernels.go([1, 20], 10)\nos.chdir('/')\n",
}


@on_both
@pytest.mark.parametrize("ending", ENDINGS)
def test_ends(project, ending):
    project.program(HEAD + ENDINGS[ending], status=1 if ending == "exception" else 0)
    assert lines_in(project.folder) == [RAN]


@on_both
def test_fork(project):
    """A child has its own counts, without those of its parent."""
    project.program(
        HEAD
        + "kernels.go([1], 10)\npid = os.fork()\nif pid == 0:\n    kernels.go([-1], 10)\n    os._exit(0)\n"
        + "assert os.waitpid(pid, 0)[1] == 0\n"
    )
    parent, child = sorted(lines_in(project.folder), key=len, reverse=True)
    assert parent == RAN - {10} and child == {16, 17} | NEVER


def test_a_process_id_that_comes_again(project):
    for values in ("[1]", "[20]"):
        project.program(f"import os\nos.getpid = lambda: 77\n{HEAD}kernels.go({values}, 10)\n")
    assert project.files() == ["_qd_kcov.77"] and lines_in(project.folder) == [RAN]


def test_a_process_id_that_comes_again_after_an_edit(project):
    same = "import os\nos.getpid = lambda: 77\n"
    project.program(f"{same}{HEAD}kernels.go([20], 10)\n")
    project.kernels.write_text("\n\n\n" + KERNELS)
    project.program(f"{same}{HEAD}kernels.go([1], 10)\n")
    assert lines_in(project.folder) == [{line + 3 for line in RAN - {10}}]


def test_a_full_disk_leaves_no_partial_file(project):
    """A write beyond the limit fails as on a full disk."""
    full = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (9000, 9000))\n"
    said = project.program(HEAD + "kernels.go([1, 20], 10)\n" + full)
    assert "could not be written" in said
    assert [p.name for p in project.folder.iterdir() if "_qd_kcov" in p.name] == []
    flush = "from quadrants._coverage import files as _coverage_files\n_coverage_files.flush()\n"
    said = project.program(HEAD + "kernels.go([1], 10)\n" + flush + "kernels.go([20], 10)\n" + full)
    assert "could not be written" in said
    assert lines_in(project.folder) == [RAN - {10}], "what was written before stays"
    assert [p.name for p in project.folder.iterdir() if "_qd_kcov" in p.name] == project.files()


@on_both
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_multiprocessing(project, method):
    project.program(
        "import multiprocessing\nimport quadrants as qd\nfrom shapes import kernels\n\n"
        "def child():\n    qd.init()\n    kernels.go([1, 20], 10)\n\n"
        f"if __name__ == '__main__':\n    process = multiprocessing.get_context({method!r}).Process(target=child)\n"
        "    process.start()\n    process.join()\n    assert process.exitcode == 0\n"
    )
    assert lines_in(project.folder) == [RAN]


def test_folders_that_cannot_be_written(project):
    said = project.program("import os\nos.chdir('/proc')\n" + HEAD + "print(kernels.go([1, 20], 10))\n")
    assert "[1, 10]" in said and "Kernel coverage could not be written to /proc" in said


def test_a_harvest_that_fails(project):
    said = project.program(
        HEAD
        + "from quadrants.lang import _kernel_coverage\nkernels.go([1], 10)\n"
        + "def fail(self):\n    raise OSError('gone')\n"
        + "type(_kernel_coverage.get_field()).to_numpy = fail\nqd.reset()\nprint('still here')\n"
    )
    assert "still here" in said and "Failed to read coverage field" in said


@on_both
def test_capacity(project):
    said = project.program(HEAD + "print(kernels.go([1, 20], 10))\nprint(kernels.go([-1], 10))\n", QD_COVERAGE_MAX_PROBES="3")
    assert "[1, 10]" in said and "[-1]" in said
    assert said.count("UserWarning: Kernel coverage probe capacity (3) exceeded") == 1 and "QD_COVERAGE_MAX_PROBES" in said
    (ran,) = lines_in(project.folder)
    assert len(ran) <= 3 and ran < RAN


def test_150000_probes(project):
    """150 kernels of 1,000 lines each."""
    body = "".join(f"    a += {k}\n" for k in range(998))
    text = "import quadrants as qd\n" + "".join(
        f"@qd.kernel\ndef k{n}() -> qd.i32:\n    a = 0\n{body}    return a\n" for n in range(150)
    )
    project.write("many.py", text)
    said = project.program(
        "import quadrants as qd\nimport many\nqd.init()\nfor n in range(150): assert getattr(many, f'k{n}')() == 998 * 997 // 2\n"
        "from quadrants.lang import _kernel_coverage\nprint(_kernel_coverage._probe_counter)\n",
        QD_COVERAGE_MAX_PROBES="150000",
    )
    assert "150000" in said and "capacity" not in said
    (ran,) = lines_in(project.folder, "many.py")
    assert len(ran) == 150000


@on_both
def test_kernels_in_a_zip(project):
    import zipfile

    with zipfile.ZipFile(project.folder / "pack.zip", "w") as archive:
        archive.writestr("zipped/__init__.py", "")
        archive.writestr("zipped/kernels.py", KERNELS)
    head = "import sys\nsys.path.insert(0, 'pack.zip')\n" + HEAD.replace("from shapes", "from zipped")
    project.program(head + "kernels.go([1, 20], 10)\n")
    report = project.of_kernels()
    assert RAN <= set(report["executed_lines"]) and NEVER <= set(report["missing_lines"])


@on_both
def test_kernels_in_exec(project):
    project.program(f"import quadrants as qd\nqd.init()\nspace = {{}}\nexec({KERNELS!r}, space)\nspace['go']([1, 20], 10)\n")
    (report,) = project.combined()["files"].values()
    assert RAN <= set(report["executed_lines"]) and NEVER <= set(report["missing_lines"])


@on_both
def test_kernels_in_ipython(project):
    cell = KERNELS + "\nqd.init()\ngo([1, 20], 10)\n"
    project.run("-c", f"from IPython.core.interactiveshell import InteractiveShell as S\nS.instance().run_cell({cell!r})",
                QD_KERNEL_COVERAGE="1", HOME=str(project.folder), IPYTHONDIR=str(project.folder / "ipython"))  # fmt: skip
    (report,) = project.combined()["files"].values()
    assert RAN <= set(report["executed_lines"]) and NEVER <= set(report["missing_lines"])


NOTEBOOK = """import nbclient, nbformat, sys
from jupyter_client.manager import AsyncKernelManager
cells = [nbformat.v4.new_code_cell(text) for text in ({kernels!r}, "qd.init()", "go([1, 20], 10)")]
manager = AsyncKernelManager(kernel_name="covered")
manager.shutdown_wait_time = 120
notebook = nbformat.v4.new_notebook(cells=cells)
nbclient.NotebookClient(notebook, km=manager).execute()
print(notebook.cells[-1].outputs[0]["data"]["text/plain"])
"""


def test_kernels_in_a_notebook(project):
    spec = {"argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"], "language": "python"}
    project.write("jupyter/kernels/covered/kernel.json", json.dumps({**spec, "display_name": "covered"}))
    folders = dict.fromkeys(("HOME", "IPYTHONDIR", "JUPYTER_RUNTIME_DIR"), str(project.folder / "home"))
    project.write("home/nothing", "")
    said = project.run("-c", NOTEBOOK.format(kernels=KERNELS), QD_KERNEL_COVERAGE="1",
                       JUPYTER_PATH=str(project.folder / "jupyter"), **folders)  # fmt: skip
    assert "[1, 10]" in said
    (report,) = project.combined()["files"].values()
    assert RAN <= set(report["executed_lines"]) and NEVER <= set(report["missing_lines"])


# --- off -------------------------------------------------------------------------------------------------------------

OFF = HEAD + "kernels.go([1, 20], 10)\nprint(sorted(m for m in sys.modules if 'cover' in m))\n"


@pytest.mark.parametrize("value", ["", "0"])
def test_off_imports_nothing(project, value):
    assert project.program(OFF, covered=value).splitlines()[-1] == "[]"
    assert project.files() == []


def test_off_is_the_clean_build(project):
    """Code without coverage is identical byte for byte, whether or not the kernel was ever compiled with coverage; instrumented code is a
    separate cache entry."""
    show = (
        "import quadrants as qd\nimport numpy as np\nfrom shapes import kernels\nqd.init()\nkernels.go([1, 20], 10)\n"
        "kernels.limit_all(np.zeros(1, np.int32), 1)\nprint(kernels.limit_all._show('asm'))\n"
    )
    arch = dict(QD_ARCH="x64", QD_OFFLINE_CACHE="1", QD_OFFLINE_CACHE_FILE_PATH=str(project.folder / "cache"))
    clean = project.program(show, covered="", **arch)
    covered = project.program(show, covered="1", **arch)
    again = project.program(show, covered="0", **arch)
    assert covered != clean and again == clean and len(clean) > 1000
    assert lines_in(project.folder) == [RAN]


@pytest.mark.parametrize("decorator", ["kernel", "kernel(fastcache=True)"])
def test_kernels_that_come_from_the_cache(project, decorator):
    """They cover the same lines as the compiled ones, in the same tasks."""
    project.write("shapes/kernels.py", KERNELS.replace("@qd.kernel", f"@qd.{decorator}"))
    project.arch = "x64"
    cache = dict(QD_OFFLINE_CACHE="1", QD_OFFLINE_CACHE_FILE_PATH=str(project.folder / "cache"))
    program = HEAD + "print(kernels.go([1, 20], 10), ('\\n' + kernels.limit_all._show('tasks')).count('\\ntask '))\n"
    clean = project.program(program, covered="", **cache)
    first = project.program(program, **cache)
    written = sorted(path.name for path in (project.folder / "cache").rglob("*"))
    assert project.program(program, **cache) == first == clean
    assert sorted(path.name for path in (project.folder / "cache").rglob("*")) == written, "nothing new was compiled"
    assert lines_in(project.folder) == [RAN, RAN]


@pytest.mark.parametrize("counts", ["0", "1"])
def test_where_the_data_were_written(project, counts):
    program = HEAD + "kernels.go([1], 10)\nfrom quadrants._coverage import files as _coverage_files\nprint(_coverage_files.write_now())\n"
    said = project.program(program, QD_COVERAGE_COUNTS=counts)
    assert said.splitlines()[-1] == str(project.folder / project.files()[0])


@pytest.mark.parametrize("instead", ["None", "sys"], ids=["nothing", "a folder of that name"])
def test_without_the_package_coverage(project, instead):
    hide = f"import sys\nsys.modules['coverage'] = {instead}\n"
    said = project.program(hide + HEAD, status=1)
    assert "QD_KERNEL_COVERAGE=1 needs the package `coverage`" in said


def test_the_entry_point():
    import importlib.metadata

    (found,) = [e for e in importlib.metadata.entry_points(group="pytest11") if e.name == "pytest_quadrants"]
    assert found.value == "pytest_quadrants" and callable(found.load().pytest_configure)


@pytest.mark.parametrize("options", [[], ["--cov=."], ["--cov=.", "--no-cov"]], ids=["alone", "measured", "not measured"])
def test_pytest_imports_the_package_if_it_is_asked_to(tmp_path, options):
    (tmp_path / "test_it.py").write_text("import sys\ndef test_it():\n    print([n for n in sys.modules if n.split('.')[0] in ('quadrants', 'quadrants_jupyter')])\n")
    done = subprocess.run([sys.executable, "-m", "pytest", "-qs", *options], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("[]") == (options != ["--cov=."])
