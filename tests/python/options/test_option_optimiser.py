"""The effect of each option of the optimiser: each test fails if the option has no effect."""

import itertools
import re

import numpy as np
import pytest
from option_programs import begin
import quadrants as qd


def shown(kernel, form="ir"):
    return kernel._show(form)


def sums(arch, **options):
    """Returns the IR of a kernel that adds all iterations into one element."""
    begin(arch, **options)
    total = qd.field(qd.i32, ())

    @qd.kernel
    def k(n: qd.i32):
        for i in range(n):
            total[None] += i

    k(1000)
    assert total[None] == 499500
    return shown(k)


def test_make_thread_local(arch):
    """There is one atomic addition after the loop of a chunk, or one in each iteration."""

    def depth(ir):
        line = next(line for line in ir.splitlines() if "atomic_add" in line)
        return len(line) - len(line.lstrip())

    assert depth(sums(arch)) < depth(sums(arch, make_thread_local=False))


def loads_and_stores(arch, **options):
    begin(arch, **options)
    x = qd.field(qd.f32, 8)

    @qd.kernel
    def k(n: qd.i32):
        qd.loop_config(serialize=True)
        for i in range(2):
            x[i] = 1.0
            x[i] = x[i] + 2.0
            x[i] = x[i] * 3.0

    k(4)
    assert x[0] == x[1] == 9
    ir = shown(k)
    return len(re.findall(r"= load ", ir)), len(re.findall(r"\bstore ", ir))


def test_cfg_optimization(arch):
    loads, stores = loads_and_stores(arch)
    assert loads == 0 and stores == 1
    loads, stores = loads_and_stores(arch, cfg_optimization=False)
    assert loads == 2 and stores == 3


def test_advanced_optimization(arch):
    def ir(**options):
        begin(arch, **options)

        @qd.kernel
        def k(n: qd.i32) -> qd.i32:
            return n * 1 + (3 + 4) * 0 + n - n

        assert k(5) == 5
        return shown(k)

    assert "mul" not in ir() and "sub" not in ir()
    plain = ir(advanced_optimization=False)
    assert "mul" in plain and "sub" in plain


def test_cache_loop_invariant_global_vars(arch):
    def inside(**options):
        """Counts the memory accesses of the inner loop."""
        begin(arch, **options)
        x = qd.field(qd.f32, ())
        y = qd.field(qd.f32, ())

        @qd.kernel
        def k(n: qd.i32):
            for _ in range(1):
                for i in range(n):
                    x[None] = x[None] * 0.5 + y[None]

        y[None] = 1
        k(3)
        assert x[None] == 1.75
        before, inner = shown(k).rsplit(" for ", 1)
        indent = re.search(r" *", before.rsplit("\n", 1)[1])[0]
        body = itertools.takewhile(lambda line: line.startswith(indent + " "), inner.split("\n")[1:])
        return len(re.findall(r"= load |\bstore ", "\n".join(body)))

    assert inside() == 0 and inside(cache_loop_invariant_global_vars=False) == 3


def test_flatten_if(arch):
    def ir(**options):
        begin(arch, **options)

        @qd.kernel
        def k(x: qd.f32) -> qd.f32:
            y = x
            if x > 1.0:
                y = qd.sin(x) + qd.cos(x) + qd.exp(x) + qd.log(x)
            else:
                y = qd.tan(x) + qd.tanh(x)
            return y

        assert k(0.5) == pytest.approx(np.tan(0.5) + np.tanh(0.5), rel=1e-5)
        assert k(2.0) == pytest.approx(np.sin(2) + np.cos(2) + np.exp(2) + np.log(2), rel=1e-5)
        return shown(k)

    assert re.search(r"\bif %", ir())
    flat = ir(flatten_if=True)
    assert not re.search(r"\bif %", flat) and "select" in flat


OPTIMISER = ["opt_level", "cfg_optimization", "advanced_optimization", "cache_loop_invariant_global_vars", "make_thread_local"]


def passes_of(arch, capfd, **options):
    """Returns the passes that a kernel went through, and its results."""
    begin(arch, print_ir=True, **options)
    x = qd.field(qd.f32, 100)
    total = qd.field(qd.f32, ())

    @qd.kernel
    def k(n: qd.i32):
        for i in x:
            s = 0.0
            for j in range(n):
                s += x[i] * 0.5
            x[i] = s + qd.sqrt(float(i))
            total[None] += x[i]

    capfd.readouterr()
    x.fill(1.0)
    k(4)
    qd.sync()
    text = capfd.readouterr().out
    return set(re.findall(r"^; passes_of\S* after (\w+)", text, re.M)), total[None], x.to_numpy()


def test_opt_level(arch, capfd):
    """With 0 all passes that only improve speed are skipped."""
    all_passes, total, x = passes_of(arch, capfd)
    few, plain_total, plain_x = passes_of(arch, capfd, opt_level=0)
    speed = {"constant_tables", "cse", "licm", "forward_stores", "thread_local_reductions", "private_reductions", "loop_registers", "share_cells", "vectorize"}
    assert all_passes - few == speed & all_passes and speed <= all_passes
    assert plain_total == pytest.approx(total, rel=1e-5)
    np.testing.assert_allclose(plain_x, x, rtol=1e-6)


def test_code_of_opt_level_0():
    """LLVM does not optimise either: its code has everything on the stack, or does not call optimised functions."""

    def instructions(**options):
        begin(qd.cpu, compile_tiers=False, **options)

        @qd.kernel
        def k(x: qd.types.ndarray(qd.f32, ndim=1)):
            for i in x:
                x[i] = x[i] * 2.0 + x[i] * 2.0 + x[i]

        x = qd.ndarray(qd.f32, 5)
        x.fill(1)
        k(x)
        assert x.to_numpy().tolist() == [5] * 5
        return k._show("asm")

    assert instructions(opt_level=0) != instructions()


def test_gradients_do_not_depend_on_how_kernels_are_optimised(arch):
    def gradient(**options):
        begin(arch, ad_stack_experimental_enabled=True, fast_math=False, **options)
        x = qd.field(qd.f32, 5, needs_grad=True)
        loss = qd.field(qd.f32, (), needs_grad=True)

        @qd.kernel
        def f():
            for i in x:
                v = x[i]
                for _ in range(3):
                    v = v * v * 1.0 + x[i] ** 2
                if v > 1.0:
                    v *= 0.5
                loss[None] += v

        for i in range(5):
            x[i] = 0.1 * (i + 1)
        with qd.ad.Tape(loss):
            f()
        return x.grad.to_numpy()

    usual = gradient()
    assert (usual != 0).all()
    for option in OPTIMISER:
        np.testing.assert_allclose(gradient(**{option: 0}), usual, rtol=1e-5)
    np.testing.assert_allclose(gradient(flatten_if=True), usual, rtol=1e-5)


def test_options_of_the_optimiser_live_in_cfg(arch):
    """The next kernel follows qd.cfg."""
    begin(arch)

    def header():
        @qd.kernel
        def k(n: qd.i32) -> qd.i32:
            return n + 1

        assert k(1) == 2
        return shown(k).splitlines()[0]

    words = {"opt_level": "plain", "cfg_optimization": "as_stored", "advanced_optimization": "no_algebra",
             "cache_loop_invariant_global_vars": "reload", "make_thread_local": "shared_reductions"}  # fmt: skip
    assert not set(words.values()) & set(header().split())
    for option, word in words.items():
        setattr(qd.cfg, option, 0)
        assert word in header().split()
        setattr(qd.cfg, option, 1)
    qd.cfg.flatten_if = True
    assert "flat" in header().split()
