"""Programs too deep for the stack of the thread that compiles them end in an error, not with the process."""

import linecache
import threading

import pytest
import quadrants as qd

DEEP = "nested too deep for the stack of this thread"


def defined(text, name):
    file = f"<{name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names = {"qd": qd}
    exec(compile(text, file, "exec"), names)
    return names["kernel"]


def chain(count):
    """Functions each of which calls the one before."""
    funcs = ["@qd.func\ndef f0(x):\n    return x\n"]
    funcs += [f"@qd.func\ndef f{i}(x):\n    return f{i - 1}(x) + 1\n" for i in range(1, count)]
    kernel = f"@qd.kernel\ndef kernel(x: qd.i32) -> qd.i32:\n    return f{count - 1}(x)\n"
    return defined("".join(funcs) + kernel, f"chain of {count}")


def terms(count):
    total = " + ".join(["x"] * count)
    return defined(f"@qd.kernel\ndef kernel(x: qd.i32) -> qd.i32:\n    return {total}\n", f"{count} terms")


def unrolled(count):
    """Values that hang on each other without end."""
    body = f"    x = y\n    for i in qd.static(range({count})):\n        x = x * 3 + i\n    return x\n"
    return defined(f"@qd.kernel\ndef kernel(y: qd.i32) -> qd.i32:\n{body}", f"{count} values")


def nested(count):
    lines = ["    " * (i + 1) + f"if x > {i}:\n" for i in range(count)]
    text = "".join(lines) + "    " * (count + 1) + "y += 1\n    return y\n"
    return defined("@qd.kernel\ndef kernel(x: qd.i32) -> qd.i32:\n    y = 0\n" + text, f"{count} branches")


def in_a_thread(stack, work):
    """What `work()` gives or raises, on a stack of so many KiB."""
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
    """They are no nesting: whatever the stack, room is made for the passes that follow them."""
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
        kernel = terms(800 + stack // 32)  # another text each time, for none is rewritten twice
        result = in_a_thread(stack, lambda: kernel(1))
        refused = isinstance(result, qd.QuadrantsCompilationError) and DEEP in str(result)
        assert result == 800 + stack // 32 or (refused and stack < 4096)
    signs = defined(f"@qd.kernel\ndef kernel(x: qd.i32) -> qd.i32:\n    return {'-' * 1500}x\n", "1500 signs")
    with pytest.raises(qd.QuadrantsCompilationError, match="nested too deep for Python's limit of recursion"):
        signs(1)
