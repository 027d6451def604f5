"""A window from the program's point of view: a frame that calls add to, events, and pictures of its contents."""

import time

import numpy as np

from quadrants._exceptions import QuadrantsRuntimeError
from quadrants._windows import arrays
from quadrants._windows.process import Memory, Process, executable

MOST_PIXELS = 16384  # maximum size along a side
_KEYS = {"Shift": ("Shift_L", "Shift_R"), "Alt": ("Alt_L", "Alt_R"), "Control": ("Control_L", "Control_R")}


class Surface:
    """The common base of qd.GUI and qd.ui.Window.

    Drawing commands are collected in lists, and arrays are copied into memory shared with the window; `present` sends both and continues
    with a second memory while the window draws from the first.
    """

    def __init__(self, title, size, show=True, fullscreen=False, vsync=False, position=(100, 100), resizable=False, fps_limit=60):
        if executable() is None:
            raise QuadrantsRuntimeError(
                "this build of Quadrants has no windows: it was built without Dear ImGui or GLFW (QD_INSPECTOR); "
                "in notebooks matplotlib shows what fields hold, and qd.tools.imwrite writes pictures"
            )
        self.size = _pair(size, "the size of a window")
        if min(self.size) < 1:
            raise ValueError(f"the size of a window must be at least 1 x 1 pixels, not {self.size[0]} x {self.size[1]}")
        if max(self.size) > MOST_PIXELS:
            raise ValueError(f"the size of a window must be at most {MOST_PIXELS} x {MOST_PIXELS} pixels, not {self.size[0]} x {self.size[1]}")
        hello = {"mode": "window", "title": str(title), "size": self.size, "position": _pair(position, "the place of a window"), "show": bool(show)}
        self.process = Process({**hello, "fullscreen": bool(fullscreen), "vsync": bool(vsync), "resizable": resizable})
        self._memories = [Memory(self.process, 1), Memory(self.process, 2)]
        self._read = Memory(self.process, 3)
        self.fps_limit = fps_limit
        self._next = 0.0
        self._number, self._shown = 0, 0
        self.draw, self.widgets = [], []
        self.background = 0xFF000000
        self.answers, self.presses = {}, set()  # of widgets, by key; presses stay until they are read
        self._actual = None
        self.events, self.pressed, self.pointer = [], set(), (0.0, 0.0)
        self._fresh = False  # whether anything has been drawn since the last frame
        self.closing = False

    @property
    def seen(self):
        return bool(self.process.answer and self.process.answer.get("seen"))

    def visible(self):
        """Returns whether the window can be seen; waits until it has reported this."""
        if self.process.answer is None:
            self.process.wait_for("hello")
        return self.seen

    # frames

    def add(self, what, **members):
        self.draw.append({"do": what, **members})
        self._fresh = True

    def clear(self):
        self.draw = []
        self._memories[0].clear()
        self._fresh = True

    def put(self, array, dtype=np.float32):
        """Copies numbers into the memory of the frame; returns their position."""
        count = array.size
        at = self._memories[0].take(count * np.dtype(dtype).itemsize)
        if count:
            into = np.frombuffer(self._memories[0].view, dtype, count, at).reshape(array.shape)
            np.copyto(into, array, casting="unsafe")
        return at

    def image(self, x, what):
        array, form = arrays.image(x, what)
        at = self.put(array, {"f32": np.float32, "u8": np.uint8, "u16": np.uint16, "u32": np.uint32}[form])
        self.add("image", at=at, size=array.shape[:2], components=array.shape[2], form=form)

    def per_item(self, x, count, what):
        """Returns one length, or an array with one per item."""
        made = arrays.lengths(x, what)
        return {"at": self.put(arrays.numbers(made, count, what))} if isinstance(made, np.ndarray) else made

    def per_vertex(self, colours, count, what):
        """Returns an array of colours with three or four numbers each."""
        array = arrays.host(colours, what)
        if array.ndim > 2 and array.shape[-1] == 1:
            array = array[..., 0]
        if array.ndim < 2 or array.shape[-1] not in (3, 4):
            raise ValueError(f"{what}: a colour has 3 or 4 numbers from 0 to 1; these have the shape {array.shape}")
        array = array.reshape(-1, array.shape[-1])[:count]
        if len(array) < count:
            raise ValueError(f"{what}: {len(array)} colours for {count} things")
        return {"at": self.put(array), "form": f"f{array.shape[1]}"}

    def _send(self):
        """Sends the current frame."""
        self._await(self._number)  # only one frame may be in transit
        memory = self._memories[0]
        memory.reserve(1)
        frame = {"kind": "frame", "number": self._number + 1, "memory": memory.number, "size": self.size, "background": self.background}
        try:
            self.process.send({**frame, "draw": self.draw, "widgets": self.widgets})
        except (TypeError, ValueError):
            self.draw, self.widgets = [], []  # so that the next frame is not affected
            raise
        self._number += 1
        self._fresh = False

    def present(self):
        """Shows the frame and starts a new one."""
        self._send()
        self._memories.reverse()
        self._memories[0].clear()
        self.draw, self.widgets = [], []
        self.poll()
        if self.fps_limit and (self.process.answer is None or self.seen):
            now = time.perf_counter()
            if self._next > now:
                time.sleep(self._next - now)
            self._next = max(self._next, now) + 1 / self.fps_limit

    def _await(self, number):
        while self._shown < number and self.process.alive:
            message = self.process.wait_for("shown", 60.0)
            if message is None:
                break
            self._take(message)

    def settle(self):
        """Waits until the last frame has been shown, and processes the messages that arrived with it."""
        self._await(self._number)
        self.poll()

    def picture(self):
        """Returns the contents of the window as bytes with shape (width, height, 4), y axis upwards; sends pending drawing first."""
        if self._fresh or self._number == 0:
            self._send()
        self._await(self._number)
        width, height = self.window_size()
        size = width * height * 4
        self._read.clear()
        at = self._read.take(size)
        self.process.send({"kind": "read", "memory": self._read.number, "at": at, "bytes": size})
        answer = self.process.wait_for("picture", 60.0)
        if answer is None:
            return np.zeros((width, height, 4), np.uint8)
        rows = np.frombuffer(self._read.view, np.uint8, size, at).reshape(height, width, 4)
        return np.ascontiguousarray(rows[::-1].swapaxes(0, 1))

    def depth(self):
        """Returns the depth as floats with shape (width, height): 1 at the near plane, 0 at the far plane and where the scene is empty."""
        if self._fresh or self._number == 0:
            self._send()
        self._await(self._number)
        width, height = self.size
        self._read.clear()
        at = self._read.take(width * height * 4)
        self.process.send({"kind": "depth", "memory": self._read.number, "at": at, "bytes": width * height * 4})
        if self.process.wait_for("depth", 60.0) is None:
            return np.zeros((width, height), np.float32)
        rows = np.frombuffer(self._read.view, np.float32, width * height, at).reshape(height, width)
        return np.ascontiguousarray(rows[::-1].swapaxes(0, 1))

    def window_size(self):
        return tuple(self._actual or self.size)

    # input

    def poll(self):
        for message in self.process.receive():
            self._take(message)

    def _take(self, message):
        if message["kind"] == "shown":
            self._shown = max(self._shown, message["number"])
            self._actual = message["size"]
            for key, value in message["widgets"].items():
                self.answers[key] = value
                if value is True:
                    self.presses.add(key)
        elif message["kind"] == "input":
            for event in message["events"]:
                self._event(event)

    def _event(self, event):
        kind = event["type"]
        if kind == "move":
            width, height = self.window_size()
            self.pointer = event["x"] / width, 1 - event["y"] / height
            self.events.append(("Move", "Motion", self.pointer, (0, 0)))
        elif kind == "wheel":
            self.events.append(("Move", "Wheel", self.pointer, (event["x"] * 120, event["y"] * 120)))
        elif kind in ("key", "button"):
            (self.pressed.add if event["down"] else self.pressed.discard)(event["key"])
            self.events.append(("Press" if event["down"] else "Release", event["key"], self.pointer, (0, 0)))
        elif kind == "resize":
            self._actual = [int(event["x"]), int(event["y"])]
        elif kind == "close":
            self.closing = True
            self.events.append(("Press", "WMClose", self.pointer, (0, 0)))

    def modifiers(self):
        return [name for name, keys in _KEYS.items() if self.pressed & set(keys)]

    def is_pressed(self, *keys):
        self.poll()
        return any(key in self.pressed or bool(self.pressed & set(_KEYS.get(key, ()))) for key in keys)

    def close(self):
        self.process.close()


def _pair(x, what):
    try:
        first, second = x
        return [arrays.whole(first, what), arrays.whole(second, what)]
    except (TypeError, ValueError):
        raise TypeError(f"{what} must be two integers, not {x!r}") from None
