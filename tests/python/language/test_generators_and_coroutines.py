"""Generators and async functions cannot be kernels or funcs: the decorator raises an error with the place."""

import pytest

import quadrants as qd

@pytest.fixture(autouse=True)
def program():
    qd.init(arch=qd.cpu, offline_cache=False)  # errors have places


DECORATORS = [qd.kernel, qd.func, qd.real_func, qd.pyfunc, qd.func(requires_top_level=True), qd.kernel(graph=True)]


@pytest.mark.parametrize("decorator", DECORATORS)
def test_async_functions(decorator):
    with pytest.raises(qd.QuadrantsSyntaxError, match="cannot be async functions") as caught:

        @decorator
        async def waits(x: qd.i32) -> qd.i32:
            return x

    assert f'File "{__file__}", line 20, in ' in str(caught.value)
    assert "async def waits" in str(caught.value) and "\n" + 8 * " " + "^^^^^\n" in str(caught.value)
    assert "Hint: remove `async`" in str(caught.value)


@pytest.mark.parametrize("decorator", DECORATORS)
def test_generators(decorator):
    with pytest.raises(qd.QuadrantsSyntaxError, match="cannot be generators") as caught:

        @decorator
        def parts(x: qd.i32):
            if x > 0:
                yield x

    assert f'File "{__file__}", line 35, in ' in str(caught.value) and "yield x\n" in str(caught.value)
    assert "Hint: write results to a field" in str(caught.value)


def test_async_generators():
    with pytest.raises(qd.QuadrantsSyntaxError, match="cannot be async functions"):

        @qd.func
        async def parts(x):
            yield x


def test_comprehensions_inside_kernels_are_allowed():
    @qd.kernel
    def total() -> qd.i32:
        s = 0
        for i in qd.static([k for k in range(3)]):
            s += i
        return s

    assert total() == 3
