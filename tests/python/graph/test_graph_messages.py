"""Errors of kernels with graph=True: when they are raised, and their messages."""

import enum

import pytest
import quadrants as qd

Flag = qd.types.ndarray(qd.i32, ndim=0)
Line = qd.types.ndarray(qd.i32, ndim=1)


class Stage(enum.IntEnum):
    A = 3


GLOBAL = qd.types.ndarray(qd.i32, ndim=0)


def flag():
    made = qd.ndarray(qd.i32, ())
    made[()] = 1
    return made


def refused(kernel, *arguments, error=qd.QuadrantsSyntaxError):
    with pytest.raises(error) as met:
        kernel(*(arguments or (flag(),)))
    return str(met.value)


graph = qd.kernel(graph=True)
staged = qd.kernel(graph=True, checkpoints=True)


# do_while


def test_do_while_in_other_kernels():
    @qd.kernel
    def k(c: Flag):
        while qd.graph.do_while(c):
            c[()] -= 1

    assert "qd.graph.do_while() requires @qd.kernel(graph=True)" in refused(k)


def test_objects_that_are_not_flags():
    captured = flag()
    f = qd.field(qd.i32, ())

    @graph
    def unknown(c: Flag):
        while qd.graph.do_while(nothing):  # noqa: F821
            c[()] -= 1

    @graph
    def of_field(c: Flag):
        while qd.graph.do_while(f):
            c[()] -= 1

    @graph
    def of_global(c: Flag):
        while qd.graph.do_while(captured):
            c[()] -= 1

    @graph
    def of_number(c: Flag, n: qd.i32):
        while qd.graph.do_while(n):
            c[()] -= 1

    @graph
    def of_expression(c: Flag):
        while qd.graph.do_while(c[()] > 0):
            c[()] -= 1

    for k, shown, more in (
        (unknown, "'nothing'", ()), (of_field, "'f'", ()), (of_global, "'captured'", ()), (of_number, "'n'", (1,)),
        (of_expression, "'an expression'", ()),
    ):  # fmt: skip
        assert (
            f"qd.graph.do_while(...) got {shown} which does not resolve to an ndarray kernel parameter of '{k.__name__}'"
        ) in refused(k, flag(), *more)


def test_flags_of_other_types():
    @graph
    def k(c: qd.types.ndarray()):
        while qd.graph.do_while(c):
            for i in range(1):
                c[()] -= 1

    assert "a flag has one element of type i32" in refused(k, qd.ndarray(qd.f32, ()))
    k(flag())


def test_positions_of_levels():
    words = "qd.graph.do_while() must be at the kernel top level or directly nested inside another qd.graph.do_while()"

    @graph
    def in_for(c: Flag):
        for i in range(2):
            while qd.graph.do_while(c):
                c[()] -= 1

    @graph
    def in_if(c: Flag):
        if c[()] > 0:
            while qd.graph.do_while(c):
                c[()] -= 1

    @qd.func
    def part(c):
        while qd.graph.do_while(c):
            c[()] -= 1

    @graph
    def in_func_in_for(c: Flag):
        for i in range(2):
            part(c)

    for k in (in_for, in_if, in_func_in_for):
        assert words in refused(k), k

    @graph
    def in_static_if(c: Flag):
        if qd.static(True):
            while qd.graph.do_while(c):
                c[()] -= 1

    in_static_if(flag())


def test_statements_allowed_next_to_levels():
    words = "When a kernel uses qd.graph.do_while(), the kernel body may not contain a {} statement"

    @graph
    def with_while(c: Flag):
        while c[()] < 0:
            c[()] += 1
        while qd.graph.do_while(c):
            c[()] -= 1

    @graph
    def with_pass(c: Flag):
        pass
        while qd.graph.do_while(c):
            c[()] -= 1

    @graph
    def with_assert(c: Flag):
        assert c[()] >= 0
        while qd.graph.do_while(c):
            c[()] -= 1

    @graph
    def in_a_branch(c: Flag):
        if c[()] > 0:
            pass
        while qd.graph.do_while(c):
            c[()] -= 1

    @graph
    def with_result(c: Flag) -> qd.i32:
        while qd.graph.do_while(c):
            c[()] -= 1
        return c[()]

    @graph
    def with_break(c: Flag):
        while qd.graph.do_while(c):
            if c[()] > 3:
                break

    for k, kind in (
        (with_while, "While"), (with_pass, "Pass"), (with_assert, "Assert"), (in_a_branch, "Pass"), (with_result, "Return"),
    ):  # fmt: skip
        assert words.format(kind) in refused(k)
    assert "a qd.graph.do_while() body may not contain a Break statement" in refused(with_break)

    @graph
    def inside(c: Flag):
        while qd.graph.do_while(c):
            while c[()] < 0:
                c[()] += 1

    @graph
    def inside_a_branch(c: Flag):
        while qd.graph.do_while(c):
            if c[()] > 0:
                assert True

    assert "a qd.graph.do_while() body may not contain a While statement" in refused(inside)
    assert "a qd.graph.do_while() body may not contain a Assert statement" in refused(inside_a_branch)

    @graph
    def fine(c: Flag):
        """All statements that are allowed."""
        x = 1
        y: qd.i32 = 2
        while qd.graph.do_while(c):
            """Allowed here too."""
            x += y
            if c[()] > 1:
                c[()] = 1
            qd.loop_config(serialize=True)
            for i in range(1):
                c[()] -= 1

    fine(flag())


