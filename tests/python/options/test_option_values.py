"""Invalid values of options are refused with a message that names the option, as a keyword, as a variable and in qd.cfg; valid values are
stored unchanged, and kernels run with them."""

import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest
from option_programs import begin, small
import quadrants as qd
from quadrants import _environment, _native, _option_values, _options

ROWS = list(_environment.ROWS.values())
KEYWORDS = [row[0] for row in ROWS if row[3] != "environment"]
VARIABLES = [row[0] for row in ROWS if row[3] != "keyword"]
REFUSALS = (TypeError, ValueError, AssertionError)
HUGE = 10**5000

# Odd values for each type of option: of the wrong type, negative, zero, huge, not a number, empty. None means that it was not given.
ODD = {
    "Flag": [2, -1, "yes", "", 0.5, float("nan"), HUGE, [], object(), qd.i32],
    "Int": [-1, HUGE, 2**63, 1.5, float("nan"), float("inf"), "1", "", [], np.array([1, 2]), object()],
    "Word": [-1, HUGE, 2**64, 1.5, float("nan"), "1", "", {}, object()],
    "Real": [-1.0, float("nan"), float("inf"), HUGE, "1", "", [], None.__class__, object()],
    "Text": [3, 1.5, True, ["a"], object(), "a\0b", "\ud800", qd.i32],
    "Type": [3, "f64", "", float, int, bool, qd.u8, float("nan"), [], object()],
}
GOOD = {
    "Flag": [(True, True), (0, False), (1, True), (np.bool_(True), True)],
    "Int": [(np.int16(1), 1), (True, 1)],
    "Word": [(0, 0), (2**64 - 1, 2**64 - 1), (np.uint64(7), 7)],
    "Real": [(0, 0.0), (1, 1.0), (np.float32(0.5), 0.5)],
    "Text": [],
    "Type": [],
}


def read(name):
    config = qd._settings.current()
    return getattr(config if name in _options.OPTIONS else qd._settings.special, name)


@pytest.fixture
def running():
    """A program that continues after every refusal."""
    k, x = small(qd.cpu)

    def check():
        before = x[0]
        k(1)
        assert x[0] == before + 3

    yield check
    qd.reset()


@pytest.mark.parametrize("name", KEYWORDS)
def test_odd_keywords(name, running):
    kind, config = _environment.ROWS[name][1], qd.cfg
    for value in ODD[kind]:
        with pytest.raises(REFUSALS, match=f"{name} must be ") as told:
            begin(qd.cpu, **{name: value})
        assert len(str(told.value)) < 250 and qd.cfg is config
        if name in _options.OPTIONS and not isinstance(value, type(qd.i32)):
            before = getattr(config, name)
            with pytest.raises(REFUSALS, match=f"{name} must be "):
                setattr(config, name, value)
            assert getattr(config, name) == before
    running()
    begin(qd.cpu, **{name: None})
    default = {**_options.OPTIONS, **_options.SPECIAL}[name]
    assert name in ("cpu_max_num_threads", "offline_cache_file_path", "offline_cache", "print_full_traceback", "log_level") or read(name) == default


@pytest.mark.parametrize("name", [n for n in KEYWORDS if _environment.ROWS[n][1] not in ("Text", "Type")])
def test_extreme_values_that_are_taken(name):
    """Extreme values are stored unchanged, and kernels run with them."""
    kind = _environment.ROWS[name][1]
    good = list(GOOD[kind])
    if kind in ("Int", "Real"):
        least, greatest = _option_values.limits(name)
        ends = (float(v) if kind == "Real" else v for v in (least, greatest))
        good = [*((v, v) for v in ends), *((v, kept) for v, kept in good if least <= kept <= greatest)]
    if name == "external_metal_command_queue":
        good = [(0, 0)]
    for value, kept in good:
        if name == "cpu_max_num_threads" and kept > 64:
            value = kept = 64
        k, x = small(qd.cpu, **{name: value})
        if not (name == "cpu_max_num_threads" and kept == 0):
            assert read(name) == kept and type(read(name)) is type(kept)
        k(1)
        assert x[0] == 3
    qd.reset()


