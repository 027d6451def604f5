"""Dependencies between folders point one way: reads every #include of the core and the kernel, and every import of the Python
package, against the tables here.

Adding an edge is a decision: change the table here and state the reason next to it.
"""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CORE = ROOT / "quadrants_core"

# folder -> folders whose headers it may include (itself always).
ALLOWED = {
    "base": [],
    "abi": ["base"],
    "ir": ["base"],
    "layout": ["base", "ir"],
    "syntax": ["base"],
    # The table of options: plain data for the frontend, the engine and the bindings.
    "options": ["ir"],
    # The frontend knows which derivatives are requested, and where tangents and adjoints are stored.
    "frontend": ["base", "ir", "layout", "options", "syntax", "autodiff"],
    # `abi`: which ranges of tasks follow from the arguments of a launch.
    "analysis": ["base", "abi", "ir", "layout"],
    "passes": ["base", "ir", "layout", "analysis"],
    "autodiff": ["base", "ir", "analysis", "passes"],
    # The interface of LLVM to other folders: plain data and one function table.
    "codegen/llvm/loader": ["base", "abi", "ir"],
    "codegen/llvm": ["base", "abi", "ir", "layout", "analysis", "codegen/llvm/loader"],
    # The printer knows its targets by their interfaces (target.h, task_frame.h); each of these folders is a library with the printer.
    "codegen/llvm/cpu": ["base", "abi", "ir", "layout", "analysis", "codegen/llvm", "codegen/llvm/loader"],
    "codegen/llvm/gpu": ["base", "abi", "ir", "layout", "analysis", "codegen/llvm", "codegen/llvm/loader"],
    "codegen/spirv": ["base", "abi", "ir", "layout", "analysis"],
    "device_lib": ["abi"],
    "runtime": ["base", "abi", "device_lib"],
    # A backend does not include another one. `layout`: the interpreter computes addresses of fields like the host. `analysis`: it asks which
    # loops use blocks of threads.
    "backends/*": ["base", "abi", "ir", "layout", "analysis", "passes", "codegen/llvm/loader", "codegen/spirv", "runtime", "device_lib", "backends"],
    "backends": ["base", "abi", "ir", "passes", "runtime"],
    # The only folder that includes all others; code generators stay behind their function tables.
    "engine": ["base", "abi", "ir", "layout", "options", "analysis", "passes", "autodiff", "runtime", "device_lib", "backends",
               "backends/*", "codegen/llvm/loader"],
    "python/bind": ["engine", "frontend", "options", "syntax", "base", "ir", "layout", "abi", "autodiff"],
    # Sparse matrices and solvers of the host: a separate module that does not depend on kernels.
    "linalg": ["base"],
    "python/linalg": ["linalg", "base"],
    "tools": ["base", "abi", "ir", "layout", "analysis", "passes", "autodiff", "runtime", "device_lib", "backends",
              "backends/*", "codegen/llvm/loader", "engine"],
}

# Headers of libraries that only these folders may use.
THIRD_PARTY = {
    "llvm/": ["codegen/llvm", "codegen/llvm/cpu", "codegen/llvm/gpu"],
    "llvm-c/": ["codegen/llvm"],
    "spirv": ["codegen/spirv"],
    "Python.h": ["syntax", "frontend", "python/bind"],
    "pybind11/": ["python/bind", "python/linalg"],
    "Eigen/": ["linalg"],
    "nlohmann/": ["python/bind"],
    "xeus": [],
}

# Headers that the build writes.
GENERATED = {"codegen_stamp.h", "frontend_stamp.h"}

INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)


def sources(folder):
    return sorted(p for p in folder.rglob("*") if p.suffix in (".h", ".cpp", ".def", ".inc"))


def folder_of(path):
    """Returns the longest name of the table that contains this path of the core, as (row, real folder)."""
    parts = Path(path).parts[:-1]
    for n in range(len(parts), 0, -1):
        name = "/".join(parts[:n])
        if name in ALLOWED:
            return name, name
        if n == 2 and parts[0] == "backends":
            return "backends/*", name
    return None, None


def includes(path):
    for quoted, angled in INCLUDE.findall(path.read_text(encoding="utf-8")):
        yield quoted or angled, bool(quoted)


