"""The cache on disk as programs see it: which files it has when, which are removed, and what is reported. Each program is a process of its
own, except where several run one after another in one process."""

import json
import os
import re
import subprocess
import sys
import textwrap
import time

import pytest
import quadrants as qd
from quadrants.lang import impl

HEAD = """
import sys, time
import quadrants as qd
def init(**more):
    qd.init(arch=ARCH, offline_cache=True, offline_cache_file_path=PATH, compile_tiers=False, log_level="error", **more)
def count():
    import os
    return sum(len(files) for _, _, files in os.walk(PATH + "/kernel_compilation_manager"))
"""


class Programs:
    """Programs that share a cache."""

    def __init__(self, arch, folder):
        self.arch, self.path, self.folder = arch, folder / "deep" / "cache", folder

    def run(self, text, name="program.py", status=0, **environment):
        path = self.folder / name
        head = HEAD.replace("ARCH", repr(self.arch)).replace("PATH", repr(str(self.path)))
        path.write_text(head + textwrap.dedent(text))
        environment = {**os.environ, "ENABLE_QUADRANTS_HEADER_PRINT": "0", **environment}
        done = subprocess.run([sys.executable, str(path)], env=environment, capture_output=True, text=True, timeout=120)
        assert done.returncode == status, done.stderr
        self.errors = done.stderr
        return done.stdout

    def files(self, suffix=""):
        below = self.path / "kernel_compilation_manager"
        return [f for f in below.rglob("*") if f.is_file() and f.name.endswith(suffix)]

    def count(self):
        return len(self.files())


@pytest.fixture
def programs(arch, tmp_path):
    yield Programs(arch, tmp_path)
    qd.reset()


FOUR = """
@qd.kernel
def a() -> qd.i32: return 1
@qd.kernel
def b() -> qd.i32: return 2
@qd.kernel
def c(n: qd.i32) -> qd.i32: return n + 3
@qd.kernel
def d(x: qd.types.ndarray(qd.f32, ndim=1)):
    for i in x: x[i] += 4
"""
CALLS = "init(); x = qd.ndarray(qd.f32, 4); print(a() + b() + c(1) + c(2), count()); d(x)\n"


def test_files_appear_at_the_end(programs):
    assert programs.run(FOUR + CALLS + "print(count()); qd.reset(); print(count())").split() == ["12", "0", "0", "5"]
    names = sorted(f.name for f in programs.files())
    assert names[-1] == "qdcache.qdb" and all(re.fullmatch(r"T[0-9a-f]{64}\.qdc", n) for n in names[:-1])
    assert sorted(p.name for p in programs.path.iterdir()) == ["kernel_compilation_manager", "records"]
    assert programs.run(FOUR + CALLS).split() == ["12", "5"] and programs.count() == 5


@pytest.mark.parametrize("end, status", [("", 0), ("sys.exit()", 0), ("init()\nprint(count())\nimport os; os._exit(0)", 0),
                                         ("raise ValueError", 1), ("qd.lang.impl.get_runtime().prog.dump_cache_data_to_disk(); assert count() == 5", 0)])  # fmt: skip
def test_every_way_to_end(programs, end, status):
    programs.run(FOUR + CALLS + end, status=status)
    assert programs.count() == 5


def test_a_killed_program_leaves_what_the_next_one_finds(programs):
    programs.run(FOUR + CALLS + "import os; os._exit(0)")
    assert programs.count() == 0
    text = FOUR + CALLS + "print([r for k in (a, b, c, d) for r in [k._plans()[0][2]['recalled']]])"
    assert programs.run(text).endswith("[True, True, True, True]\n")
    assert programs.count() == 5 and not (programs.path / "unpublished_kernels").exists()


def test_five_cycles_are_one(programs):
    text = FOUR + f"for i in range(5):\n    {CALLS}    qd.reset()\n    print(count())"
    assert programs.run(text).split()[1::2] != [] and programs.count() == 5


