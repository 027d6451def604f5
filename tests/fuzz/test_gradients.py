"""A fixed sample of random programs with gradients; `python -m tests.fuzz.gradients` runs more."""

from tests.fuzz import gradients


def test_gradients():
    code, said = gradients.run_all(0, 12)
    assert code == 0, said
    assert "12 programs, 0 faults; 12 done" in said


def test_comparison_of_gradients():
    assert gradients.apart([[1.0, 2.0]], [[1.0, 2.5]]) == 0.25
    assert gradients.along([[1.0, 2.0]], [[3.0, 4.0]]) == 11


class Slopes:
    """A function of one number in place of a program."""

    def __init__(self, function):
        self.function = function

    def value(self, values):
        return float(self.function(values[0]))


def test_slopes():
    assert gradients.slope(Slopes(lambda x: x * x), [3.0], [1.0], 6.0) == "agrees"
    assert gradients.slope(Slopes(abs), [0.0], [1.0], 1.0) == "kink"
    assert "by the gradient" in gradients.slope(Slopes(lambda x: x * x), [3.0], [1.0], 6.01)