def core_violations(path):
    inside = path.relative_to(CORE)
    row, real = folder_of(inside)
    if row is None:
        return [f"{inside}: this folder is not in the table"]
    found = []
    for name, quoted in includes(path):
        for prefix, users in THIRD_PARTY.items():
            if name.startswith(prefix) and row not in users:
                found.append(f"{inside}: only {users} may include <{name}>")
        if not (CORE / name).is_file():
            if quoted and name not in GENERATED:
                found.append(f'{inside}: "{name}" is not a path from quadrants_core/')
            continue
        target_row, target = folder_of(name)
        if target == real or target_row in ALLOWED[row]:
            if target_row != "backends/*" or row != "backends/*" or target == real:
                continue
        found.append(f"{inside}: {row} may not include {name}")
    return found


def test_there_is_something_to_check():
    assert len(sources(CORE)) > 30


@pytest.mark.parametrize("path", sources(CORE), ids=lambda p: str(p.relative_to(CORE)))
def test_core(path):
    assert not core_violations(path), "\n".join(core_violations(path))


@pytest.mark.parametrize("path", sources(ROOT / "kernel"), ids=lambda p: str(p.relative_to(ROOT)))
def test_kernel_meets_the_core_through_one_header(path):
    used = {name for name, _ in includes(path) if (CORE / name).is_file()}
    allowed = {"engine/program.h", "engine/observer.h", "engine/door.h"}
    assert used <= allowed, f"{path.name} includes {sorted(used - allowed)}"


# Folder of the process that draws windows -> the folders that it may include; libraries -> the folders that may include them.
INSPECTOR = {"model": ["model"], "view": ["model", "view"], "": ["model", "view"]}
SCREEN = re.compile(r"imgui|GLFW|GL/|X11|EGL")


@pytest.mark.parametrize("path", sources(ROOT / "inspector"), ids=lambda p: str(p.relative_to(ROOT)))
def test_the_inspector_does_not_include_the_core_and_its_model_no_screens(path):
    folder = "/".join(path.relative_to(ROOT / "inspector").parts[:-1])
    for name, quoted in includes(path):
        assert not (CORE / name).is_file(), f"{name} is the core's"
        assert not quoted or name.split("/")[0] in INSPECTOR[folder], name
        assert folder != "model" or not SCREEN.search(name), name


def test_only_the_inspector_includes_screens():
    assert SCREEN.search("GLFW/glfw3.h")
    assert not [p for folder in (CORE, ROOT / "kernel") for p in sources(folder) for name, _ in includes(p) if SCREEN.search(name)]


PACKAGE = CORE / "python" / "quadrants"

# Module or folder of the Python package -> modules that it may import (itself always), at the top or inside functions. The rows up to
# `_runtime` are the basis of all others.
PYTHON = {
    "_version": [],
    "_settings": [],
    "_native": [],
    "_factories": [],
    "_arch": [],
    "_device": [],
    "built": [],  # the files that the build writes into _lib
    "_option_values": ["built"],
    "_environment": ["_option_values"],
    "_logging": ["_environment", "_version", "built"],
    "_installation": ["_logging"],
    "_exceptions": ["_logging", "_settings"],
    "_dtypes": ["_exceptions", "_settings"],
    "_source": ["_exceptions", "_native"],
    "_options": ["_dtypes", "_environment", "_logging", "_option_values"],
    "_dumps": ["_environment", "_logging", "_settings"],
    "_coverage": ["_dtypes", "_environment", "_native", "_settings", "_source"],
    # Starting a program starts coverage if the environment requests it.
    "_runtime": ["_arch", "_coverage", "_dtypes", "_dumps", "_environment", "_exceptions", "_logging", "_native", "_option_values", "_options", "_settings", "_version"],
    "_stream": ["_exceptions", "_native", "_runtime"],
    "_timeline": ["_native"],
    "_perf_dispatch": ["_environment", "_exceptions", "_logging", "_runtime"],
    "_display": [],
    "_trees": ["_arch", "_dtypes", "_exceptions", "_factories", "_native", "_runtime", "_settings"],
    # A kernel that is always counted imports coverage; before a kernel is compiled, all fields must be placed; a pickled kernel names the
    # version that made it.
    "_language": ["_coverage", "_display", "_dtypes", "_exceptions", "_factories", "_logging", "_native", "_option_values", "_runtime", "_settings",
                  "_source", "_trees", "_version"],
    "_storage": ["_arch", "_display", "_dtypes", "_environment", "_exceptions", "_factories", "_language", "_native", "_settings", "_source",
                 "_trees"],
    "_sparse": ["_dtypes", "_exceptions", "_language", "_native", "_runtime", "_settings", "_storage", "_trees", "built"],
    # The operations of qd.simt, for architectures whose threads form blocks.
    "_lanes": ["_dtypes", "_language", "_native", "_settings"],
    "_algorithms": ["_dtypes", "_exceptions", "_lanes", "_language", "_settings", "_storage", "_trees"],
    # The core reports the values that backward kernels keep. A check reads sources to find the wrong line, and displays a verdict.
    "_gradients": ["_display", "_dtypes", "_exceptions", "_language", "_native", "_settings", "_source", "_storage", "_trees"],
    # The state of listings while a program runs, including the values that gradients keep.
    "_live": ["_coverage", "_exceptions", "_gradients", "_native"],
    "_python_backend": ["_dtypes", "_exceptions", "_language", "_native", "_settings", "_source", "_storage"],
    # Reports on the cache on disk, and archives of it for other machines.
    "_cache": ["_dtypes", "_exceptions", "_native"],
    # Windows of scripts, which another process draws.
    "_windows": ["_exceptions", "_language", "_logging"],
    # The window of qd.inspect(): it reads fields and arrays, samples them with kernels, and is a process that _windows starts.
    "_inspect": ["_coverage", "_dtypes", "_environment", "_exceptions", "_language", "_live", "_logging", "_native", "_runtime", "_settings", "_source", "_storage", "_windows"],
    # Processes that run kernels for this one: they start programs, and report counts.
    "_distributed": ["_coverage", "_environment", "_native", "_options", "_runtime", "_settings"],
    # Factories whose modules are loaded on first use.
    "_on_demand": ["_factories", "_language", "_sparse", "_storage", "_trees"],
}

