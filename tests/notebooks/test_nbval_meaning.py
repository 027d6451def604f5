"""The comparison of outputs, without running notebooks."""

import pytest

from quadrants_jupyter import nbval_meaning as meaning


def cell(label, digest, **counts):
    lines = [{"number": int(n[1:]), "count": c, "newest": 0, "previous": None, "outcomes": {}} for n, c in counts.items()]
    return {"cell_id": None, "label": label, "digest": digest, "lines": lines, "specialisations": []}


def message(*cells):
    return {"version": 1, "running": False, "cells": list(cells)}


def test_cells_are_matched_by_their_text():
    stored = message(cell("cell 1", "aa", n2=5), cell("cell 2", "bb", n2=0))
    assert meaning.differences(meaning.COVERAGE, stored, message(cell("cell 7", "bb", n2=0), cell("cell 6", "aa", n2=1))) == []
    swapped = message(cell("cell 7", "bb", n2=1), cell("cell 6", "aa", n2=0))
    assert meaning.differences(meaning.COVERAGE, stored, swapped) == [
        "Cell In[1], line 2 ran in the notebook, never ran now",
        "Cell In[2], line 2 never ran in the notebook, ran now",
    ]


def test_cells_and_lines_that_are_missing():
    stored, new = message(cell("cell 1", "aa", n2=5)), message(cell("cell 3", "cc", n2=5))
    assert meaning.differences(meaning.COVERAGE, stored, new) == [
        "Cell In[1] has coverage in the notebook, none now",
        "Cell In[3] has coverage now, none in the notebook",
    ]
    more = message(cell("cell 1", "aa", n2=5, n3=0))
    assert meaning.differences(meaning.COVERAGE, stored, more) == ["Cell In[1], line 3 is counted now, not in the notebook"]
    assert meaning.differences(meaning.COVERAGE, more, stored) == ["Cell In[1], line 3 is counted in the notebook, not now"]


def tasks(*states):
    rows = [{"name": f"t{i}", "line": i, "source": "for", "origin": state} for i, state in enumerate(states)]
    return {"version": 1, "kernels": [{"name": "step", "tasks": rows}]}


def test_tasks():
    same = lambda a, b: meaning.differences(meaning.COMPILED, a, b) == []
    assert same(tasks("compiled", "memory"), tasks("disk", "memory"))
    assert not same(tasks("compiled", "memory"), tasks("compiled", "compiled"))
    assert not same(tasks("compiled"), tasks("compiled", "compiled"))
    assert not same(tasks("compiled"), {"version": 1, "kernels": []})
    assert not same({"version": 1, "kernels": []}, tasks("compiled"))


def adstack(trips=10, choice="keep", seconds=1.0, total=80, **measured):
    loop = {"line": 3, "text": "for _ in range(n):", "trips": trips, "choice": choice, "variables": [{"name": "v", "type": "f64", "line": 4}]}
    measurement = {"part": 2, "choice": "every 4-th", "measured": 56, "seconds": seconds}
    kernel = {"name": "f", "budget": 0, "tasks": [{"total": total, "loops": [loop]}], "measurements": [measurement]}
    return {"version": 1, "said": "", "kernels": [{**kernel, **measured}]}


def test_adstack():
    found = lambda new: meaning.differences(meaning.ADSTACK, adstack(), new)
    assert found(adstack(seconds=2.0, total=160)) == []
    assert found(adstack(budget=8)) == ["the budget of f is 0 in the notebook, 8 now"]
    for new in (adstack(trips=11), adstack(choice="every 4-th")):
        (difference,) = found(new)
        assert difference.startswith("loops of f: line 3")
    assert found(adstack(measurements=[])) == ["measurements of f: 1/2 every 4-th, 56 bytes in the notebook, none now"]
    assert found({"version": 1, "kernels": []}) == ["f keeps something in the notebook, not now"]


def array(*numbers, dtype="f64", shape=None):
    return {"version": 1, "dtype": dtype, "shape": shape or [len(numbers)], "values": list(numbers)}


@pytest.mark.parametrize(
    "stored, new, same",
    [
        (array(1.0), array(1.0 + 1e-10), True),
        (array(1.0), array(1.0 + 1e-8), False),
        (array(1.0, dtype="f32"), array(1.00001, dtype="f32"), True),
        (array(1.0, dtype="f16"), array(1.005, dtype="f16"), True),
        (array(1.0, dtype="f16"), array(1.02, dtype="f16"), False),
        (array(1000000, dtype="i32"), array(1000001, dtype="i32"), False),
        (array("nan", "inf"), array("nan", "inf"), True),
        (array("nan"), array(0.0), False),
        (array("inf"), array("-inf"), False),
        (array("inf"), array(1e300), False),
        (array(1.0, 2.0), array(1.0, 2.0, shape=[2, 1]), False),
        ({"members": {"x": array(1.0)}}, {"members": {"x": array(1.0)}}, True),
        ({"members": {"x": array(1.0)}}, {"members": {"x": array(2.0)}}, False),
        ({"members": {"x": array(1.0)}}, {"members": {"y": array(1.0)}}, False),
        (array(1.0), {"nothing": 1}, False),
    ],
)
def test_values(stored, new, same):
    assert (meaning.differences(meaning.VALUES, stored, new) == []) is same