@pytest.mark.parametrize(
    "text, number",
    [
        ("init()", 0),
        ("init(); x = qd.field(qd.f32, 4); y = qd.ndarray(qd.f32, 3); y[0] = 1; y[1]", 0),
        ("init(); x = qd.field(qd.f32, ()); y = qd.field(qd.f32, ()); x[None] = 1; y[None] = 2; x[None] + y[None]", 4),
        ("init(); v = qd.Vector.field(2, qd.f32, 3); v[0] = [1, 2]; v[1] = [1, 2]; v[0]; v[2]", 4),
        ("init(); x = qd.field(qd.f32, 4); x.fill(1); x.fill(2); n = x.to_numpy(); x.from_numpy(n); x.to_numpy()", 3),
        ("""
@qd.kernel
def k(n: qd.template()) -> qd.i32: return n
init(); k(1); k(2); k(1)""", 2),
        ("""
@qd.kernel
def k(x: qd.types.ndarray()):
    for I in qd.grouped(x): x[I] += 1
init()
for t, s in ((qd.f32, 3), (qd.f32, 4), (qd.i32, 3), (qd.f32, (2, 2))): k(qd.ndarray(t, s))""", 3),
        ("""
@qd.kernel
def k(a: qd.types.matrix(2, 2, qd.f32), b: qd.types.matrix(2, 2, qd.f32)) -> qd.f32: return (a @ b)[0, 0]
init(); m = qd.Matrix([[1, 2], [3, 4]]); k(m, m); k(m, m @ m)""", 1),
        ("""
init(); x = qd.field(qd.f32, (), needs_grad=True); y = qd.field(qd.f32, (), needs_grad=True)
@qd.kernel
def k(): y[None] += x[None] ** 2
x[None] = 3
with qd.ad.Tape(y): k()
assert (y[None], x.grad[None]) == (9, 6)""", 9),
        ("""
@qd.kernel
def k() -> qd.f32: return 1.5
init(opt_level=0); k(); init(opt_level=1); k()""", 2),
        ("""
@qd.kernel
def k() -> qd.f32: return 1.5
init(default_fp=qd.f32); k(); init(); k()""", 1),
    ],
)  # fmt: skip
def test_number_of_cached_kernels(programs, text, number):
    programs.run(text)
    assert programs.count() == (number + 1 if number else 0)
    programs.run(text)
    assert programs.count() == (number + 1 if number else 0)


def test_without_the_cache(programs):
    programs.run(FOUR + CALLS.replace("init()", "init(); qd.cfg; qd.init(arch=qd.cfg.arch, offline_cache=False, offline_cache_file_path=PATH)").replace("PATH", repr(str(programs.path))))
    assert programs.count() == 0


def test_limits_hold_without_the_cache(programs):
    programs.run(FOUR + CALLS)
    end = f"qd.init(arch={programs.arch!r}, offline_cache=False, offline_cache_file_path={str(programs.path)!r}, log_level='error', "
    programs.run(end + "offline_cache_max_size_of_files=1 << 30)")
    assert programs.count() == 5
    programs.run(end + "offline_cache_max_size_of_files=1, offline_cache_cleaning_factor=0.5)")
    assert programs.count() == 3


def test_an_ending_program_checks_the_listing_once_a_second(programs):
    programs.run(FOUR + CALLS)
    text = """
import ctypes, os, struct, time
libc = ctypes.CDLL(None)
watch = libc.inotify_init1(os.O_NONBLOCK)
assert libc.inotify_add_watch(watch, PATH.encode() + b"/kernel_compilation_manager/qdcache.qdb", 0x30) > 0  # that it is opened, and closed
def events():
    try: return len(os.read(watch, 1 << 16)) / struct.calcsize("iIII")
    except BlockingIOError: return 0
def opened(pause=0, **more):
    init(); qd.init(arch=ARCH, offline_cache_file_path=PATH, log_level="error", **more)
    time.sleep(pause)
    events()
    qd.reset()
    return events() / 2
print(opened(), opened(1.1), opened(1.1, offline_cache=False), opened(offline_cache_max_size_of_files=1 << 28))
"""
    assert programs.run(text.replace("PATH", repr(str(programs.path))).replace("ARCH", repr(programs.arch))) == "0.0 1.0 1.0 1.0\n"


def limited(policy, factor, limit=1):
    return f"init(offline_cache_cleaning_policy={policy!r}, offline_cache_cleaning_factor={factor}, offline_cache_max_size_of_files={limit})\n"