# Modules that programs import or use: they may import all of the above and each other as listed, and none of the above imports them.
FACES = {
    "quadrants": ["_inspect", "_on_demand", "lang", "math", "simt", "types"],
    "__main__": ["_command"],
    "_command": ["cache", "coverage", "tools"],
    "_lib": ["types"],
    "_tensor": [],
    "_test_tools": ["quadrants"],
    "ad": [], "algorithms": [], "cache": [], "coverage": [], "distributed": [], "examples": ["_command"], "experimental": [], "inspect": ["quadrants"],
    "interop": [],
    "lang": ["simt", "types"],
    "linalg": [], "math": [], "profiler": [], "pytest_plugin": [], "simt": [], "sparse": [], "tools": [], "types": [], "ui": [],
}  # fmt: skip
BUILT = {("_lib", "_build_info"), ("_lib", "_option_rows"), ("_lib", "quadrants_linalg")}


def module_of(path, package):
    """Returns ("_storage", "field") for _storage/field.py; () for the package's own __init__.py."""
    parts = path.relative_to(package).with_suffix("").parts
    return parts[:-1] if parts[-1] == "__init__" else parts


def unit_of(module):
    return "built" if module in BUILT else module[0] if module else "quadrants"


def python_imports(path, package, modules):
    """Yields the modules of the package that a file imports, at any place."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and not node.level and (node.module or "").split(".")[0] == "quadrants":
            base = tuple(node.module.split(".")[1:])
            for alias in node.names:
                yield base + (alias.name,) if base + (alias.name,) in modules else base
        elif isinstance(node, ast.Import):
            yield from (tuple(a.name.split(".")[1:]) for a in node.names if a.name.split(".")[0] == "quadrants")


def imports_by_name(path):
    called = (node.func for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call))
    return any(getattr(f, "attr", getattr(f, "id", "")) in ("import_module", "__import__") for f in called)


def python_modules(package):
    return {module_of(path, package): path for path in sorted(package.rglob("*.py"))}


def python_violations(package):
    modules = python_modules(package)
    found = []
    for module, path in modules.items():
        unit, inside = unit_of(module), path.relative_to(package)
        if unit not in PYTHON and unit not in FACES:
            found.append(f"{inside}: {unit} is not in the table")
            continue
        if unit in PYTHON and imports_by_name(path):
            found.append(f"{inside}: imports by a name that this test cannot read")
        for target in map(unit_of, python_imports(path, package, modules.keys() | BUILT)):
            allowed = PYTHON[unit] if unit in PYTHON else [*PYTHON, *FACES[unit]]
            if target != unit and (target not in allowed or unit != "quadrants" and target == "_on_demand"):
                found.append(f"{inside}: {unit} may not import {target}")
    return found


def cycles(edges):
    """Returns each cycle as the list of its nodes, with the first one again at the end."""
    found, done, active = [], set(), []

    def visit(node):
        if node in active:
            found.append([*active[active.index(node) :], node])
        elif node not in done:
            active.append(node)
            for target in sorted(edges.get(node, ())):
                visit(target)
            active.pop()
            done.add(node)

    for node in sorted(edges):
        visit(node)
    return found


def python_edges(package):
    modules = python_modules(package)
    return {module: set(python_imports(path, package, modules.keys() | BUILT)) - {module} for module, path in modules.items()}


def test_python_package():
    assert len(python_modules(PACKAGE)) > 100
    assert not python_violations(PACKAGE), "\n".join(python_violations(PACKAGE))


def test_python_files_import_in_no_circle():
    """A package's own __init__ counts like any file, and imports inside functions count too."""
    found = [" -> ".join(".".join(m) or "quadrants" for m in circle) for circle in cycles(python_edges(PACKAGE))]
    assert not found, "\n".join(found)


