"""The stubs (*.pyi) for editors, which docs/stubs/generate.py writes."""

import ast
import functools
import importlib
import importlib.util
import inspect
import json
import subprocess
import sys
from pathlib import Path

import pytest
import quadrants as qd
from quadrants import _environment

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = sorted((Path(__file__).parent / "editor/programs").glob("*.py"))
USES = Path(__file__).with_name("editor") / "uses.py"
SIGNATURES = (ROOT / "tests/python/api/signatures.txt").read_text().splitlines()

spec = importlib.util.spec_from_file_location("generate_stubs", ROOT / "docs/stubs/generate.py")
generate = importlib.util.module_from_spec(spec)
spec.loader.exec_module(generate)

# Annotations of parameters that are classes in the package; programs only use them as values and call them.
ANNOTATIONS = {"Template", "template", "NDArray", "NdarrayType", "ndarray", "sparse_matrix_builder", "SparseMatrixBuilderType", "ref"}


@functools.cache
def body_of(module):
    return ast.parse(generate.path_of(module).read_text()).body


@pytest.fixture(scope="module", params=generate.MODULES)
def stub(request):
    """Returns the module, and name -> declarations of its stub."""
    return request.param, declarations(body_of(request.param))


def declarations(nodes):
    found = {}
    for node in nodes:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names = [alias.asname for alias in node.names if alias.asname == alias.name]
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            names = [(node.targets[0] if isinstance(node, ast.Assign) else node.target).id]
        else:
            names = [node.name] if hasattr(node, "name") else []
        for name in names:
            found.setdefault(name, []).append(node)
    return found


@pytest.mark.parametrize("module", generate.MODULES)
def test_a_stub_is_what_the_generator_makes(module):
    assert generate.path_of(module).read_text() == generate.stub(module), "run `make stubs`"


def test_no_stub_is_left_over():
    by_hand = {generate.PACKAGE / "_mypy.pyi", generate.PACKAGE / "_pyright.pyi"}
    assert {*generate.PACKAGE.rglob("*.pyi")} == {generate.path_of(module) for module in generate.MODULES} | by_hand
    types = {path.stem for path in (ROOT / "docs/stubs").glob("*.pyi")}
    assert types <= {*generate.MODULES}


def test_every_public_name_is_in_the_stub(stub):
    module, declared = stub
    live = importlib.import_module(module)
    public = {name for name in dir(live) if name.isidentifier() and not name.startswith("_")}
    if getattr(live, "__all__", None):
        public = {*live.__all__}
    assert sorted(public - {*declared}) == []
    assert sorted(name for name in declared if not name.startswith("_") and not hasattr(live, name)) == []


def test_the_names_of_the_package():
    declared = declarations(body_of("quadrants"))
    assert len({*dir(qd)} & {*declared}) >= 205
    assert {"cfg", "coverage", "__version__", "clear_all_gradients", "outer"} <= {*declared}


def parameters(node, in_class):
    """Returns name -> text of the default, or None, of a definition's parameters."""
    a = node.args
    plain = [*a.posonlyargs, *a.args]
    defaults = [None] * (len(plain) - len(a.defaults)) + a.defaults
    found = {p.arg: d for p, d in zip(plain, defaults)}
    found |= {"*" + a.vararg.arg: None} if a.vararg else {}
    found |= {p.arg: d for p, d in zip(a.kwonlyargs, a.kw_defaults)}
    found |= {"**" + a.kwarg.arg: None} if a.kwarg else {}
    if in_class:
        found.pop("self", None), found.pop("cls", None)
    return {name: d and ast.unparse(d) for name, d in found.items()}


def live_parameters(signature, in_class):
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    found = {}
    for p in signature.parameters.values():
        default = None if p.default is p.empty else getattr(p.default, "__name__", None) or repr(p.default)
        found[stars.get(p.kind, "") + p.name] = default
    return {name: default for name, default in found.items() if not (in_class and name in ("self", "cls"))}


def differs(definitions, live, in_class):
    """Returns how the definitions differ from the live object, or None."""
    wanted = live_parameters(inspect.signature(live), in_class)
    several = len(definitions) > 1
    seen = set()
    for node in definitions:
        found = parameters(node, in_class)
        seen |= {*found}
        if not several and [*found] != [*wanted]:
            return f"{[*found]}, not {[*wanted]}"
        for name, default in found.items():
            if name in wanted and default is not None and default not in ("...", wanted[name]):
                return f"{name}={default}, not {wanted[name]}"
            if not several and (default is None) != (wanted[name] is None):
                return f"{name}={default}, not {wanted[name]}"
    missing = {name for name in wanted if not name.startswith("*")} - seen
    return f"{sorted(missing)} missing" if missing else None


def test_signatures_are_the_live_ones(stub):
    module, declared = stub
    live, wrong, compared = importlib.import_module(module), [], 0
    for name, nodes in declared.items():
        found = getattr(live, name, None)
        if name in ANNOTATIONS or found is None or found is qd.init:
            continue
        if isinstance(nodes[0], ast.FunctionDef):
            why = differs(nodes, found, False)
            compared += 1
            wrong += [f"{name}: {why}"] if why else []
        elif isinstance(nodes[0], ast.ClassDef):
            for member, methods in declarations(nodes[0].body).items():
                target = inspect.getattr_static(found, member, None)
                if member.startswith("_") or not isinstance(methods[0], ast.FunctionDef) or isinstance(target, property):
                    continue
                assert target is not None, f"{module}.{name}.{member}"
                why = differs(methods, getattr(target, "__func__", target), True)
                compared += 1
                wrong += [f"{name}.{member}: {why}"] if why else []
    assert wrong == []
    assert compared or module in ("quadrants.simt", "quadrants.types.annotations", "quadrants.types.enums", "quadrants.types.primitive_types")