@pytest.mark.parametrize("policy", ["never", "version", "lru", "fifo", "no such policy"])
def test_cleaning(programs, policy):
    """offline_cache_cleaning_policy, offline_cache_cleaning_factor, offline_cache_max_size_of_files"""
    for factor, left in ((0.0, 4), (0.25, 3), (0.85, 1), (1.0, 0)):
        if policy not in ("lru", "fifo"):
            left = 4
        programs.run("import shutil; shutil.rmtree(" + repr(str(programs.path)) + ", ignore_errors=True)\n" + FOUR + CALLS)
        assert programs.count() == 5
        programs.run(limited(policy, factor))
        assert programs.count() == (left + 1 if left else 0)
        programs.run(FOUR + CALLS + "qd.reset()\n" + limited(policy, factor, 1 << 30))
        assert programs.count() == 5


def test_a_use_renews_a_cache_entry(programs):
    programs.run(FOUR + CALLS)
    time.sleep(1.2)
    programs.run(FOUR + "init(); a()")
    programs.run(limited("lru", 0.75))
    assert programs.count() == 2
    text = FOUR + "init(); a(); b(); print([k._plans()[0][2]['recalled'] for k in (a, b)])"
    assert programs.run(text) == "[True, False]\n"


@pytest.mark.parametrize("policy", ["never", "version", "lru", "fifo"])
def test_a_listing_that_cannot_be_read(programs, policy):
    programs.run(FOUR + CALLS)
    (programs.path / "kernel_compilation_manager" / "qdcache.qdb").write_bytes(b"not a listing")
    programs.run(limited(policy, 0.0, 1 << 30) + FOUR.replace("+= 4", "+= 5") + CALLS.replace("init(); ", ""))
    assert programs.count() == (6 if policy == "never" else 5)


def test_damage_is_repaired(programs):
    programs.run(FOUR + CALLS)
    whole = {f: f.read_bytes() for f in programs.files("qdc")}
    for damage in (b"", None):
        for file, content in whole.items():
            file.write_bytes(damage if damage is not None else content[:-3] + b"xyz")
        assert programs.run(FOUR + CALLS).split()[0] == "12"
        assert programs.count() == 5 and "Traceback" not in programs.errors
        text = FOUR + CALLS + "print([k._plans()[0][2]['recalled'] for k in (a, b, c, d)])"
        assert programs.run(text).endswith("[True, True, True, True]\n")


def test_a_lock_of_others(programs):
    programs.run(FOUR + CALLS)
    lock = programs.path / "kernel_compilation_manager" / "qdcache.lock"
    lock.write_text("elsewhere 1")
    text = "@qd.kernel\ndef e() -> qd.i32: return 5\ninit(); print(e())"
    assert programs.run(text) == "5\n" and "qdcache.lock failed" in programs.errors
    lock.unlink()
    assert programs.run(text) == "5\n" and programs.count() == 6 and programs.errors == ""


def test_a_folder_that_is_made_and_removed_by_the_program(programs):
    folder = repr(str(programs.path))
    programs.run(f"import os, shutil; os.makedirs({folder} + '/kernel_compilation_manager')\n" + "init(); qd.reset()\n"
                 f"assert os.path.isdir({folder} + '/kernel_compilation_manager')\n" + FOUR + CALLS +
                 f"qd.reset(); shutil.rmtree({folder}); init(); print(a())")  # fmt: skip
    assert programs.errors == "" and programs.count() == 2


def test_a_folder_that_cannot_be_written(programs):
    programs.path.parent.mkdir(parents=True)
    programs.path.write_text("a file")
    out = programs.run(FOUR + CALLS)
    assert out.split()[0] == "12" and programs.errors.count("RuntimeWarning") == 1


def test_lines_of_compiling(programs):
    text = FOUR + CALLS + "a()"
    out = programs.run(text, QD_SHOW_COMPILING="1")
    if programs.arch == "cpu":
        assert re.findall(r"^Compiling kernel '(\w+)'$", out, re.M) == ["a_c0_0", "b_c1_0", "c_c2_0", "d_c3_0"]
    assert "Compiling" not in programs.run(text, QD_SHOW_COMPILING="1") and "Compiling" not in programs.run(text)