def test_the_table_of_python_has_no_circle():
    assert not cycles({**{unit: set(targets) for unit, targets in PYTHON.items()}})
    assert all(target in PYTHON for targets in PYTHON.values() for target in targets)


def test_the_test_of_python_sees_a_violation(tmp_path):
    package = tmp_path / "quadrants"
    (package / "_trees").mkdir(parents=True)
    (package / "_trees" / "__init__.py").write_text("")
    (package / "_trees" / "snode.py").write_text("def f():\n    from quadrants import _sparse, _settings\n")
    (package / "_sparse.py").write_text("from quadrants._trees import snode\n")
    (package / "_settings.py").write_text("import importlib\nimportlib.import_module('quadrants._trees')\n")
    (package / "_novel.py").write_text("")
    assert len(python_violations(package)) == 3
    assert cycles(python_edges(package)) == [[("_sparse",), ("_trees", "snode"), ("_sparse",)]]


# Locks that no forked child ever uses, and why. All others are those of base/fork.h.
PLAIN_LOCKS = {
    "base/fork.h": "wrapped there",
    "base/fork.cpp": "guards the lists of locks; made anew in a child",
    "engine/launch_lock.cpp": "guards the list of locks; made anew in a child",
    "engine/background.cpp": "a child has another object",
    "engine/emit.cpp": "belongs to one compilation, which ends with its thread",
    "runtime/sparse_list.cpp": "belongs to one launch, which ends with its thread",
    "tools/execute.cpp": "qd-opt alone",
}
PLAIN_LOCK = re.compile(r"std::(?:recursive_|shared_|timed_|recursive_timed_)?mutex\b|std::(?:once_flag|call_once)\b|pthread_mutex_t|pthread_atfork\(")


def test_locks_survive_a_fork():
    users = {str(path.relative_to(CORE)) for path in sources(CORE) if PLAIN_LOCK.search(path.read_text(encoding="utf-8"))}
    assert users == PLAIN_LOCKS.keys()


def test_no_cycles():
    edges = {}
    for path in sources(CORE):
        _, real = folder_of(path.relative_to(CORE))
        for name, _ in includes(path):
            if (CORE / name).is_file():
                _, target = folder_of(name)
                if target != real:
                    edges.setdefault(real, set()).add(target)
    done, active = set(), []

    def visit(folder):
        if folder in done:
            return
        assert folder not in active, " -> ".join(active + [folder])
        active.append(folder)
        for target in sorted(edges.get(folder, ())):
            visit(target)
        active.pop()
        done.add(folder)

    for folder in sorted(edges):
        visit(folder)


def test_the_test_sees_a_violation(tmp_path, monkeypatch):
    core = tmp_path / "quadrants_core"
    (core / "ir").mkdir(parents=True)
    (core / "engine").mkdir()
    (core / "engine" / "program.h").write_text("")
    bad = core / "ir" / "bad.cpp"
    bad.write_text('#include "engine/program.h"\n#include <llvm/IR/Module.h>\n#include "nowhere.h"\n')
    monkeypatch.setitem(globals(), "CORE", core)
    assert len(core_violations(bad)) == 3
