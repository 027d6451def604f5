"""The names in quadrants.lang._kernel_coverage that programs use."""

import ast
import warnings

import numpy as np
import pytest
import quadrants as qd
import sample_project


@pytest.fixture
def probes(monkeypatch, tmp_path):
    monkeypatch.setenv("QD_KERNEL_COVERAGE", "1")
    monkeypatch.setenv("_QD_KCOV_ARC", "1")
    qd.init(arch="interp", offline_cache=False)
    from quadrants.lang import _kernel_coverage

    monkeypatch.setattr(_kernel_coverage, "_folder", str(tmp_path))
    yield _kernel_coverage
    qd.reset()


def kernel():
    @qd.kernel
    def double(x: qd.types.ndarray(qd.i32, ndim=1)):
        for i in x:
            if x[i] > 10:
                x[i] = 0
            x[i] *= 2

    return double


def test_probes(probes):
    before = probes._probe_counter
    double = kernel()
    double(np.ones(3, np.int32))
    first = double.fn.__code__.co_firstlineno
    ours = {line - first: probe for probe, (file, line) in probes._probe_map.items() if file == __file__}
    here = {line: probe for line, probe in ours.items() if 0 <= line < 7}
    assert sorted(here) == [2, 3, 4, 5]
    assert probes._probe_counter > 0 and probes._probe_counter >= before
    probes.ensure_field_allocated()
    ran = probes.get_field().to_numpy()
    assert len(ran) == probes._MAX_PROBES
    assert [int(ran[here[k]]) for k in (2, 3, 4, 5)] == [1, 1, 0, 1]
    probes._harvest_field()
    assert {line - first for line in probes._accumulated_lines[__file__]} & {2, 3, 4, 5} == {2, 3, 5}


def test_no_program_no_field(probes):
    probes.ensure_field_allocated()
    assert probes.get_field() is not None
    qd.reset()
    assert probes.get_field() is None


def test_flush(probes, tmp_path):
    import os

    import coverage

    kernel()(np.ones(3, np.int32))
    probes.flush()
    probes.flush()
    data = coverage.CoverageData(basename=str(tmp_path / f"_qd_kcov.{os.getpid()}"))
    data.read()
    assert set(data.lines(__file__)) <= set(range(1, 100)) and data.lines(__file__)


def test_capacity(probes, monkeypatch):
    monkeypatch.setattr(probes, "_MAX_PROBES", probes._probe_counter + 1)
    monkeypatch.setattr(probes, "_capacity_warning_emitted", False)
    space = {}
    text = sample_project.KERNELS
    exec(text, space)
    with pytest.warns(UserWarning, match="capacity .* exceeded.*QD_COVERAGE_MAX_PROBES"):
        assert space["go"]([1, 20], 10) == [1, 10]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        double = kernel()
        x = np.array([3, 12], np.int32)
        double(x)
        assert x.tolist() == [6, 0]


TEXT = '''
def f(x):
    """What it is for."""
    a = 1; b = 2
    if x:
        a = 2
    elif b:
        pass
    else:
        a = 3
    for i in range(3): a += i
    while a > 3:
        a -= 1
    return a
'''


def test_rewriter(probes):
    rewriter = probes._CoverageASTRewriter("field", "file.py", 10, 5)
    tree = ast.fix_missing_locations(rewriter.visit(ast.parse(TEXT)))
    assert list(rewriter.probe_map) == list(range(5, rewriter.next_probe_id))
    lines = [line for _, line in rewriter.probe_map.values()]
    assert sorted(lines) == [13, 14, 15, 16, 17, 19, 20, 21, 22, 23]
    assert {file for file, _ in rewriter.probe_map.values()} == {"file.py"}
    space = {"field": {}}
    exec(compile(tree, "file.py", "exec"), space)
    assert space["f"](0) == 3
    ran = {rewriter.probe_map[probe][1] for probe in space["field"]}
    assert ran == set(lines) - {15, 19}
