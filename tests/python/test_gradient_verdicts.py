"""Verdicts that can be trusted: of more than a hundred programs with a mistake none passes, of as many right ones none is called wrong."""

import warnings

import pytest
import quadrants as qd
from gradient_programs import RIGHT, WRONG, Maker



@pytest.fixture(autouse=True)
def arch():
    yield "cpu"
    qd.reset()


PROGRAMS = [pytest.param(*one[1:], id=one[0]) for one in WRONG + RIGHT]


def verdict(make, chosen, **options):
    chosen = dict(chosen)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of programs that lose precision, or old values, on purpose
        m = Maker(chosen.pop("dtype"))
        qd.init(arch=qd.cpu, offline_cache=False, default_fp=m.dtype, ad_stack_experimental_enabled=True)
        return qd.ad.check(make(m, **chosen), **options)


@pytest.mark.parametrize("make, chosen, allowed", PROGRAMS)
def test_verdict(make, chosen, allowed):
    found = verdict(make, chosen)
    assert found.verdict in allowed, found
    assert found.reason or found.verdict == "agrees"


FAMILIES = ("between_without_a_gradient", "gradient_of_ones_own", "function", "accumulator_not_cleared", "scales")
OF_TAPES = [(make, chosen, allowed) for _, make, chosen, allowed in WRONG + RIGHT if make.__name__ in FAMILIES and chosen["dtype"] == "f64"]


@pytest.mark.parametrize("make, chosen, allowed", [one for one in OF_TAPES if one[1].get("mistake") not in ("kept", "little")])
def test_grad_check_of_a_tape(make, chosen, allowed, capsys):
    """It judges the gradients of the loss alone, to 1 %."""
    chosen = dict(chosen)
    m = Maker(chosen.pop("dtype"))
    qd.init(arch=qd.cpu, offline_cache=False, default_fp=qd.f64)
    program = make(m, **chosen)
    *inputs, loss = m.fields
    try:
        with qd.ad.Tape(loss, grad_check=inputs):
            program()
        assert allowed == {"agrees"}
    except AssertionError as error:
        assert "Not all variables pass grad check" in str(error) and allowed == {"wrong"}
    assert "cannot be checked" not in capsys.readouterr().out


def test_there_are_enough():
    assert len(WRONG) > 100 and len(RIGHT) > 100
