"""qd.perf_dispatch: several implementations, timed and chosen from."""

import pytest
import quadrants as qd
from quadrants import _perf_dispatch

Ints = qd.types.NDArray[qd.i32, 1]


def make(**keywords):
    calls = []

    @qd.perf_dispatch(get_geometry_hash=lambda a, n: a.shape, **keywords)
    def add(a: Ints, n: qd.i32): ...

    @add.register
    @qd.kernel
    def one(a: Ints, n: qd.i32):
        for i in a:
            a[i] += n

    @add.register(is_compatible=lambda a, n: n < 5)
    def two(a, n):
        calls.append(n)
        one(a, n)

    return add, calls


def test_every_implementation_is_tried_and_one_is_chosen():
    add, calls = make()
    a = qd.ndarray(qd.i32, 10)
    for _ in range(12):
        add(a, 2)
    assert a.to_numpy().tolist() == [24] * 10
    trials = add._trial_count_by_dispatch_impl_by_geometry_hash[(10,)]
    assert list(trials.values()) == [2, 2]
    assert add._fastest_dispatch_impl_by_geometry_hash[(10,)] in trials
    b = qd.ndarray(qd.i32, 3)
    add(b, n=2)
    assert len(add._trial_count_by_dispatch_impl_by_geometry_hash) == 2


def test_incompatible_implementations_are_skipped():
    add, calls = make()
    a = qd.ndarray(qd.i32, 10)
    for _ in range(5):
        add(a, 7)
    assert not calls and a[0] == 35


def test_the_choice_is_made_again():
    add, calls = make(first_warmup=0, repeat_after_count=3)
    a = qd.ndarray(qd.i32, 10)
    assert add._first_eval_completed == set()
    for _ in range(2):
        add(a, 1)
    assert (10,) in add._fastest_dispatch_impl_by_geometry_hash and add._first_eval_completed == {(10,)}
    for _ in range(2):
        add(a, 1)
        assert (10,) in add._fastest_dispatch_impl_by_geometry_hash
    add(a, 1)  # the third call after the choice
    assert (10,) not in add._fastest_dispatch_impl_by_geometry_hash
    assert list(add._trial_count_by_dispatch_impl_by_geometry_hash[(10,)].values()) == [1]
    add(a, 1)
    assert (10,) in add._fastest_dispatch_impl_by_geometry_hash and a[0] == 6


@pytest.mark.parametrize("count, seconds, kept", [
    (None, None, (300, None)), (3, None, (3, None)), (None, 2.5, (None, 2.5)), (0, None, (0, None)), (0, 0, (0, 0)),
])  # fmt: skip
def test_when_the_choice_is_made_again(count, seconds, kept):
    add, _ = make(first_warmup=0, repeat_after_count=count, repeat_after_seconds=seconds)
    assert (add.repeat_after_count, add.repeat_after_seconds) == kept


def test_the_choice_is_never_made_again():
    add, _ = make(first_warmup=0, repeat_after_count=0)
    a = qd.ndarray(qd.i32, 10)
    for _ in range(400):
        add(a, 1)
    assert (10,) in add._fastest_dispatch_impl_by_geometry_hash


def test_every_call_evaluates():
    add, _ = make(first_warmup=0, repeat_after_count=1)
    a = qd.ndarray(qd.i32, 10)
    for _ in range(2):
        add(a, 1)
    add(a, 1)
    assert (10,) not in add._fastest_dispatch_impl_by_geometry_hash


def test_no_implementation_suits():
    @qd.perf_dispatch(get_geometry_hash=lambda a: 0)
    def nothing(a: qd.i32): ...

    with pytest.raises(qd.QuadrantsRuntimeError, match="No suitable functions were found"):
        nothing(1)


def test_wrong_signature_and_order():
    add, _ = make()
    with pytest.raises(qd.QuadrantsSyntaxError, match="PERFDISPATCH_ANNOTATION_SEQUENCE_MISMATCH"):

        @add.register
        @qd.kernel
        def other(b: Ints, n: qd.i32): ...

    with pytest.raises(qd.QuadrantsSyntaxError, match="KERNEL_ANNOTATION_ORDER"):

        @qd.kernel
        @add.register
        def reversed_order(a: Ints, n: qd.i32): ...


def test_forced(monkeypatch, capfd):
    assert _perf_dispatch._parse_force_map("a:b, c:d") == {"a": "b", "c": "d"}
    assert _perf_dispatch.DEFAULT_REPEAT_AFTER_COUNT == 300 and _perf_dispatch.NUM_FIRST_WARMUP == 1
    for bad in ("a", "a:", "a:b:c"):
        with pytest.raises(ValueError, match="Malformed"):
            _perf_dispatch._parse_force_map(bad)
    monkeypatch.setitem(_perf_dispatch._FORCE_MAP, "add", "two")
    add, calls = make()
    a = qd.ndarray(qd.i32, 2)
    for _ in range(3):
        add(a, 1)
    assert calls == [1, 1, 1]
    monkeypatch.setitem(_perf_dispatch._FORCE_MAP, "add", "three")
    capfd.readouterr()
    for _ in range(4):
        add(a, 1)
    said = capfd.readouterr().out
    assert said.count("'three'") == 1 and "['one', 'two']" in said and "Falling back to normal benchmarking" in said
    assert a[0] == 7 and list(add._trial_count_by_dispatch_impl_by_geometry_hash[(2,)].values()) == [2, 2]