def test_else_and_arguments_of_levels():
    @graph
    def with_else(c: Flag):
        while qd.graph.do_while(c):
            c[()] -= 1
        else:
            c[()] = 7

    @graph
    def without(c: Flag):
        while qd.graph.do_while():
            c[()] -= 1

    @graph
    def called(c: Flag):
        qd.graph.do_while(c)

    assert "'else' clause for qd.graph.do_while() not supported" in refused(with_else)
    assert "qd.graph.do_while() takes one argument" in refused(without)
    assert "is written `while qd.graph.do_while(flag):`" in refused(called)


# checkpoints


def test_at_decoration():
    with pytest.raises(qd.QuadrantsSyntaxError) as met:

        @qd.kernel(checkpoints=True)
        def k():
            pass

    assert "@qd.kernel('k', checkpoints=True) requires graph=True" in str(met.value)


def test_checkpoints_in_other_kernels():
    def body(c: Flag):
        with qd.checkpoint(1, yield_on=c):
            for i in range(1):
                pass

    plain = refused(qd.kernel(body))
    assert "qd.checkpoint() requires @qd.kernel(graph=True)" in plain and "checkpoints=True" in plain
    assert "not decorated with `checkpoints=True`" in refused(qd.kernel(graph=True)(body))

    @qd.func
    def part(c: qd.template()):
        with qd.checkpoint(1, yield_on=c):
            for i in range(1):
                pass

    @staged
    def k(c: Flag):
        part(c)

    assert "qd.checkpoint() can only be used inside @qd.kernel, not @qd.func" in refused(k)


def test_arguments_of_checkpoints():
    @staged
    def none(c: Flag):
        with qd.checkpoint():
            for i in range(1):
                pass

    @staged
    def no_flag(c: Flag):
        with qd.checkpoint(1):
            for i in range(1):
                pass

    @staged
    def no_label(c: Flag):
        with qd.checkpoint(yield_on=c):
            for i in range(1):
                pass

    @staged
    def three(c: Flag):
        with qd.checkpoint(1, c, c):
            for i in range(1):
                pass

    @staged
    def twice(c: Flag):
        with qd.checkpoint(1, cp_id=2, yield_on=c):
            for i in range(1):
                pass

    @staged
    def unexpected(c: Flag):
        with qd.checkpoint(1, yield_on=c, more=2):
            for i in range(1):
                pass

    for k, words in (
        (none, "qd.checkpoint() takes two arguments: `qd.checkpoint(cp_id, yield_on=flag)`."),
        (no_flag, "missing required argument `yield_on`"), (no_label, "missing required argument `cp_id`"),
        (three, "takes at most 2 positional arguments, got 3."), (twice, "got `cp_id` both positionally and as a keyword"),
        (unexpected, "unexpected keyword argument"),
    ):  # fmt: skip
        assert words in refused(k)

    @staged
    def positional(c: Flag):
        with qd.checkpoint(1, c):
            for i in range(1):
                pass

    assert positional(flag()).yielded is True


def test_a_negative_number_as_a_label():
    last = -3

    @staged
    def named(c: Flag):
        with qd.checkpoint(last, yield_on=c):
            for i in range(1):
                pass

    assert named(flag()).checkpoint == -3 and named._primal.checkpoint_user_labels_by_cp_id == [-3]


@pytest.mark.parametrize("name", ("graph", "checkpoints", "fastcache"))
def test_options_of_a_kernel_are_true_or_false(name):
    def k():
        pass

    for value, error in (("yes", TypeError), (1.0, TypeError), (2, ValueError), (k, TypeError)):
        with pytest.raises(error, match=f"the option {name} must be"):
            qd.kernel(k, **{"graph": True, name: value})
    for value, taken in ((None, False), (0, False), (1, True), (True, True)):
        assert getattr(qd.kernel(k, **{"graph": True, name: value} if taken or name != "graph" else {name: value})._primal, name) is taken


