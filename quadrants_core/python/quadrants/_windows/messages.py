"""The messages of windows: the members of each kind of message, and their types. Their meaning is documented in docs/design/inspector.md
and widgets/protocol/inspector.ts."""

import math

_MOST = 2.0**53  # limit of numbers in JSON that represent integers
_DEEPEST = 8


def number(value):
    return type(value) in (int, float) and -_MOST <= value <= _MOST


def text(value):
    return type(value) is str


def flag(value):
    return type(value) is bool


def anything(value, depth=0):
    """Validates the value of a widget: a finite number, a string, a flag or a list of these."""
    if type(value) is list:
        return depth < _DEEPEST and all(anything(one, depth + 1) for one in value)
    return value is None or text(value) or flag(value) or type(value) in (int, float) and -math.inf < value < math.inf


def some(kind, count=None):
    return lambda value: type(value) is list and (count is None or len(value) == count) and all(kind(one) for one in value)


def one_of(*words):
    return lambda value: type(value) is str and value in words


def by_name(kind):
    return lambda value: type(value) is dict and all(kind(one) for one in value.values())


def maybe(kind):
    """Makes a validator for an optional member."""

    def check(value):
        return value is None or kind(value)

    check.optional = True
    return check


def members(**kinds):
    def check(value):
        return type(value) is dict and all(
            kind(value[name]) if name in value else hasattr(kind, "optional") for name, kind in kinds.items()
        )

    return check


_pair = some(number, 2)
_events = {
    "key": members(key=text, down=flag),
    "button": members(key=text, down=flag),
    "move": members(x=number, y=number),
    "wheel": members(x=number, y=number),
    "text": members(text=text),
    "resize": members(x=number, y=number),
    "close": members(),
}


def _event(value):
    return members(type=one_of(*_events))(value) and _events[value["type"]](value)


_view = members(
    id=number, width=number, height=number, component=number, slice=some(number), first=some(number)
)

# Messages of every window; any other message ends the connection.
ANSWERS = {
    "hello": members(version=number, renderer=maybe(text), software=maybe(flag), seen=maybe(flag), size=maybe(_pair)),
    "input": members(events=some(_event)),
    "picture": members(size=_pair),
    "depth": members(size=_pair),
    "shown": members(number=maybe(number), size=maybe(_pair), widgets=maybe(by_name(anything)), view=maybe(number)),
}
# Requests of the window of qd.inspect().
REQUESTS = {
    "want": members(panes=some(text), views=some(_view)),
    "shown": members(view=number),
    "set": members(name=text, value=number),
    "edit": members(view=number, index=some(number), component=number, value=text),
    "do": members(what=one_of("pause", "step", "resume", "stop", "mark", "clear")),
    "save": members(path=text),
}
# Messages before a window takes over a connection (_inspect/sockets.py).
MEETING = {
    "attach": members(version=number),
    "ask": members(),
    "attached": members(),
    "refused": members(why=text),
    "program": members(program=text, attached=flag),
}


def is_message(value, kinds):
    """Returns whether it is a valid message; kinds that are not listed may have any members."""
    return type(value) is dict and text(value.get("kind")) and kinds.get(value["kind"], members())(value)