def test_lines_of_compiling_helpers(programs):
    """QD_SHOW_COMPILING shows the program's own kernels under the program's names."""
    text = """
init(); x = qd.field(qd.f32, (), needs_grad=True); y = qd.field(qd.f32, (), needs_grad=True)
@qd.kernel
def k(): y[None] += x[None] ** 2
@qd.kernel
def other(n: qd.template()) -> qd.i32: return n
x[None] = 3
with qd.ad.Tape(y): k()
y[None], x.grad[None], other(7), other(9)
"""
    names = [re.sub(r"(snode_\w+?)_\d+", r"\1_N", n) for n in re.findall(r"Compiling kernel '(\w+)'", programs.run(text, QD_SHOW_COMPILING="1"))]
    helpers = ["snode_writer_N", "clear_gradients_c0_0", "clear_gradients_c0_1", "fill_field_c1_0", "fill_field_c1_1", "snode_reader_N", "snode_reader_N"]
    kernels = ["k_c0_0", "k_c0_0_reverse_grad", "other_c1_0", "other_c1_1"]
    assert sorted(n for n in names if n in helpers) == sorted(helpers)
    if programs.arch == "cpu":
        assert [n for n in names if n not in helpers] == kernels and len(names) == programs.count() - 1
    assert "Compiling" not in programs.run(text, QD_SHOW_COMPILING="1")


FAST = """
@qd.kernel(fastcache=True)
def one() -> qd.i32: return 1
@qd.kernel(fastcache=True)
def two(n: qd.template()) -> qd.i32: return n
def seen(k):
    s = k._primal.src_ll_cache_observations
    return [int(x) for x in (s.cache_key_generated, s.cache_validated, s.cache_loaded, s.cache_stored)]
"""


def test_files_of_fast_kernels(programs):
    fast = programs.path / "python_side_cache"
    run = FAST + "init(MORE); one(); print(seen(one), len(list(__import__('pathlib').Path(PATH, 'python_side_cache').glob('*')))); two(1); two(2)"
    run = run.replace("PATH", repr(str(programs.path)))
    assert programs.run(run.replace("MORE", "")) == "[1, 0, 0, 1] 2\n"
    names = [f.name for f in fast.iterdir()]
    assert len(names) == 5 and all(re.fullmatch(r"[0-9a-f]{64}\.cache\.txt", n) for n in names)
    assert programs.run(run.replace("MORE", "")) == "[1, 1, 1, 0] 5\n"
    assert len(list(fast.iterdir())) == 5
    for file in programs.files():
        file.unlink()
    assert programs.run(run.replace("MORE", "")) == "[1, 1, 0, 1] 5\n"
    assert programs.run(run.replace("MORE", "src_ll_cache=False")).startswith("[0, 0, 0, 0]")
    without = run.replace("init(MORE)", f"qd.init(arch={programs.arch!r}, offline_cache=False, offline_cache_file_path={str(programs.path)!r}, log_level='error')")
    assert programs.run(without) == "[1, 1, 0, 1] 5\n"
    assert programs.run(run.replace("MORE", "").replace("return 1", "return 0")).startswith("[1, 0, 0, 1]")
    assert len(list(fast.iterdir())) == 7


@pytest.mark.parametrize("damage", (lambda content: content[:20], lambda content: content[:-1] + bytes([content[-1] ^ 1]), lambda content: b""))
def test_damaged_files_of_fast_kernels_are_replaced(programs, damage):
    """Damages each of the two files alone, then both; the next program finds them intact."""
    fast = programs.path / "python_side_cache"
    run = FAST + "init(); one(); print(qd.cache.why(one).specialisations[0].outcome); assert not qd.cache.verify(), qd.cache.verify()"
    assert programs.run(run) == "compiled\n"
    files = sorted(fast.iterdir())
    whole = {file: file.read_bytes() for file in files}
    assert len(files) == 2
    for spoiled in ([files[0]], [files[1]], files):
        for file in spoiled:
            file.write_bytes(damage(whole[file]))
        assert programs.run(run) in ("loaded\n", "found\n")
        assert sorted(fast.iterdir()) == files and all(len(file.read_bytes()) == len(whole[file]) for file in files)
        assert programs.run(run) == "loaded\n"


