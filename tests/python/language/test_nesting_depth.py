"""Programs nested too deeply for the stack of the compiling thread raise an error instead of ending the process."""

import ast
import linecache
import threading

import numpy as np
import pytest
import quadrants as qd

DEEP = "nested too deep for the stack of this thread"


def defined(text, name, **more):
    file = f"<{name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names = {"qd": qd, **more}
    exec(compile(text, file, "exec"), names)
    return names["kernel"]


def chain(count):
    """Functions that each call the previous one."""
    funcs = ["@qd.func\ndef f0(x):\n    return x\n"]
    funcs += [f"@qd.func\ndef f{i}(x):\n    return f{i - 1}(x) + 1\n" for i in range(1, count)]
    kernel = f"@qd.kernel\ndef kernel(x: qd.i32) -> qd.i32:\n    return f{count - 1}(x)\n"
    return defined("".join(funcs) + kernel, f"chain of {count}")


def terms(count):
    total = " + ".join(["x"] * count)
    return defined(f"@qd.kernel\ndef kernel(x: qd.i32) -> qd.i32:\n    return {total}\n", f"{count} terms")


def unrolled(count):
    """A long chain of dependent values."""
    body = f"    x = y\n    for i in qd.static(range({count})):\n        x = x * 3 + i\n    return x\n"
    return defined(f"@qd.kernel\ndef kernel(y: qd.i32) -> qd.i32:\n{body}", f"{count} values")


def nested(count):
    lines = ["    " * (i + 1) + f"if x > {i}:\n" for i in range(count)]
    text = "".join(lines) + "    " * (count + 1) + "y += 1\n    return y\n"
    return defined("@qd.kernel\ndef kernel(x: qd.i32) -> qd.i32:\n    y = 0\n" + text, f"{count} branches")


def in_a_thread(stack, work):
    """Returns the result or the exception of `work()` on a stack of that many KiB."""
    results = []

    def run():
        try:
            results.append(work())
        except Exception as error:
            results.append(error)

    before = threading.stack_size(stack * 1024)
    try:
        thread = threading.Thread(target=run)
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    return results[0]


@pytest.mark.parametrize("make, count, stack", [(chain, 2500, 2048), (chain, 150, 256), (terms, 900, 256)])
def test_too_deep_for_the_stack(make, count, stack):
    kernel = make(count)
    error = in_a_thread(stack, lambda: kernel(1))
    assert isinstance(error, qd.QuadrantsCompilationError) and DEEP in str(error)
    assert in_a_thread(64 * 1024, lambda: kernel(1)) == count  # the same kernel, where there is room


@pytest.mark.parametrize("stack", [96, 128, 160, 192, 256, 384, 512, 1024])
@pytest.mark.parametrize("make, count", [(chain, 60), (terms, 300), (nested, 60), (unrolled, 500)])
def test_a_result_or_an_error_on_every_stack(make, count, stack):
    kernel = make(count)
    result = in_a_thread(stack, lambda: kernel(1))
    if isinstance(result, Exception):
        assert isinstance(result, qd.QuadrantsCompilationError) and DEEP in str(result)
    else:
        assert result == kernel(1)


def test_long_chains_of_values():
    """Long chains are not nesting: whatever the stack size, the passes that follow them have enough stack."""
    kernel = unrolled(20000)
    expected = 1
    for i in range(20000):
        expected = (expected * 3 + i) & 0xFFFFFFFF
    assert in_a_thread(256, lambda: kernel(1)) & 0xFFFFFFFF == expected


def test_lists_in_lists_without_end():
    deep = [1]
    for _ in range(100000):
        deep = [deep, 2]

    @qd.kernel
    def k() -> qd.i32:
        return qd.static(deep)[1]

    assert in_a_thread(512, k) == 2


def test_recursive_funcs_in_small_threads():
    text = "".join(
        f"@qd.real_func\ndef f{i}(x: qd.i32) -> qd.i32:\n    r = x\n    if x > 0:\n        r = f{(i + 1) % 30}(x - 1) + 1\n    return r\n"
        for i in range(30)
    )
    kernel = defined(text + "@qd.kernel\ndef kernel(x: qd.i32) -> qd.i32:\n    return f0(x)\n", "thirty in a ring")
    for stack in (96, 128, 192, 256, 1024):
        result = in_a_thread(stack, lambda: kernel(40))
        assert result == 40 or (isinstance(result, qd.QuadrantsCompilationError) and DEEP in str(result))


