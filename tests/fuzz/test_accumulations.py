"""A fixed sample of random loops that accumulate; `python -m tests.fuzz.accumulations` runs more."""

from tests.fuzz import accumulations


def test_accumulations():
    code, said = accumulations.run_all(0, 60)
    assert code == 0, said
    assert "60 programs, 0 faults" in said
