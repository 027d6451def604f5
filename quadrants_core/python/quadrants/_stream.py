"""Streams and events: the order of launches.

All launches go to one stream of the device, so they execute in order whatever streams they name; on the CPU a launch has completed when the
call returns. An event therefore always precedes the launches after it: these objects only validate their use, and wait. Their `handle` is
0, as on every backend without streams of its own.
"""

from quadrants import _exceptions, _native, _runtime


class _OfProgram:
    """An object of the running program; using it after the program's end raises an error."""

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
        """Waits until all earlier launches have completed; on the CPU it returns at once."""
        self._check()
        _native.core().sync()

    def destroy(self):
        """Releases the device resources. Calling it again, or after qd.reset(), has no effect."""
        self.handle = 0

    def __enter__(self):
        return self

    def __exit__(self, *args):
        self.destroy()
        return False


class Stream(_OfProgram):
    """A queue of launches: `kernel(..., qd_stream=stream)`. As a context manager, it is destroyed at the end of the block. On the CPU, a
    launch has completed when the call returns.

    Args:
        handle: the device's handle; 0: none. `qd.create_stream()` makes streams.

    Attributes:
        handle: the device's handle, or 0.

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
        handle: the device's handle; 0: none. `qd.create_event()` makes events.

    Attributes:
        handle: the device's handle, or 0.

    Example:
        >>> with qd.create_event() as e:
        ...     e.record()
        ...     e.synchronize()
    """

    def record(self, qd_stream=None, *, stream=None):
        """Records the event after all work launched on the stream so far.

        Args:
            qd_stream: a stream; None: the default stream.
            stream: alias of `qd_stream`.
        """
        self._check()
        check_launch(qd_stream if stream is None else stream)

    def wait(self, qd_stream=None, *, stream=None):
        """Makes all later launches on the stream wait for the event.

        Args:
            qd_stream: a stream; None: the default stream.
            stream: alias of `qd_stream`.
        """
        self._check()
        check_launch(qd_stream if stream is None else stream)


Stream.__module__ = Event.__module__ = "quadrants"


def check_launch(stream):
    """Raises unless work can be launched on `stream`; None is the default stream."""
    if stream is None:
        return
    if not isinstance(stream, Stream):
        raise _exceptions.QuadrantsRuntimeTypeError(f"a stream is made by qd.create_stream(), got {stream!r}")
    stream._check()


def create_stream():
    """Makes a stream of the running program, see `qd.Stream`.

    Returns:
        A Stream.

    Example:
        >>> with qd.create_stream() as s:
        ...     s.synchronize()
    """
    return Stream()


def create_event():
    """Makes an event of the running program, see `qd.Event`.

    Returns:
        An Event.

    Example:
        >>> with qd.create_event() as e:
        ...     e.record()
    """
    return Event()