def outcomes(programs, text):
    return json.loads(programs.run(text + "\nimport json; print(json.dumps([[s.outcome, s.layer, s.reasons] for s in qd.cache.why(k).specialisations]))"))


EXPLAINED = """
N = 3
@qd.func
def f(x): return x * 2
@qd.kernel
def k(x: qd.types.ndarray()):
    for i in x:
        x[i] = f(x[i]) + N
init(OPTIONS)
k(qd.ndarray(TYPE, 4))
"""


@pytest.mark.parametrize(
    "edit, reason",
    [
        (("N = 3", "N = 4"), "N was 3 and is 4"),
        (("x * 2", "x * 3"), "the source of f changed: line 12 is now: def f(x): return x * 3"),
        (("def f(x): return x * 2", "def f(x):\n    y = x\n    return x * 3"), "the source of f changed: line 12 is now: def f(x):"),
        (("+ N", "- N"), "line 16 was: x[i] = f(x[i]) + N  and is: x[i] = f(x[i]) - N"),
        (("TYPE", "qd.i32"), "type of x: was array of f32, 1 index, is array of i32, 1 index"),
        (("OPTIONS", "debug=True"), "option debug was False and is True"),
    ],
)
def test_why(programs, edit, reason):
    plain = lambda text: text.replace("OPTIONS", "").replace("TYPE", "qd.f32")
    first = outcomes(programs, plain(EXPLAINED))
    assert first == [["compiled", "", ["this kernel was not in the cache"]]]
    assert outcomes(programs, plain(EXPLAINED)) == [["loaded", "entry", []]]
    ((outcome, _, reasons),) = outcomes(programs, plain(EXPLAINED.replace(*edit)))
    assert outcome == "compiled" and reason in reasons, reasons
    assert outcomes(programs, plain(EXPLAINED.replace(*edit))) == [["loaded", "entry", []]]


def test_why_it_was_only_parsed(programs):
    text = EXPLAINED.replace("OPTIONS", "").replace("TYPE", "qd.f32")
    outcomes(programs, text)
    ((outcome, layer, reasons),) = outcomes(programs, "# one line more\n" + text)
    assert (outcome, layer) == ("found", "code") and reasons == ["the kernel begins at line 14, and began at line 13 before"]


@pytest.mark.parametrize(
    "body, reasons",
    [
        ("    return x * 3", ["the source of f changed: line 13 is now: return x * 3", "the kernel begins at line 14, and began at line 15 before"]),
        ("    y = x\n    z = y\n    return y * 2", ["the source of f changed: line 14 is new: z = y", "the kernel begins at line 16, and began at line 15 before"]),
        ("    return y * 2", None),
    ],
)
def test_why_of_a_func_with_more_or_fewer_lines(programs, body, reasons):
    """The kernel comes after the func, so it moves too."""
    base = "    y = x\n    return y * 2"
    text = EXPLAINED.replace("OPTIONS", "").replace("TYPE", "qd.f32").replace("def f(x): return x * 2", "def f(x):\n" + base)
    text = text.replace("N = 3", "N = 3; y = 2")
    outcomes(programs, text)
    ((_, _, found),) = outcomes(programs, text.replace(base, body))
    assert found == (reasons or ["the source of f changed: a line is gone before line 13", "the kernel begins at line 14, and began at line 15 before"])


LOST = """
class Thing:
    def __init__(self, n): self.n = n
    def __add__(self, other): return self.n + other
    def method(self): return self.n
t = Thing(3)
"""


def test_why_of_dependencies_that_cannot_be_compared(programs):
    """Objects with code that runs at compile time, and template arguments that no longer exist."""
    text = LOST + "@qd.kernel\ndef k(t: qd.template()) -> qd.i32: return qd.static(t + 1)\ninit(); assert k(t) == 4\n"
    reason = "it reads an object whose changes cannot be detected, so it is parsed in every process"
    assert outcomes(programs, text) == [["compiled", "", [reason]]]
    assert outcomes(programs, text) == [["found", "code", [reason]]]
    gone = text + "del t; import gc; gc.collect(); print(qd.cache.why(k))"
    assert "(t: an object that is gone): parsed again; its code was found" in programs.run(gone)