def test_every_signature_of_the_interface_is_in_a_stub():
    missing = []
    for line in SIGNATURES:
        path = line.partition("(")[0].split(".")
        module = "quadrants"
        while len(path) > 1 and isinstance(getattr(importlib.import_module(module), path[0], None), type(qd.math)):
            module = getattr(importlib.import_module(module), path.pop(0)).__name__
        body = body_of(module)
        classes = {node.name: node for node in body if isinstance(node, ast.ClassDef)}
        declared = declarations(body)
        if path[0] not in declared:
            missing.append(line)
        elif len(path) > 1 and path[0] not in ANNOTATIONS:
            node, known = classes[path[0]], set()
            while node is not None:
                known |= {*declarations(node.body)}
                node = next((classes[b.id] for b in node.bases if isinstance(b, ast.Name) and b.id in classes), None)
            missing += [line] if path[1] not in known else []
    assert missing == []


def test_init_has_every_option_with_its_default():
    body = body_of("quadrants")
    (init,) = [node for node in body if getattr(node, "name", None) == "init"]
    found = parameters(init, False)
    options = {row[0]: row for row in _environment.ROWS.values() if row[3] != "environment"}
    assert {*options} <= {*found} and not any(name.startswith("**") for name in found)
    keywords = {p.arg: ast.unparse(p.annotation) for p in init.args.kwonlyargs}
    for name, kind in keywords.items():
        default = options[name][2]
        assert found[name] == (repr(default) if options[name][1] != "Type" else "..."), name
        assert kind in {"Type": ["type[Any]"]}.get(options[name][1], [type(default).__name__, "float"]), name
    for p in inspect.signature(qd.init).parameters:
        assert p in found or p == "compile_config_kwargs"


def test_docstrings_are_those_of_the_package():
    body = body_of("quadrants")
    written = {node.name: ast.get_docstring(node) for node in body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    for name in ("kernel", "field", "ndarray", "sync", "Vector", "SNode", "QuadrantsSyntaxError", "svd", "static"):
        assert written[name] == inspect.cleandoc(getattr(qd, name).__doc__), name
    assert written["init"].startswith(inspect.cleandoc(qd.init.__doc__)) and "cpu_max_num_threads: number of threads that run loops" in written["init"]


def test_a_type_checker_reports_the_mistakes_in_uses():
    command = [Path(sys.executable).with_name("basedpyright"), "--pythonpath", sys.executable, "--outputjson", USES]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    said = {}
    for one in json.loads(ran.stdout)["generalDiagnostics"]:
        said.setdefault(one["range"]["start"]["line"], []).append(one["message"].replace("\xa0", " "))
    wrong, mistakes = [], 0
    for number, line in enumerate(USES.read_text().splitlines()):
        messages = said.get(number, [])
        if "  #= " in line:
            right = len(messages) == 1 and messages[0].endswith(f' is "{line.partition("  #= ")[2]}"')
        elif "  #! " in line:
            mistakes += 1
            right = any(line.partition("  #! ")[2] in message for message in messages)
        else:
            right = not messages
        wrong += [] if right else [f"{number + 1}: {line}\n    {messages}"]
    assert not wrong, "\n".join(wrong)
    assert mistakes >= 30


def run_mypy(*paths):
    command = [sys.executable, "-m", "mypy", "--python-executable", sys.executable, "--no-error-summary", "--cache-dir", "/dev/null", *paths]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


def test_type_checkers_accept_small_programs():
    ran = run_mypy(*PROGRAMS)
    assert len(PROGRAMS) == 10 and ran.returncode == 0, ran.stdout + ran.stderr
    ran = subprocess.run([Path(sys.executable).with_name("basedpyright"), "--pythonpath", sys.executable, *PROGRAMS], cwd=ROOT, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_the_small_programs_run(program):
    ran = subprocess.run([sys.executable, program], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr


def test_mypy_reports_mistakes(tmp_path):
    text = """import quadrants as qd
@qd.dataclass
class Ball:
    at: qd.math.vec3
    radius: qd.f32
@qd.kernel
def f(x: qd.types.NDArray[qd.f32, 1], a: qd.f32) -> qd.f32:
    return a
Ball(at=qd.math.vec3(0), radius=1, mass=2)
Ball(at=qd.math.vec3(0))
f(None, "a")
qd.init(debg=True)
x = qd.field(qd.f32, 3)
x.fil(0)
n: str = f(None, 1)
"""
    path = tmp_path / "wrong.py"
    path.write_text(text)
    said = run_mypy(path).stdout
    assert [int(line.split(":")[1]) for line in said.splitlines() if ": error: " in line] == [9, 10, 11, 12, 14, 15], said


def test_stubs_are_installed():
    folder = Path(qd.__file__).parent
    installed = {str(path.relative_to(folder)) for path in folder.rglob("*.pyi")}
    assert installed == {str(path.relative_to(generate.PACKAGE)) for path in generate.PACKAGE.rglob("*.pyi")}
    assert (folder / "py.typed").is_file()
