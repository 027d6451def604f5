"""Dependencies between folders point one way: reads every #include of the core and the kernel against this table.

Adding an edge is a decision: change the table here and say why beside it.
"""

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
    # The table of options: plain data that the frontend, the engine and the bindings are told.
    "options": ["ir"],
    "frontend": ["base", "ir", "layout", "options", "syntax"],
    "analysis": ["base", "ir", "layout"],
    "passes": ["base", "ir", "layout", "analysis"],
    "autodiff": ["base", "ir", "analysis", "passes"],
    # What the rest may know of LLVM: plain data and one function table.
    "codegen/llvm/door": ["base", "abi", "ir"],
    "codegen/llvm": ["base", "abi", "ir", "layout", "analysis", "codegen/llvm/door"],
    "codegen/spirv": ["base", "abi", "ir", "layout", "analysis"],
    "device_lib": ["abi"],
    "runtime": ["base", "abi"],
    # A backend, never another one. `layout`: the interpreter finds fields as the host does.
    "backends/*": ["base", "abi", "ir", "layout", "passes", "codegen/llvm/door", "runtime", "device_lib", "backends"],
    "backends": ["base", "abi", "ir", "passes", "runtime"],
    # The only place that sees every folder; machine code generators stay behind their doors.
    "engine": ["base", "abi", "ir", "layout", "options", "analysis", "passes", "autodiff", "runtime", "device_lib", "backends",
               "backends/*", "codegen/llvm/door"],
    "python/bind": ["engine", "frontend", "options", "syntax", "base", "ir", "layout", "abi"],
    # Sparse matrices and solvers of the host: a module of its own, which knows nothing of kernels.
    "linalg": ["base"],
    "python/linalg": ["linalg", "base"],
    "tools": ["base", "abi", "ir", "layout", "analysis", "passes", "autodiff", "runtime", "device_lib", "backends",
              "backends/*", "codegen/llvm/door", "engine"],
}

# Headers of libraries that only these folders may use.
THIRD_PARTY = {
    "llvm/": ["codegen/llvm"],
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
    """The longest name of the table that this path of the core lies in, as (row, real folder)."""
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


# Locks that no child of a fork ever meets, and why. All others are those of base/fork.h.
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


def test_locks_bear_a_fork():
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