def test_fast_kernels_that_cannot_be_kept(programs):
    """Reports the reference's tags where they are true; kernels with fields are cached."""
    kernel = "@qd.kernel(fastcache=True)\ndef k(t: qd.template()) -> qd.i32: return qd.static(t.method())\n" + FAST
    text = LOST + kernel + "qd.init(arch=ARCH, offline_cache_file_path=PATH); assert k(t) == 3; print(seen(k))"
    text = text.replace("ARCH", repr(programs.arch)).replace("PATH", repr(str(programs.path)))
    for _ in range(2):
        assert programs.run(text).splitlines()[-1] == "[0, 0, 0, 0]"
        param, func = programs.errors.splitlines()
        assert param.endswith("[FASTCACHE][PARAM_INVALID] parameter t of k: a Thing cannot be compared between processes")
        assert "[FASTCACHE][INVALID_FUNC] k (" in func and "program.py:" in func
    programs.run(text.replace("(fastcache=True)", "(fastcache=False)", 1))
    assert programs.errors == ""
    assert not (programs.path / "python_side_cache").exists()


def test_why_where_kernels_run_as_python():
    qd.init(arch=qd.python)

    @qd.kernel
    def k() -> qd.i32:
        return 1

    assert "runs as Python" in repr(qd.cache.why(k))
    k()
    assert "runs as Python" in repr(qd.cache.why(k)) and not qd.cache.why(k).specialisations
    qd.reset()


def test_why_of_an_object_that_is_not_a_kernel():
    with pytest.raises(TypeError, match="3 is not a kernel; pass a function decorated with @qd.kernel"):
        qd.cache.why(3)


def test_info_verify_clear(arch, tmp_path):
    def init():
        qd.init(arch=arch, offline_cache=True, offline_cache_file_path=str(tmp_path), compile_tiers=False)

    @qd.kernel
    def k() -> qd.i32:
        return 1

    init()
    assert qd.cache.info().kernels == 0 and "compiled code: 0 kernels" in repr(qd.cache.info())
    k()
    assert qd.cache.info().unpublished == qd.cache.info().kernels == qd.cache.info().records == 1
    qd.cache.publish()
    assert qd.cache.info().unpublished == 0 and not qd.cache.verify()
    (code,) = (tmp_path / "kernel_compilation_manager").glob("*.qdc")
    code.write_bytes(code.read_bytes()[:-1])
    found = qd.cache.verify()
    assert list(found.problems) == [str(code)] and "truncated" in repr(found) and qd.cache.info().damaged == 1
    assert qd.cache.verify(remove=True) and not qd.cache.verify() and not code.exists()
    assert k() == 1 and qd.cache.clear() == 2 and qd.cache.info().records == 0
    assert k() == 1


def test_export_and_import(arch, tmp_path, monkeypatch):
    def init(name):
        qd.init(arch=arch, offline_cache=True, offline_cache_file_path=str(tmp_path / name), compile_tiers=False)

    def kernels():
        @qd.kernel
        def k(x: qd.types.ndarray(qd.i32, ndim=1)):
            for i in x:
                x[i] += 7

        @qd.kernel
        def other() -> qd.i32:
            return 8

        return k, other

    def recalled(kernel):
        return kernel._plans()[0][2]["recalled"]

    init("here")
    x = qd.ndarray(qd.i32, 3)
    k, other = kernels()
    k(x), other()
    init("here")
    k, other = kernels()
    k(qd.ndarray(qd.i32, 3))
    packed = tmp_path / "packed.zip"
    assert qd.cache.export(packed) == 2 and qd.cache.export(packed, all=True) == 4
    init("there")
    assert qd.cache.import_(packed) == 4 and qd.cache.import_(packed) == 0 and not qd.cache.verify()
    k, other = kernels()
    x = qd.ndarray(qd.i32, 3)
    k(x)
    assert recalled(k) and other() == 8 and recalled(other) and x[2] == 7

    monkeypatch.setenv("QD_CACHE_KEY", "a secret of the team")
    init("signed")
    assert qd.cache.import_(packed) == 0 and qd.cache.info().kernels == 0 and qd.cache.info().signed
    k, other = kernels()
    assert other() == 8 and not recalled(other)
    assert qd.cache.export(packed) == 2
    init("signed too")
    assert qd.cache.import_(packed) == 2
    k, other = kernels()
    assert other() == 8 and recalled(other)

    packed.write_bytes(b"PK" + b"x" * 100)
    with pytest.raises(Exception, match="zip"):
        qd.cache.import_(packed)
    import zipfile

    for name in ("../T" + "0" * 64 + ".qdc", "records/../../x", "elsewhere/x.qdr", "records/x.py"):
        with zipfile.ZipFile(packed, "w") as archive:
            archive.comment = b"quadrants-cache-1"
            archive.writestr(name, b"x")
        with pytest.raises(ValueError, match="is not a file of a cache"):
            qd.cache.import_(packed)