def test_labels():
    words = "first argument must be an int literal or an IntEnum value"

    @staged
    def text(c: Flag):
        with qd.checkpoint("one", yield_on=c):
            for i in range(1):
                pass

    @staged
    def real(c: Flag):
        with qd.checkpoint(1.5, yield_on=c):
            for i in range(1):
                pass

    @staged
    def truth(c: Flag):
        with qd.checkpoint(True, yield_on=c):
            for i in range(1):
                pass

    @staged
    def negated(c: Flag):
        with qd.checkpoint(-1, yield_on=c):
            for i in range(1):
                pass

    @staged
    def at_run_time(c: Flag, n: qd.i32):
        with qd.checkpoint(n, yield_on=c):
            for i in range(1):
                pass

    for k, more in ((text, ()), (real, ()), (truth, ()), (negated, ()), (at_run_time, (1,))):
        assert words in refused(k, flag(), *more)
    number = 4

    @staged
    def of_closure(c: Flag):
        with qd.checkpoint(number, yield_on=c):
            for i in range(1):
                pass
        with qd.checkpoint(Stage.A, yield_on=c):
            for i in range(1):
                pass

    of_closure(flag())
    assert of_closure._primal.checkpoint_user_labels_by_cp_id == [4, Stage.A]

    @staged
    def equal(c: Flag):
        with qd.checkpoint(Stage.A, yield_on=c):
            for i in range(1):
                pass
        with qd.checkpoint(3, yield_on=c):
            for i in range(1):
                pass

    assert "already used by another checkpoint in kernel 'equal'." in refused(equal)


def test_flags_of_checkpoints():
    captured = flag()

    @staged
    def number(c: Flag):
        with qd.checkpoint(1, yield_on=1):
            for i in range(1):
                pass

    @staged
    def expression(c: Flag):
        with qd.checkpoint(1, yield_on=c[()]):
            for i in range(1):
                pass

    @staged
    def of_global(c: Flag):
        with qd.checkpoint(1, yield_on=captured):
            for i in range(1):
                pass

    @qd.data_oriented
    class Owner:
        def __init__(self):
            self.n = 3

        @qd.kernel(graph=True, checkpoints=True)
        def of_int(self, c: Flag):
            with qd.checkpoint(1, yield_on=self.n):
                for i in range(1):
                    pass

        @qd.kernel(graph=True, checkpoints=True)
        def absent(self, c: Flag):
            with qd.checkpoint(1, yield_on=self.nothing):
                for i in range(1):
                    pass

    for k in (number, expression):
        assert "must reference a kernel ndarray argument" in refused(k)
    for k in (of_global, Owner().of_int, Owner().absent):
        assert "does not resolve to an ndarray kernel parameter" in refused(k) and "Available parameters: [" in refused(k)


def test_bodies_of_checkpoints():
    @staged
    def assign(c: Flag):
        with qd.checkpoint(1, yield_on=c):
            c[()] = 1

    @staged
    def augmented(c: Flag):
        with qd.checkpoint(1, yield_on=c):
            for i in range(1):
                pass
            c[()] += 1

    @staged
    def annotated(c: Flag):
        with qd.checkpoint(1, yield_on=c):
            x: qd.i32 = 1  # noqa: F841

    @qd.func
    def part(c: qd.template()):
        c[()] = 1

    @staged
    def called(c: Flag):
        with qd.checkpoint(1, yield_on=c):
            part(c)

    for k, kind in ((assign, "Assign"), (augmented, "AugAssign"), (annotated, "AnnAssign"), (called, "Expr")):
        met = refused(k)
        assert f"qd.checkpoint() body cannot contain a bare top-level {kind} statement (line " in met
        assert "for _ in range(1):" in met
    line = assign._primal.fn.__code__.co_firstlineno + 3
    assert f"(line {line})" in refused(assign)


def test_checkpoints_in_checkpoints():
    @staged
    def direct(c: Flag):
        with qd.checkpoint(1, yield_on=c):
            with qd.checkpoint(2, yield_on=c):
                for i in range(1):
                    pass

    @staged
    def below_a_loop(c: Flag):
        with qd.checkpoint(1, yield_on=c):
            for i in range(1):
                with qd.checkpoint(2, yield_on=c):
                    pass

    for k in (direct, below_a_loop):
        assert "cannot be nested inside another" in refused(k) and "flat siblings" in refused(k)


def test_withs():
    @staged
    def named(c: Flag):
        with qd.checkpoint(1, yield_on=c) as x:  # noqa: F841
            for i in range(1):
                pass

    @staged
    def several(c: Flag):
        with qd.checkpoint(1, yield_on=c), qd.checkpoint(2, yield_on=c):
            for i in range(1):
                pass

    assert "'with ... as ...' is not supported in Quadrants kernels" in refused(named)
    assert "'with' in Quadrants kernels only supports a single context manager" in refused(several)

    @graph
    def streams(c: Flag):
        with qd.stream_parallel():
            for i in range(1):
                pass

    assert "not compatible with graph=True" in refused(streams)


