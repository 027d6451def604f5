"""Streams and events: launches are in order without them; misuse is refused; they can be waited for."""

import pytest
import quadrants as qd


@qd.kernel
def add(x: qd.types.ndarray(), amount: qd.i32):
    for i in x:
        x[i] += amount


def test_launches_on_streams_are_in_order():
    x = qd.ndarray(qd.i32, 4)
    one, two, event = qd.create_stream(), qd.create_stream(), qd.create_event()
    assert isinstance(one, qd.Stream) and isinstance(event, qd.Event)
    assert (one.handle, event.handle) == (0, 0)
    add(x, 1, qd_stream=one)
    event.record(one)
    event.wait(two)
    add(x, 2, qd_stream=two)
    add(x=x, amount=3, qd_stream=None)
    add(qd_stream=one, amount=4, x=x)
    event.synchronize()
    two.synchronize()
    assert x.to_numpy().tolist() == [10] * 4
    event.record()
    event.wait(stream=one)
    event.wait(qd_stream=one)


def test_kernels_without_parameters():
    @qd.kernel
    def seven() -> qd.i32:
        return 7

    with qd.create_stream() as stream:
        assert seven(qd_stream=stream) == 7
    assert seven(qd_stream=None) == 7
    with pytest.raises(qd.QuadrantsSyntaxError, match="Unexpected argument 'x'"):
        seven(x=1)


def test_streams_end_with_their_block():
    x = qd.ndarray(qd.i32, 2)
    with qd.create_stream() as stream, qd.create_event() as event:
        add(x, 5, qd_stream=stream)
        event.record(stream)
    assert x.to_numpy().tolist() == [5, 5]
    stream.destroy()
    event.destroy()


def test_methods_take_the_keyword():
    @qd.data_oriented
    class Counter:
        def __init__(self):
            self.x = qd.field(qd.i32, 3)

        @qd.kernel
        def step(self, by: qd.i32):
            for i in self.x:
                self.x[i] += by

    c = Counter()
    c.step(2, qd_stream=qd.create_stream())
    c.step(by=3, qd_stream=qd.create_stream())
    assert c.x.to_numpy().tolist() == [5, 5, 5]


def test_a_parameter_of_that_name_is_a_parameter():
    @qd.kernel
    def k(qd_stream: qd.i32) -> qd.i32:
        return qd_stream + 1

    assert k(qd_stream=4) == 5


def test_wrong_use():
    x = qd.ndarray(qd.i32, 2)
    with pytest.raises(qd.QuadrantsRuntimeTypeError, match=r"made by qd.create_stream\(\), got 5"):
        add(x, 1, qd_stream=5)
    with pytest.raises(qd.QuadrantsRuntimeTypeError, match="got 'a'"):
        qd.create_event().record("a")
    with pytest.raises(qd.QuadrantsSyntaxError, match="Unexpected argument 'stream'"):
        add(x, 1, stream=qd.create_stream())
    with pytest.raises(qd.QuadrantsSyntaxError, match="Missing argument 'amount'"):
        add(x, qd_stream=qd.create_stream())
    assert x.to_numpy().tolist() == [0, 0]


def test_of_a_program_that_has_ended(arch):
    stream, event = qd.create_stream(), qd.create_event()
    qd.reset()
    with pytest.raises(qd.QuadrantsRuntimeError):
        qd.create_stream()
    for use, what in (
        (stream.synchronize, "Stream"),
        (event.synchronize, "Event"),
        (event.record, "Event"),
        (event.wait, "Event"),
    ):
        with pytest.raises(RuntimeError, match=rf"{what}'s owning Program has been destroyed \(e.g. after qd.reset\(\)\)"):
            use()
    stream.destroy()
    event.destroy()
    qd.init(arch=arch, offline_cache=False)
    with pytest.raises(RuntimeError, match="Stream's owning Program has been destroyed"):
        add(qd.ndarray(qd.i32, 1), 1, qd_stream=stream)
    with pytest.raises(RuntimeError, match="Stream's owning Program has been destroyed"):
        qd.create_event().record(stream)


def test_stream_parallel():
    x, y = qd.field(qd.i32, 8), qd.field(qd.i32, 8)

    @qd.kernel
    def k(n: qd.i32):
        """Parallel blocks."""
        with qd.stream_parallel():
            a = 2 * n
            for i in x:
                x[i] = a + i
        with qd.stream_parallel():
            for i in range(4):
                y[i] = n
            for i in range(4, 8):
                y[i] = y[i - 4] + 1

    k(3)
    assert x.to_numpy().tolist() == [6 + i for i in range(8)]
    assert y.to_numpy().tolist() == [3] * 4 + [4] * 4


def test_stream_parallel_in_other_blocks():
    x = qd.field(qd.i32, 4)

    @qd.kernel
    def k() -> qd.i32:
        for i in range(2):
            with qd.stream_parallel():
                x[i] = 1
        if qd.static(True):
            with qd.stream_parallel():
                x[2] = 2
        return 7

    @qd.kernel
    def returning(flag: qd.template()) -> qd.i32:
        with qd.stream_parallel():
            x[3] = 5
        with qd.stream_parallel():
            return x[3] + flag

    assert k() == 7
    assert returning(1) == 6
    assert x.to_numpy().tolist() == [1, 1, 2, 5]


def test_stream_parallel_in_python():
    with qd.stream_parallel():
        x = qd.ndarray(qd.i32, 1)
        add(x, 1)
    assert x.to_numpy().tolist() == [1]


def test_kernels_that_run_as_python():
    qd.init(arch=qd.python)
    x, seen = qd.field(qd.i32, 4), qd.field(qd.i64, 3)

    @qd.kernel
    def k(n: qd.i32):
        with qd.stream_parallel():
            a = n + qd.global_thread_idx()
            for i in x:
                x[i] = a + i
        with qd.stream_parallel():
            seen[0] = qd.clock_counter()
            seen[1] = qd.clock_counter()
            seen[2] = qd.simt.subgroup.group_size()

    with qd.create_stream() as stream:
        k(3, qd_stream=stream)
        qd.create_event().record(stream)
    assert x.to_numpy().tolist() == [3, 4, 5, 6]
    assert 0 < seen[0] <= seen[1] and seen[2] == 0
    assert qd.clock_freq_hz() == 1e9

    @qd.kernel
    def wrong():
        qd.simt.block.sync()

    with pytest.raises(qd.QuadrantsSyntaxError, match="qd.simt.block.sync is not supported for arch python"):
        wrong()