def test_signatures_are_those_of_hmac(arch, tmp_path, monkeypatch):
    import hmac

    monkeypatch.setenv("QD_CACHE_KEY", "a secret")
    qd.init(arch=arch, offline_cache=True, offline_cache_file_path=str(tmp_path))

    @qd.kernel
    def k(n: qd.i32) -> qd.i32:
        return n + 5

    k(1)
    qd.reset()
    files = [f for f in tmp_path.rglob("*") if f.is_file()]
    assert len(files) == 3
    for file in files:
        content = file.read_bytes()
        unsigned = content[:48] + bytes(32) + content[80:]
        assert content[48:80] == hmac.digest(b"a secret", unsigned, "sha256")


def test_files_that_are_not_archives(tmp_path):
    qd.init(arch=qd.cpu, offline_cache=True, offline_cache_file_path=str(tmp_path / "cache"))
    wrong = tmp_path / "wrong.zip"
    wrong.write_text("no archive")
    with pytest.raises(ValueError, match="wrong.zip: this is not an archive of qd.cache.export"):
        qd.cache.import_(wrong)
    with pytest.raises(TypeError, match="PathLike"):
        qd.cache.import_(3)
    with pytest.raises(FileNotFoundError, match="no such folder: .*nowhere'"):
        qd.cache.export(tmp_path / "nowhere" / "packed.zip")


