"""Funcs called through Python callables, and Python classes whose instances kernels make."""

from tests.fuzz.statements import Statements
from tests.fuzz.writer import Function

OPERATORS = {"add": "+", "sub": "-", "mul": "*"}
MEMBERS = [("self.a", "int", False), ("self.b", "real", False)]


class Callables(Statements):
    def callables(self):
        """Writes the callables; the funcs that they call exist already."""
        if self.chance(0.5):
            self.object_with_call()
        able = [f for f in self.functions if f.result in ("int", "real") and f.params and all(k in ("int", "real") for _, k, _ in f.params)]
        for f in self.some(able, min(len(able), 2)):
            self.partial(f)

    def partial(self, f):
        name = self.fresh("f")
        first, last = f.params[0], f.params[-1]
        if self.chance(0.5):
            self.lines += [f"{name} = functools.partial({f.name}, {self.value(first[1], 0)})", ""]
            rest = f.params[1:]
        else:
            self.lines += [f"{name} = functools.partial({f.name}, {last[0]}={self.value(last[1], 0)})", ""]
            rest = f.params[:-1]
        self.functions.append(Function(name, rest, f.result))

    def object_with_call(self):
        kind, name = self.pick("int", "real"), self.fresh("f")
        params = [(self.fresh("p"), kind, "") for _ in range(self.rng.randint(1, 2))]
        self.lines += [f"class C{name}:", "    def __init__(self, n):", "        self.n = n", ""]
        result = self.within([("self.n", "int", False), *((n, k, False) for n, k, _ in params)], kind)
        is_func = "qd." in result or self.chance(0.5)  # Python calls others if the values are known
        self.lines += ["    @qd.func"] * is_func
        self.lines += [f"    def __call__(self, {', '.join(n for n, _, _ in params)}):", f"        return {result}", "", ""]
        self.lines += [f"{name} = C{name}({self.literal_int()})", "", ""]
        self.functions.append(Function(name, params, kind))

    def within(self, names, kind):
        """Returns an expression of the names only."""
        outer, self.scopes = self.scopes, [names]
        text = self.condition(1) if kind == "condition" else self.value(kind, 2)
        self.scopes = outer
        return text

    def plain_class(self):
        self.has_class = True
        both = [*MEMBERS, ("o.a", "int", False), ("o.b", "real", False)]
        of_int = [*MEMBERS, ("p", "int", False)]
        self.lines += ["class Num:", f"    def __init__(self, a, b={self.literal_real()}):", "        self.a = a", "        self.b = b", ""]
        methods = [(f"__{word}__(self, o)", f"Num({self.within(both, 'int')}, {self.within(both, 'real')})") for word in OPERATORS]
        methods += [("__neg__(self)", f"Num({self.within(MEMBERS, 'int')}, b={self.within(MEMBERS, 'real')})")]
        methods += [("__lt__(self, o)", self.within(both, "condition")), ("__getitem__(self, p)", self.within(of_int, "int"))]
        methods += [("mixed(self, p)", self.within(of_int, "real")), ("size(self)", self.within(MEMBERS, "int"))]
        for head, result in methods:
            self.lines += ["    @property"] * head.startswith("size") + ["    @qd.func"] * (head.startswith("mixed") and self.chance(0.5))
            self.lines += [f"    def {head}:", f"        return {result}", ""]
        self.lines += ["    def grow(self, by):", "        self.a += by", "        self.b = by * 2", "", ""]
        self.lines += [f"unit = Num({self.literal_int()}, {self.literal_real()})", "", ""]

    def instance(self, depth=1):
        names = self.variables("obj")
        if depth <= 0 or not names:
            b = self.pick("", f", {self.real(1)}", f", b={self.real(0)}")
            return self.pick(*names * 2, f"Num({self.integer(1)}{b})")
        return self.pick(
            f"({self.pick(*names)} {self.pick(*OPERATORS.values())} {self.instance(depth - 1)})",
            f"({self.pick(*names, 'unit')} {self.pick(*OPERATORS.values())} {self.pick(*names)})",
            f"(-{self.pick(*names)})",
            f"({self.instance(0)} if {self.condition(0)} else {self.instance(0)})",
        )

    def through(self, f, args):
        """Returns a call of a func with parameters of one kind through a builtin."""
        if len(args) == 1 and f.result == "record":
            return f"{f.name}({args[0]})"  # structs have no sum
        if len(args) == 1:
            return f"sum(map({f.name}, [{args[0]}, {self.value(f.result, 1)}]))"
        return f"functools.reduce({f.name}, [{', '.join([*args, self.value(f.result, 0)])}])"
