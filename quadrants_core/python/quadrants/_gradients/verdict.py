"""The result of qd.ad.check."""

AGREES, WRONG, UNKNOWN = "agrees", "wrong", "cannot say"


def _words(names, most=5):
    names = list(dict.fromkeys(names))
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


class Check:
    """The result of `qd.ad.check`; true if the gradients agree.

    Attributes:
        verdict: "agrees", "wrong" or "cannot say".
        reason: the reason for the verdict.
        places: the (file, line) pairs that a wrong gradient may come from, most likely first.
        of, by: names of the results, and of the inputs with respect to which gradients were compared.
        directions: number of directions in which each input was moved.
        backward, forward, differences: the slopes by the three methods, one for each result, input and direction; those of forward mode are
            None where it cannot follow the program.
        elements: total number of elements with gradients.
        pair: for a wrong gradient, the element and the element that the gradient is taken with respect to; or None.
    """

    def __init__(self, name):
        self.name, self.verdict, self.reason = name, UNKNOWN, ""
        self.places, self.pair = [], None
        self.of, self.by, self.directions = [], [], 0
        self.backward, self.forward, self.differences = [], [], []
        self.elements = 0

    def __bool__(self):
        return self.verdict == AGREES

    @property
    def line(self):
        """The most likely line of a wrong gradient, or None."""
        return self.places[0][1] if self.places else None

    def _compared(self):
        """Describes the comparison in words."""
        if not self.by:
            return ""
        n = self.directions
        return (f"backward agrees with finite differences of {_words(self.of)} by {_words(self.by)}: "
                f"{n} direction{'' if n == 1 else 's'}{' each' if len(self.by) > 1 else ''}")  # fmt: skip

    def _where(self):
        from quadrants import _exceptions, _source

        return [(f"{_source.shown_name(file)}, line {line}", _exceptions._source_line(file, line).strip()) for file, line in self.places]

    def __repr__(self):
        compared = self._compared() if self.verdict == AGREES else ""
        parts = [f"{self.name}: {self.verdict}" + (f" ({compared})" if compared else "")]
        if self.reason:
            parts.append(f"  {self.reason}")
        parts += [f"  {place}: {text}" for place, text in self._where()]
        return "\n".join(parts)

    def _repr_html_(self):
        from quadrants._display import verdict

        return verdict.html(self.name, self.verdict, self._compared(), self.reason, self._where())