def test_archives_that_are_damaged(tmp_path):
    """Whichever byte is changed, and wherever the archive is cut, either everything in it is added or nothing."""
    import zipfile

    qd.init(arch=qd.cpu, offline_cache=True, offline_cache_file_path=str(tmp_path / "cache"))
    packed = tmp_path / "packed.zip"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.comment = b"quadrants-cache-1"
        for number in range(2):
            archive.writestr(f"records/{number}{'0' * 31}.qdr", b"a record " * 3)
    whole = packed.read_bytes()
    added = lambda: sorted(f.name for f in (tmp_path / "cache").rglob("*.qdr"))
    refused = 0
    for at in range(len(whole)):
        packed.write_bytes(whole[:at] + bytes([whole[at] ^ 255]) + whole[at + 1 :])
        try:
            qd.cache.import_(packed)
        except ValueError as error:
            assert str(error).startswith(str(packed) + ": ")
            refused += 1
        assert not added()  # the intact archive holds no valid cache entry here, so it is not kept
        packed.write_bytes(whole[:at])
        with pytest.raises(ValueError, match="packed.zip: "):
            qd.cache.import_(packed)
    assert refused > len(whole) // 2

    middle = whole.index(b"records/1") + 3
    packed.write_bytes(whole[:middle] + b"?" + whole[middle + 1 :])
    with pytest.raises(ValueError, match="packed.zip: the archive is damaged, and nothing of it was added"):
        qd.cache.import_(packed)
    command = [sys.executable, "-m", "quadrants", "cache", "-p", str(tmp_path / "other"), "import", str(packed)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1 and "the archive is damaged" in done.stderr and "Traceback" not in done.stderr
    assert not list((tmp_path / "other").rglob("*.qdr"))


def test_from_a_shell(programs):
    programs.run(FOUR + CALLS)
    def call(*words):
        command = [sys.executable, "-m", "quadrants.cache", "-p", str(programs.path), *words]
        return subprocess.run(command, capture_output=True, text=True, timeout=120, env={**os.environ, "ENABLE_QUADRANTS_HEADER_PRINT": "0"})

    if programs.arch != "cpu":
        pytest.skip("a shell names no arch")
    assert "compiled code: 4 kernels in" in call("info").stdout
    assert "compiled code: 0 kernels in" in call("info", "-p", str(programs.path / "other")).stdout, "before the command or behind it"
    assert call("verify").returncode == 0
    programs.files("qdc")[0].write_bytes(b"x")
    assert call("verify").returncode == 1 and call("verify", "--remove").returncode == 0 and call("verify").returncode == 0
    assert call("export", str(programs.folder / "p.zip")).stdout == "7 files packed\n"
    assert call("clear").stdout == "8 files removed\n"
    assert call("import", str(programs.folder / "p.zip")).stdout == "7 files are new\n"
    assert call("unlock").stdout == "there was no lock\n"


def test_untrusted_folders_are_reported(programs):
    """Reported by verify, info and the command; no program uses the files in such a folder."""
    programs.run(FOUR + CALLS)
    look = "init(); found = qd.cache.verify(); print(found.checked, *found.problems.values(), sep='|'); print(qd.cache.info())"
    for folder, files in ((programs.path, 0), (programs.path / "records", 4)):
        folder.chmod(0o777)
        told = programs.run(look).splitlines()
        assert told[0] == f"{files}|other users can write to it (remedy: chmod go-w)"
        assert told[-1] == f"  nothing in {folder} is used: other users can write to it (remedy: chmod go-w)"
        folder.chmod(0o700)
    elsewhere = programs.folder / "elsewhere"
    (programs.path / "records").rename(elsewhere)
    (programs.path / "records").symlink_to(elsewhere)
    assert programs.run(look).splitlines()[0] == "4|it is a link"
    if os.getuid() == 0:
        os.chown(programs.path, 65534, 65534)
        assert programs.run(look).splitlines()[0].startswith("0|it belongs to another user (uid 65534)")


def test_another_user_may_verify_but_not_change_a_cache(programs):
    """The other user can import an archive into a cache of their own."""
    if programs.arch != "cpu" or os.getuid() != 0:
        pytest.skip("only the superuser can act as another user")
    programs.run(FOUR + CALLS)
    for place in [programs.folder, *programs.folder.parents]:
        if place.owner() == "root" and place != place.parent and str(place) != "/tmp":
            place.chmod(0o755)
    for place in [programs.path.parent, programs.path, *programs.path.rglob("*")]:
        place.chmod(0o755 if place.is_dir() else 0o644)

    def call(*words, path=programs.path):
        command = [sys.executable, "-m", "quadrants.cache", "-p", str(path), *words]
        environment = {**os.environ, "ENABLE_QUADRANTS_HEADER_PRINT": "0", "HOME": str(theirs)}
        return subprocess.run(command, capture_output=True, text=True, timeout=120, user=65534, group=65534, extra_groups=[], env=environment, cwd="/")

    theirs = programs.folder / "theirs"
    theirs.mkdir(mode=0o700)
    os.chown(theirs, 65534, 65534)
    assert "all intact and trusted" in call("verify").stdout
    for words in (["clear"], ["export", str(programs.folder / "p.zip")], ["import", str(programs.folder / "none.zip")]):
        done = call(*words)
        assert done.returncode == 1 and "Traceback" not in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr
    assert programs.count() == 5
    assert call("export", str(theirs / "p.zip")).stdout == "8 files packed\n"
    assert call("import", str(theirs / "p.zip"), path=theirs / "cache").stdout == "8 files are new\n"
    assert "8 files, all intact and trusted" in call("verify", path=theirs / "cache").stdout


def test_helpers_count_as_kernels():
    x, v = qd.field(qd.f32, 4), qd.Vector.field(2, qd.f32, 4)
    before = impl.get_runtime().get_num_compiled_functions()
    x.fill(1), x.fill(2), x.to_numpy(), x[0], v[1]
    assert impl.get_runtime().get_num_compiled_functions() == before + 2
