"""Directions of derivatives: a number for each element of each variable."""

import math


class Group:
    """A field or an array, which is judged as a whole. `at` are the indices of its components among the variables."""

    def __init__(self, name):
        self.name, self.at = name, []


def groups_of(variables):
    found = {}
    for k, variable in enumerate(variables):
        found.setdefault(variable.owner(), Group(variable.whole())).at.append(k)
    return list(found.values())


class Directions:
    """Numbers for each element of each variable."""

    def __init__(self, variables):
        self.variables = variables
        self.sizes = [1] * len(variables)
        for k, variable in enumerate(variables):
            for extent in variable.shape:
                self.sizes[k] *= extent

    def zero(self):
        import numpy as np

        return [np.zeros(v.shape, _numpy(v)) for v in self.variables]

    def random(self, rng, sizes):
        """Returns random signs times 0.5 to 1.5 times the sizes in {index of a variable: sizes of its elements}; 0 for all others."""
        import numpy as np

        made = self.zero()
        for k in sorted(sizes):
            shape = self.variables[k].shape
            factors = np.asarray(rng.uniform(-1, 1, shape))
            factors += np.copysign(0.5, factors)
            factors *= sizes[k]
            made[k] = factors.astype(_numpy(self.variables[k]), copy=False)
        return made

    def kept(self, direction, low, high):
        """Returns a direction with only the elements low to high, numbered consecutively over all variables; the others are 0."""
        import numpy as np

        out, at = [], 0
        for values in direction:
            made = np.zeros_like(values)
            first, last = max(low - at, 0), min(high - at, values.size)
            if first < last:
                made.reshape(-1)[first:last] = values.reshape(-1)[first:last]
            at += values.size
            out.append(made)
        return out

    def at(self, number):
        """Returns (variable, index) of an element."""
        import numpy as np

        for v, size in zip(self.variables, self.sizes):
            if number < size:
                return v, tuple(int(i) for i in np.unravel_index(number, v.shape)) if v.shape else ()
            number -= size
        return None


def scale(values, alike):
    """Returns how far each element may move: in proportion to its own value, or, if alike, to that of the field."""
    import numpy as np

    size = np.abs(values.astype(np.float64))
    holds = size[np.isfinite(size) & (size > 0)]
    usual = 1.0 if not holds.size else float(np.sqrt(np.mean(np.square(holds)))) if alike else float(np.median(holds))
    return np.full(values.shape, usual) if alike else np.where(np.isfinite(size) & (size > 0), size, usual)


def _numpy(variable):
    from quadrants import _dtypes

    return _dtypes.numpy_dtype(variable.dtype)


def terms(a, b):
    """Returns the elementwise products for the variables whose first factor is not all 0."""
    import numpy as np

    return [np.multiply(x, y, dtype=np.float64) for x, y in zip(a, b) if x.any()]


def dot(a, b):
    return float(sum(t.sum() for t in terms(a, b)))


def size(a, b):
    """Returns (sum of absolute values, root of the sum of squares) of the terms of a dot product."""
    products = terms(a, b)
    return float(sum(abs(t).sum() for t in products)), _root(products)


def cancelled(a, b):
    """The dot product against the root of the sum of squares of its terms: small where they cancel. 1 if it has no size."""
    products = terms(a, b)
    total, root = float(sum(t.sum() for t in products)), _root(products)
    return abs(total) / root if math.isfinite(total) and root else 1.0


def _root(products):
    return float(sum((t * t).sum() for t in products)) ** 0.5
