"""The possible values of sums and products of reals that loops make in memory, in any grouping, if a part of them overflows: 0 * 1e30 *
1e30 is 0 or nan, and 3e38 + 3e38 - 3e38 is inf or 3e38."""

import ast

import numpy as np

_SUMS = "sums"
_SCALE = 2.0**-24  # scales sums so that they do not overflow

# Transformations of an amount y or of a factor. The logarithm of 0 is -inf.
_PARTS = {
    "+": (f"qd.max(y, 0.0) * {_SCALE}", f"qd.max(-y, 0.0) * {_SCALE}", "0.0"),
    "*": ("qd.max(qd.log(abs(y)), 0.0)", "qd.max(-qd.log(abs(y)), 0.0)", "0.0"),
}


_FUNCTIONS = """
@qd.func
def part_of(x):
    y = qd.cast(x, qd.KIND)
    return PART


@qd.func
def part_of_negative(x):
    return part_of(-qd.cast(x, qd.KIND))
"""


def _sum_may_be(x, largest, least, positive, negative, start):
    """True where a sum of these parts may be x in some order."""
    up, down = ((part - start) / _SCALE + np.maximum(sign * start, 0) for part, sign in ((positive, 1), (negative, -1)))
    above, below = (part > 0.999 * largest for part in (up, down))
    infinite = np.where(x > 0, above, below)
    return np.where(np.isnan(x), above & below, np.where(np.isinf(x), infinite, abs(up - down) <= 1.001 * largest))


def _product_may_be(x, largest, least, large, small, start):
    """The same for a product, from the logarithms of its factors; values below `least` become 0."""
    large, small = (part - start + np.maximum(sign * np.log(abs(start)), 0) for part, sign in ((large, 1), (small, -1)))
    over, to_zero, has_zero = large > np.log(largest) - 0.1, small > -np.log(least) - 0.1, np.isinf(small)
    finite = np.where(x == 0, to_zero & np.isfinite(large), ~has_zero & (large - small <= np.log(largest) + 0.1))
    return np.where(np.isnan(x), over & to_zero, np.where(np.isinf(x), over & ~has_zero, finite))


def _is_sums(node):
    return (isinstance(node, ast.Name) and node.id == _SUMS) or (isinstance(node, ast.Attribute) and node.attr == _SUMS)


def _is_element(target):
    while isinstance(target, ast.Subscript):
        if _is_sums(target.value):
            return True
        target = target.value
    return False


class _Parts(ast.NodeTransformer):
    """Makes `sums` add only a part of each amount."""

    def __init__(self):
        self.ops, self.is_used_otherwise = set(), False

    def visit_AugAssign(self, node):
        if not _is_element(node.target):
            return self.generic_visit(node)
        function = "part_of_negative" if isinstance(node.op, ast.Sub) else "part_of"
        node.value = ast.Call(ast.Name(function, ast.Load()), [self.visit(node.value)], [])
        self.ops.add("*" if isinstance(node.op, ast.Mult) else "+")
        node.op = ast.Add()
        return node

    def visit_Subscript(self, node):
        self.is_used_otherwise |= _is_sums(node.value)
        return self.generic_visit(node)


def _position(main):
    """Returns the position of `sums` among the near results."""
    near = next(n for n in ast.walk(main) if isinstance(n, ast.Return)).value.elts[1].elts
    found = [k for k, n in enumerate(near) if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and _is_sums(n.func.value)]
    return found[0] if len(found) == 1 and not any(isinstance(n, ast.Starred) for n in near) else None


class Overflows:
    """The overflows of one program. `run` returns the near results of a text, or None if it does not end."""

    def __init__(self, text, run):
        self.text, self.run = text, run
        self.found = None

    def explain(self, number, expected, got, differs):
        """True if all differing elements of near result `number` are possible in some order on both sides, one of them by an overflow."""
        expected, got = expected[differs], got[differs]
        if np.any(np.isfinite(expected) & np.isfinite(got)):
            return False
        if self.found is None:
            self.found = self._find(expected.dtype)
        position, is_product, parts = self.found
        if number != position or parts[0].shape != differs.shape:
            return False
        may_be, parts = _product_may_be if is_product else _sum_may_be, [p[differs].astype(float) for p in parts]
        both = ~np.isnan(expected) & ~np.isnan(got)
        if is_product and np.any(both & (np.signbit(expected) != np.signbit(got))):
            return False
        with np.errstate(all="ignore"):
            info = np.finfo(expected.dtype)
            return all(np.all(may_be(x, float(info.max), float(info.tiny), *parts)) for x in (expected, got))

    def _find(self, kind):
        """Returns the number of the result, True for products, and the sums of the parts of its amounts; the last is its initial value."""
        tree = ast.parse(self.text)
        first = next(k for k, n in enumerate(tree.body) if isinstance(n, (ast.FunctionDef, ast.ClassDef)))
        position = _position(tree.body[-1])
        change = _Parts()
        for node in tree.body[first:-1]:
            change.visit(node)
        if position is None or change.is_used_otherwise or len(change.ops) != 1:
            return None, False, ()
        (op,) = change.ops
        parts = []
        for part in _PARTS[op]:
            functions = ast.parse(_FUNCTIONS.replace("KIND", f"f{8 * kind.itemsize}").replace("PART", part))
            body = [*tree.body[:first], *functions.body, *tree.body[first:]]
            near = self.run(ast.unparse(ast.fix_missing_locations(ast.Module(body, []))) + "\n")
            if near is None:
                return None, False, ()
            parts.append(near[position])
        return position, op == "*", parts