@pytest.mark.parametrize("name", VARIABLES)
def test_odd_variables(name, running, monkeypatch):
    kind, variable = _environment.ROWS[name][1], _environment.variable(name)
    odd = {
        "Flag": ["2", "-1", "maybe", "nan", "1" * 5000],
        "Int": ["-1", "1" * 5000, "1.5", "nan", "one", "0x", str(2**63)],
        "Word": ["-1", "1" * 5000, "1.5", "nan", str(2**64)],
        "Real": ["-1", "nan", "inf", "one", "1e999"],
        "Type": ["f64", "16", "float", "-32", "nan"],
        "Text": {"log_level": ["loud", "INFO "], "arch": ["cup", "-1", "f32"]}.get(name, []),
    }[kind]
    for text in odd:
        monkeypatch.setenv(variable, text)
        with pytest.raises(ValueError, match=variable):
            qd.init(**({} if name == "offline_cache" else {"offline_cache": False}))
        monkeypatch.delenv(variable)
        running()


def test_the_arch(monkeypatch, running):
    for value in ([], True, 99, 0, 3, [0], 3.5, "cup", "", None.__class__, [None], ["cpu", "cup"]):
        with pytest.raises(ValueError, match="arch"):
            begin(value)
        running()
    with pytest.warns(UserWarning, match="Arch.cuda.*falling back to CPU"):
        begin("gpu")
    monkeypatch.setenv("QD_ARCH", "gpu")
    with pytest.warns(UserWarning, match="Arch.cuda.*falling back to CPU"):
        begin(qd.cpu)
    assert qd.cfg.arch == qd.cpu
    with pytest.raises(RuntimeError, match="not supported"):
        begin(qd.cpu, enable_fallback=False)
    monkeypatch.setenv("QD_ARCH", "INTERP")
    begin(qd.cpu)
    assert qd.cfg.arch.name == "interp"


def test_the_other_keywords(running):
    for value in ("x", "1.2", "1.2.x", "-1.0.0", "", 1, (0, 1, 0), "1.2.3.4"):
        with pytest.raises(Exception, match="require_version=.* must look like 1.2.3"):
            begin(qd.cpu, require_version=value)
    for name in ("enable_fallback", "_test_mode"):
        for value in ("no", 2, None.__class__):
            with pytest.raises(REFUSALS, match=f"{name} must be "):
                begin(qd.cpu, **{name: value})
    running()


def test_misspelt_keywords(running):
    for wrong, right in (("fastmath", "fast_math"), ("debgu", "debug"), ("cpu_num_threads", "cpu_max_num_threads"), ("requires_version", "require_version")):
        with pytest.raises(KeyError, match=f"for qd.init: {wrong}; did you mean {right}\\?"):
            begin(qd.cpu, **{wrong: 1})
    with pytest.raises(KeyError) as told:
        begin(qd.cpu, nothing_like_it=1, debgu=2)
    assert told.value.args[0] == "Unrecognized keyword argument(s) for qd.init: nothing_like_it, debgu; did you mean debug for debgu?"
    running()


def test_types_of_python_are_no_default_types():
    """`float` and `int` mean the default type, whatever it is."""
    with pytest.raises(AssertionError, match="default_fp must be one of qd.f16, qd.f32, qd.f64, not <class 'float'>: float is whatever the default is"):
        begin(qd.cpu, default_fp=float)
    begin(qd.cpu, default_fp=np.float64, default_ip=np.dtype("int64"))
    assert qd.cfg.default_fp is qd.f64 and qd.cfg.default_ip is qd.i64


def start(folder, text="import quadrants as qd; qd.init(); qd.init(); print(qd.cache.path())", **variables):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("QD_")}
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, cwd=folder, env={**environment, **variables})
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def test_misspelt_variables_are_reported_once(tmp_path):
    told = start(tmp_path, QD_CPU_MAX_THREADS="1", QD_OPTLEVEL="0")[1]
    assert sorted(told.splitlines()) == [
        "[Quadrants] [warn] Environment variable QD_CPU_MAX_THREADS is not used by Quadrants; did you mean QD_CPU_MAX_NUM_THREADS?",
        "[Quadrants] [warn] Environment variable QD_OPTLEVEL is not used by Quadrants; did you mean QD_OPT_LEVEL?",
    ]
    assert start(tmp_path, QD_CPU_MAX_THREADS="1", QD_LOG_LEVEL="error")[1] == ""
    assert "QD_SRC_LL_CACHE has no effect: src_ll_cache is only a keyword of qd.init" in start(tmp_path, QD_SRC_LL_CACHE="0")[1]