# regions


def test_regions_in_other_kernels():
    def body(c: Flag):
        with qd.graph.parallel_context():
            with qd.graph.parallel():
                for i in range(1):
                    pass

    def section(c: Flag):
        with qd.graph.parallel():
            for i in range(1):
                pass

    assert "qd.graph.parallel_context() requires @qd.kernel(graph=True)" in refused(qd.kernel(body))
    assert "qd.graph.parallel() requires @qd.kernel(graph=True)" in refused(qd.kernel(section))
    assert "checkpoints=True" in refused(qd.kernel(graph=True, checkpoints=True)(body))
    assert (
        "qd.graph.parallel() can only be used directly inside a qd.graph.parallel_context()"
        in refused(qd.kernel(graph=True)(section))
    )

    @qd.func
    def part():
        with qd.graph.parallel_context():
            with qd.graph.parallel():
                pass

    @graph
    def k(c: Flag):
        part()

    assert "qd.graph.parallel_context() can only be used inside @qd.kernel, not @qd.func" in refused(k)

    @qd.func
    def own_section():
        with qd.graph.parallel():
            pass

    @graph
    def k2(c: Flag):
        own_section()

    assert "qd.graph.parallel() can only be used inside @qd.kernel, not @qd.func" in refused(k2)


def test_contents_of_regions():
    words = "A qd.graph.parallel_context() region may contain only 'with qd.graph.parallel():' blocks"

    @graph
    def bare(c: Flag):
        with qd.graph.parallel_context():
            c[()] = 1

    @graph
    def loop(c: Flag):
        with qd.graph.parallel_context():
            for i in range(2):
                with qd.graph.parallel():
                    pass

    @graph
    def branch(c: Flag):
        with qd.graph.parallel_context():
            if c[()] > 0:
                with qd.graph.parallel():
                    pass

    @graph
    def in_static(c: Flag):
        with qd.graph.parallel_context():
            for i in qd.static(range(2)):
                c[()] = 1

    for k in (bare, loop, branch, in_static):
        assert words in refused(k)


def test_contents_of_sections():
    @graph
    def level(c: Flag):
        with qd.graph.parallel_context():
            with qd.graph.parallel():
                if c[()] > 0:
                    while qd.graph.do_while(c):
                        c[()] -= 1

    @graph
    def checkpoint(c: Flag):
        with qd.graph.parallel_context():
            with qd.graph.parallel():
                for i in range(2):
                    with qd.checkpoint(1, yield_on=c):
                        pass

    @graph
    def region(c: Flag):
        with qd.graph.parallel_context():
            with qd.graph.parallel():
                with qd.graph.parallel_context():
                    pass

    @graph
    def direct_region(c: Flag):
        with qd.graph.parallel_context():
            with qd.graph.parallel_context():
                pass

    @graph
    def section(c: Flag):
        with qd.graph.parallel_context():
            with qd.graph.parallel():
                for i in range(2):
                    with qd.graph.parallel():
                        pass

    @qd.func
    def part(c):
        while qd.graph.do_while(c):
            c[()] -= 1

    @graph
    def by_func(c: Flag):
        with qd.graph.parallel_context():
            with qd.graph.parallel():
                part(c)

    for k, words in (
        (level, "qd.graph.do_while() cannot appear inside a qd.graph.parallel() section"),
        (checkpoint, "qd.checkpoint() cannot appear inside"), (region, "regions cannot be nested"),
        (direct_region, "regions cannot be nested"), (section, "sections cannot be nested inside one another"),
        (by_func, "qd.graph.do_while() cannot appear inside a qd.graph.parallel() section"),
    ):  # fmt: skip
        assert words in refused(k)


def test_arguments_of_regions():
    @graph
    def context(c: Flag):
        with qd.graph.parallel_context(1):
            pass

    @graph
    def section(c: Flag):
        with qd.graph.parallel_context():
            with qd.graph.parallel(c):
                pass

    assert "qd.graph.parallel_context() takes no arguments" in refused(context)
    assert "qd.graph.parallel() takes no arguments" in refused(section)


def test_levels_have_no_derivative():
    x = qd.field(qd.f32, (), needs_grad=True)

    @graph
    def k(c: Flag):
        while qd.graph.do_while(c):
            for _ in range(1):
                x[None] *= 2
            c[()] -= 1

    with pytest.raises(qd.QuadrantsRuntimeError, match="A graph of kernels cannot be differentiated"):
        k.grad(flag())


def test_advice_on_flags():
    @graph
    def k(c: Flag):
        while qd.graph.do_while(c):
            c[()] -= 1

    assert "expected an array; for a single number, use `qd.ndarray(dtype, ())`" in refused(k, 3, error=qd.QuadrantsRuntimeTypeError)