def test_deep_programs_run_as_python():
    qd.init(arch=qd.python, print_full_traceback=True)
    assert terms(1200)(1) == 1200
    product = defined(f"@qd.kernel\ndef kernel(x: qd.i32) -> qd.i32:\n    return {' * '.join(['x'] * 900)}\n", "900 factors")
    assert product(1) == 1 and product(-1) == 1
    for stack in (96, 128, 192, 256, 512, 1024, 4096):
        kernel = terms(800 + stack // 32)  # a different text each time, since a text is rewritten only once
        result = in_a_thread(stack, lambda: kernel(1))
        refused = isinstance(result, qd.QuadrantsCompilationError) and DEEP in str(result)
        assert result == 800 + stack // 32 or (refused and stack < 4096)
    signs = defined(f"@qd.kernel\ndef kernel(x: qd.i32) -> qd.i32:\n    return {'-' * 1500}x\n", "1500 signs")
    with pytest.raises(qd.QuadrantsCompilationError, match="nested too deep for Python's limit of recursion"):
        signs(1)


# Chains are not nesting


def operands(count, word):
    wanted = "!=" if word == "and" else "=="
    test = f" {word} ".join(f"a[{i % 7}] {wanted} n + {i}" for i in range(count))
    return defined(f"@qd.kernel\ndef kernel(n: qd.i32, a: qd.types.ndarray(qd.i32, ndim=1)) -> qd.i32:\n    return {test}\n", f"{count} {word}")


def elifs(count, loop=""):
    lines = [f"elif n == {i}:\n        s += {i * 3}\n        {'continue' if loop and i % 9 == 0 else 's += 1'}\n" for i in range(count)]
    text = "    " + "    ".join([f"{lines[0][2:]}", *lines[1:], "else:\n        s -= 1\n"])
    if loop:
        text = f"    qd.loop_config(serialize=True)\n    {loop}\n" + text.replace("\n    ", "\n        ").replace("    ", "        ", 1)
    return defined(f"@qd.kernel\ndef kernel(n: qd.i32) -> qd.i32:\n    s = 0\n{text}    return s\n", f"{count} elif {loop}")


@pytest.mark.parametrize("debug", [False, True])
@pytest.mark.parametrize("arch", ["interp", "cpu", "python"])
def test_a_thousand_operands_and_branches(arch, debug):
    qd.init(arch=arch, debug=debug, offline_cache=False, print_full_traceback=True)
    a = np.arange(7, dtype=np.int32) * 100
    for word in ("and", "or"):
        kernel = operands(1000, word)
        for n in (-5000, 3, 150, 601):
            found = [a[i % 7] == n + i for i in range(1000)]
            assert kernel(n, a) == (any(found) if word == "or" else not any(found)), (word, n)
    kernel, looped = elifs(1000), elifs(1000, "for i in range(3):")
    for n in (0, 1, 63, 64, 65, 128, 600, 999, 1000):
        assert kernel(n) == (n * 3 + 1 if n < 1000 else -1), n
        assert looped(n) == 3 * (n * 3 + (n % 9 != 0) if n < 1000 else -1), n
    brackets = defined(f"@qd.kernel\ndef kernel(n: qd.i32) -> qd.i32:\n    return {'(' * 190}n{' + 1)' * 190}\n", "brackets")
    assert brackets(3) == 193


def test_the_first_deciding_operand_is_the_last_evaluated(both):
    def counted():
        x = qd.field(qd.i32, 100)

        @qd.func
        def seen(i, n):
            x[i] += 1
            return i != n

        text = "@qd.kernel\ndef kernel(n: qd.i32) -> qd.i32:\n    return " + " and ".join(f"seen({i}, n)" for i in range(100)) + "\n"
        kernel = defined(text, "a hundred calls", seen=seen)
        return [kernel(n) for n in (0, 1, 37, 99, 100)], x.to_numpy().tolist()

    results, counts = both(counted)
    assert results == [0, 0, 0, 0, 1]
    assert counts == [sum(i <= n for n in (0, 1, 37, 99, 100)) for i in range(100)]


@pytest.mark.parametrize("make", [lambda n: operands(n, "or"), elifs])
@pytest.mark.parametrize("stack", [96, 256, 4096])
def test_long_chains_on_every_stack(make, stack):
    kernel = make(900 + stack // 32)
    a = () if make is elifs else (np.arange(7, dtype=np.int32),)
    result = in_a_thread(stack, lambda: kernel(5, *a))
    refused = isinstance(result, qd.QuadrantsCompilationError) and DEEP in str(result)
    assert result == kernel(5, *a) or (refused and stack < 4096)


def test_the_limit_is_named():
    text = "@qd.kernel\ndef kernel(n: qd.i32) -> qd.i32:\n    return " + " ".join(f"{i} if n == {i} else" for i in range(300)) + " -1\n"
    with pytest.raises(qd.QuadrantsCompilationError, match="nested too deep\n.*at most 180 levels"):
        defined(text, "300 choices")(1)


def test_counts_of_a_long_chain():
    """Coverage counts every link."""
    from quadrants._coverage import flow

    class Rows(dict):
        def get(self, key, default=0):
            return 1

    lines = ["def f(n):", "    if n == 0:", "        n = 1"]
    for i in range(1, 1500):
        lines += [f"    elif n == {i}:", f"        n = {i}"]
    found = flow.Flow()
    flow._Walk(found, Rows(), Rows()).function(ast.parse("\n".join(lines)).body[0])
    assert found.arcs[2, 4] == found.arcs[2998, 3000] == 1 and len(found.branches) == 1500