def test_variables_of_the_page_are_never_reported(tmp_path):
    rows = {_environment.variable(n): "" for n in VARIABLES}
    others = {name: "0" for name in (*_environment.UNREAD, "QD_TEST_ARCHS", "QD_BLESS", "QD_SCREENSHOTS", "QD_MY_OWN")}
    rows["ENABLE_QUADRANTS_HEADER_PRINT"] = "0"
    assert start(tmp_path, **rows, **others)[1] == ""
    page = (pathlib.Path(__file__).resolve().parents[3] / "docs" / "reference" / "options.md").read_text()
    assert all(f"`{name}`" in page for name in _environment.variables())


def test_home_folders_in_paths(tmp_path):
    home = {"HOME": str(tmp_path), "XDG_CACHE_HOME": ""}
    assert start(tmp_path, QD_OFFLINE_CACHE_FILE_PATH="~/here", **home)[0].splitlines()[-1] == f"{tmp_path}/here"
    text = "import quadrants as qd; qd.init(offline_cache_file_path='~/there', debug_dump_path='~'); print(qd.cache.path(), qd.cfg.debug_dump_path)"
    assert start(tmp_path, text, **home)[0].splitlines()[-1] == f"{tmp_path}/there {tmp_path}"
    for name in ("offline_cache_file_path", "debug_dump_path"):
        with pytest.raises(ValueError, match="there is no home folder ~nobody_of_that_name"):
            begin(qd.cpu, **{name: "~nobody_of_that_name/x"})


def test_a_relative_path_stays_where_it_was(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    k, _ = small(qd.cpu, offline_cache=True, offline_cache_file_path=pathlib.Path("kept"))
    os.chdir("elsewhere")
    k(1)
    qd.reset()
    assert list((tmp_path / "kept" / "kernel_compilation_manager").glob("*.qdc")) and not os.listdir()


def test_names_of_cfg(running):
    for look in (lambda: qd.cfg.optlevel, lambda: setattr(qd.cfg, "optlevel", 1)):
        with pytest.raises(AttributeError, match="no attribute 'optlevel'; did you mean 'opt_level'"):
            look()
    with pytest.raises(AttributeError, match="no attribute 'nothing_like_it'$"):
        qd.cfg.nothing_like_it
    with pytest.raises(AttributeError, match="arch cannot be changed while a program runs"):
        qd.cfg.arch = qd.cuda
    with pytest.raises(AttributeError, match="^the option debug cannot be deleted: assign another value to it$"):
        del qd.cfg.debug
    with pytest.raises(AttributeError, match="no attribute 'debog'; did you mean 'debug'"):
        del qd.cfg.debog
    assert qd.cfg.debug is False
    assert not hasattr(qd.cfg, "_repr_html_")
    qd.cfg.flatten_if = True
    assert "flatten_if=True" in repr(qd.cfg) and "opt_level" not in repr(qd.cfg) and f"arch={qd.cfg.arch}" in repr(qd.cfg)
    running()


def test_the_core_has_the_same_values(running):
    qd.cfg.random_seed = np.uint64(2**64 - 1)
    qd._runtime.pass_options()
    assert _native.core().options()["random_seed"] == 2**64 - 1


def test_an_unknown_pass(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("import quadrants as qd\nqd.init(arch=qd.cpu)\n")
    said = [subprocess.run([sys.executable, program], env={**os.environ, "QD_DUMP": names}, capture_output=True, text=True, check=True).stderr
            for names in ("nonsense", "all,fuse", "fold,dce", "all")]
    assert "QD_DUMP: there is no pass `nonsense`; it takes `all` or a list of promote, fold, " in said[0] and "no pass `fuse`" in said[1]
    assert "QD_DUMP" not in said[2] + said[3]