def test_differing_values_are_reported_with_their_place():
    new = array(1.0, 2.0, 3.0, 7.0, shape=[2, 2])
    assert meaning.differences(meaning.VALUES, array(1.0, 2.0, 3.0, 4.0, shape=[2, 2]), new) == [
        "[1, 1] is 4.0 in the notebook, 7.0 now (rtol 1e-09, atol 1e-12)"
    ]
    many = meaning.differences(meaning.VALUES, array(*[0.0] * 9), array(*[1.0] * 9))
    assert len(many) == 4 and many[-1] == "9 of 9 elements differ"


def large(mean, not_finite=0):
    summary = {"not_finite": not_finite, "min": -1.0, "max": 1.0, "mean": mean, "std": 0.5}
    return {"version": 1, "dtype": "f32", "shape": [100000], "summary": summary, "sample": [0.0] * 64}


def test_summaries():
    same = lambda a, b: meaning.differences(meaning.VALUES, a, b) == []
    assert same(large(1e-9), large(2e-9))  # small relative to the values
    assert not same(large(0.1), large(0.2))
    assert not same(large(0.1), large(0.1, not_finite=1))


@pytest.mark.parametrize(
    "stored, new, same",
    [
        ("array([1. , 2.5])", "array([1.00001, 2.50000])", True),
        ("[[ 1.  2.]]", "[[1.0 2.0]]", True),
        ("-1e-3 nan", "-0.001 nan", True),
        ("-1e-3", "1e-3", False),
        ("x1 = 2", "x2 = 2", False),
        ("3 steps", "3.0 steps", True),
        ("3 steps", "4 steps", False),
        ("1.5, 2.5", "1.5", False),
    ],
)
def test_numbers_in_text(stored, new, same):
    assert (meaning.numbers_in_text(stored, new) == []) is same


def test_gradients_are_compared_by_their_verdicts():
    def data(**verdicts):
        return {"version": 1, "checks": [{"name": name, "verdict": verdict} for name, verdict in verdicts.items()]}

    stored = data(step="agrees", misfit="wrong")
    assert meaning.differences(meaning.GRADIENTS, stored, stored) == []
    assert meaning.differences(meaning.GRADIENTS, stored, data(step="cannot say", misfit="wrong")) == []
    assert meaning.differences(meaning.GRADIENTS, stored, data(step="wrong", misfit="wrong")) == [
        "the gradient of step was found 'agrees' in the notebook, 'wrong' now"]
    assert meaning.differences(meaning.GRADIENTS, stored, data(step="agrees")) == [
        "the gradient of misfit is checked in the notebook, not now"]
    assert "do not have the expected form" in meaning.differences(meaning.GRADIENTS, stored, {})[0]
    whole = {"version": 1, "checks": [{"name": "step, misfit", "verdict": "agrees"}]}
    apart = {"version": 1, "checks": [{"name": "step", "verdict": "agrees"}, {"name": "step, misfit", "verdict": "cannot say"}]}
    assert meaning.differences(meaning.GRADIENTS, whole, apart) == []
    apart["checks"][0]["verdict"] = "wrong"
    assert len(meaning.differences(meaning.GRADIENTS, whole, apart)) == 1


def launch(moves=0, iteration=2, held=(1.0, 2.0), text="do_while n"):
    step = {"kind": "level", "depth": 0, "text": text, "label": None, "state": "", "flag": "n", "value": 1, "iteration": iteration, "runs": None}
    return {"version": 1, "kernel": "k", "next": 0, "over": False, "yielded": None, "moves": moves, "plan": False, "steps": [step],
            "arrays": {"x": {"dtype": "f32", "shape": [2], "values": list(held)}}}


def test_launches_in_steps():
    def told(stored, new):
        return meaning.differences(meaning.CHECKPOINTS, stored, new)

    assert told(launch(), launch(held=(1.0, 2.00001))) == []
    assert told(launch(), launch(iteration=3)) == ["k, do_while n: iteration is 2 in the notebook, 3 now"]
    older = launch(iteration=3)
    older["steps"][0]["turn"] = older["steps"][0].pop("iteration")
    assert told(older, launch()) == ["k, do_while n: iteration is 3 in the notebook, 2 now"] and told(older, launch(iteration=3)) == []
    assert "x[1] is 2.0 in the notebook, 7.0 now" in told(launch(), launch(held=(1.0, 7.0)))[0]
    assert told(launch(moves=4, iteration=9), launch()) == []  # the stepper was moved by hand before the notebook was saved
    assert told(launch(moves=4), launch(text="do_while m")) == ["the graph of k in the notebook differs from that of k now"]
