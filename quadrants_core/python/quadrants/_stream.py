"""Streams and events: the order of launches.

All launches go to one stream of the device, so they are in order whatever streams they name, and on the CPU a launch has ended
when the call returns. So an event that is recorded comes before what is launched next: what these objects do is to check that
they are used rightly, and to wait. Their `handle` is 0, as on every backend without streams of the device's own.
"""

from quadrants import _exceptions, _native, _runtime


class _OfProgram:
    """An object of the running program that says so if it is used after its end."""

    def __init__(self, handle=0):
        _runtime.require_program()
        self.handle = int(handle)
        self._generation = _native.core().generation()

    def _check(self):
        if self._generation != _native.core().generation():
            raise RuntimeError(
                f"{type(self).__name__}'s owning Program has been destroyed (e.g. after qd.reset()); make a new one with "
                f"qd.create_{type(self).__name__.lower()}()"
            )

    def synchronize(self):
        """Returns when what was launched before is done: at once on the CPU."""
        self._check()
        _native.core().sync()

    def destroy(self):
        """Gives back what it holds of the device. Doing so twice, or after qd.reset(), is nothing."""
        self.handle = 0

    def __enter__(self):
        return self

    def __exit__(self, *args):
        self.destroy()
        return False


class Stream(_OfProgram):
    """A queue of launches: `kernel(..., qd_stream=stream)`. As a context manager it is destroyed at the end. On the CPU a launch is done
    when the call returns.

    Args:
        handle: what the device knows it by; 0: none. `qd.create_stream()` makes streams.

    Attributes:
        handle: likewise.

    Example:
        >>> @qd.kernel
        ... def f() -> qd.i32:
        ...     return 1
        >>> with qd.create_stream() as s:
        ...     f(qd_stream=s)
        1
    """


class Event(_OfProgram):
    """A point in the order of launches.

    Args:
        handle: what the device knows it by; 0: none. `qd.create_event()` makes events.

    Attributes:
        handle: likewise.

    Example:
        >>> with qd.create_event() as e:
        ...     e.record()
        ...     e.synchronize()
    """

    def record(self, qd_stream=None, *, stream=None):
        """Marks the end of what was launched on the stream so far.

        Args:
            qd_stream: a stream; None: the one of launches that name none.
            stream: the same, by its other name.
        """
        self._check()
        check_launch(qd_stream if stream is None else stream)

    def wait(self, qd_stream=None, *, stream=None):
        """What is launched on the stream from now on begins after the event.

        Args:
            qd_stream: a stream; None: the one of launches that name none.
            stream: the same, by its other name.
        """
        self._check()
        check_launch(qd_stream if stream is None else stream)


Stream.__module__ = Event.__module__ = "quadrants"


def check_launch(stream):
    """Raises unless work can be put on `stream`; None stands for the program's own."""
    if stream is None:
        return
    if not isinstance(stream, Stream):
        raise _exceptions.QuadrantsRuntimeTypeError(f"a stream is made by qd.create_stream(), got {stream!r}")
    stream._check()


def create_stream():
    """A stream of the running program, see `qd.Stream`.

    Returns:
        A Stream.

    Example:
        >>> with qd.create_stream() as s:
        ...     s.synchronize()
    """
    return Stream()


def create_event():
    """An event of the running program, see `qd.Event`.

    Returns:
        An Event.

    Example:
        >>> with qd.create_event() as e:
        ...     e.record()
    """
    return Event()
