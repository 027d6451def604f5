"""Functions with unusual spelling: white space, comments, joined lines, literals, and any expression or statement of Python.

    python -m tests.fuzz.spelling --count N --seed S

The core's parser returns the same tree as CPython, including every position, or leaves the function to CPython.
"""

import argparse
import ast
import io
import keyword
import random
import sys
import time
import tokenize
import warnings
from collections import Counter

from tests.fuzz import generate, mutate
from tests.syntax import corpus

_NUMBERS = "0 00 7 1_000 0xFF 0X_ab 0o17 0b1_01 1. .5 1e5 1E-3 1_0.2_5e+1_0 3j 1.5J 0e0 99999999999999999999 1e400 0x7fffffffffffffff 0xffffffffffffffff".split()
_STRINGS = [
    "''", '""', "'a'", '"b\\n"', "r'\\n'", "R'\\''", "b'a\\x00'", "Rb'\\z'", "bR'q'", "u'é'", "'\\u00e9\\U0001F600'", "'\\101\\7'", "'a' \"b\"",
    "'''x\n  y'''", '"""a\\\nb"""', "'a\\\nb'", "f'{a}'", "f'{a!r:>{b}} {{}}'", "rf'\\{a}'", "'a' f'{b}' 'c'", "f'''{\na}'''", "b'x' b'y'", "'#'", "'😀' + z",
]  # fmt: skip
_EXPRESSIONS = [
    "(a)", "((a))", "(a,)", "()", "a, b", "*a, b", "[*a, b]", "[]", "{}", "{a}", "{*a, b}", "{**a, 'b': c}", "{a: b, **c}", "[a for b in c]",
    "{a for b, in c if d if e}", "{a: b for a, b in c for d in e}", "(a for b in c)", "f(a for b in c)", "f(*a, b, **c, d=e)", "f(a)(b)[c].d",
    "f(a, *b, c, d=1, *e, **g,)", "a[b:c]", "a[:]", "a[::d]", "a[b:c:d, ..., e]", "a[*b]", "a[b, *c]", "a[b := c]", "(a := b)", "a if b else c",
    "a if b else c if d else e", "lambda: a", "lambda a, b=1, *c, d, e=2, **g: a", "lambda a, /, b, *, c: (a, b)", "lambda *a: a", "not a",
    "not not a", "a and b or not c", "a < b <= c != d is not e not in g in h is i", "-a ** -b", "~-+a", "a ** b ** c", "(-a) ** b", "a @ b // c % d",
    "a << b >> c & d | e ^ g", "(yield)", "(yield a)", "(yield from a)", "...", "None", "True", "a.b.c", "1 .real", "1.0.real", "'a'.b", "a\\\n+ b",
    "(a\n+\n# c\nb)", "[a,\n\nb\n,]", "f(\n)", "-1", "a-1", "a -1", "print", "match", "case", "_", "type", "a[b](c)", "(a, b)[0]", "(lambda: a)()",
    "[a for a in b if (c, d)]", "[(a, b) for a in b]", "a[b, c:d]", "a[(b, c)]", "a[()]", "{'a': 1}['a']", "é", "ﬁ", "𝐱.ﬁ",
]  # fmt: skip
_STATEMENTS = [
    "pass", "a = b = c", "a, b = c", "(a, b) = c", "[a, *b] = c", "a.b = c", "a[b] = c", "a: b", "a: b = c", "(a): b", "a.b: c = d", "a += b", "a **= b", "a @= b",
    "a //= b", "a >>= b", "a[b] -= yield", "del a", "del a, b[c], d.e", "del (a, b)", "return", "return a", "return a,", "return *a, b", "raise", "raise a", "raise a from b",
    "assert a", "assert a, b", "assert (a, b)", "global g1", "import a", "import a.b as c, d", "from a import b", "from . import a", "from ...a.b import (c as d, e,)",
    "from .. import a as b", "yield", "yield a, b", "a = yield b", "a", "a, b", "a; b; c", "a; b;", "if a: pass", "if a: b; c", "if a: pass\nelse: pass", "if a:\n  b\nelif c: d\nelse:\n    e",
    "while a: break", "while a:\n  continue\nelse:\n  b", "for a in b: pass", "for a, b in c, d: pass\nelse: e", "for a, in b: pass", "for (a, b), *c in d: e", "for a.b in c: d", "for a[b] in *c, d: e",
    "with a: b", "with a as b: c", "with a as b, c as d: e", "with (a as b, c as d): e", "with (a, b): c", "with (a, b) as c: d", "with (a): b", "with (a) as b: c", "with a() as (b, c): d", "with (a as b,): c", "with a, (b): c",
    "with (yield): a", "try: a\nfinally: b", "try: a\nexcept: b", "try:\n a\nexcept b: c\nexcept (d, e) as g: h\nelse: i\nfinally: j", "def a(): b", "def a(b, c=1, /, d=2, *e, g, h=3, **i): j", "def a(*, b): c",
    "def a(b: c = d, *e: g, **h: i) -> j: k", "def a(b,): c", "@a\ndef b(): c", "@a.b(c)\n@d\ndef e(): g", "class A: pass", "class A(b, *c, d=e, **g): h", "class A():\n  a: b = c\n  def d(self): e", "@a\nclass B: c", "lambda: a", "nonlocal_ = 1",
    "'doc'", "if (a := b): c", "a = b if c else d,", "print(a, end='')", "match = 1", "case(a)", "type = b", "async_ = 1", "a = (\nb)\n", "# c", "a # c",
]  # fmt: skip


class _Speller:
    def __init__(self, rng):
        self.rng = rng

    def chance(self, p):
        return self.rng.random() < p

    def text(self, tokens):
        """Returns the tokens with other white space around them."""
        out, indents, depth, at_start = [], [""], 0, True
        last = None
        for token in tokens:
            kind, word = token.type, token.string
            if kind in (tokenize.COMMENT, tokenize.NL, tokenize.ENCODING, tokenize.ENDMARKER):
                continue
            if kind == tokenize.INDENT:
                indents.append(indents[-1] + self.rng.choice([" ", "  ", "    ", "    ", "        ", "\t"]))
            elif kind == tokenize.DEDENT:
                indents.pop()
            elif kind == tokenize.NEWLINE:
                out.append(self.rng.choice(["", "", "", " ", "  # é c\t", "#", "\t"]) + "\n")
                while self.chance(0.08):
                    out.append(self.rng.choice(["\n", "   \n", "# c\n", "            # far: (\n", "\t\n"]))
                at_start, last = True, None
            else:
                if at_start:
                    out.append(indents[-1])
                    at_start = False
                else:
                    out.append(self.between(last, token, depth))
                out.append(word)
                depth += (word in "([{" and kind == tokenize.OP) - (word in ")]}" and kind == tokenize.OP)
                last = token
        return "".join(out)

    def between(self, last, token, depth):
        glued = last.string[-1:].isalnum() or last.string[-1:] in "_'\".\\" or not last.string[-1:].isascii()
        follows = token.string[:1].isalnum() or token.string[:1] in "_'\"." or not token.string[:1].isascii()
        least = " " if glued and follows and not {last.string, token.string} & {"."} or token.string in (":=", "=") or last.string in (":", "=") else ""
        if last.type == tokenize.NUMBER or token.type == tokenize.NUMBER:
            least = " "
        if depth and self.chance(0.04):
            return self.rng.choice(["\n", " # c (\n", "\n\n   ", "\n\t", "  \n# x\n"])
        if self.chance(0.01):
            return " \\\n" + self.rng.choice(["", "  ", "\t"])
        return self.rng.choice([least, least, " ", "  "]) if self.chance(0.5) else " "


def _tokens(text):
    return list(tokenize.generate_tokens(io.StringIO(text).readline))


def _with_odd_part(rng, text):
    """Replaces a name, literal or line by any expression, literal or statement."""
    lines = text.splitlines(True)
    if rng.random() < 0.4:
        k = rng.randrange(len(lines))
        indent = lines[k][: len(lines[k]) - len(lines[k].lstrip())]
        lines[k : k + rng.randrange(2)] = [f"{indent}{part}\n" for part in rng.choice(_STATEMENTS).splitlines()]
        return "".join(lines)
    places = [x for x in _tokens(text) if x.type in (tokenize.NUMBER, tokenize.STRING, tokenize.NAME) and not keyword.iskeyword(x.string)]
    token = rng.choice(places)
    new = rng.choice(rng.choice([_NUMBERS, _STRINGS, _EXPRESSIONS, _EXPRESSIONS]))
    (row, begin), (last, end) = token.start, token.end
    before, after = lines[row - 1][:begin], lines[last - 1][end:]
    lines[row - 1 : last] = [before + (new if rng.random() < 0.5 else f"({new})") + after]
    return "".join(lines)


def _respelled(rng, text):
    return _Speller(rng).text(_tokens(text))


def _is_valid(text):
    try:
        ast.parse(text)
    except (SyntaxError, ValueError):
        return False
    return True


def program(seed, of_tests=True):
    """Returns a valid module with functions of unusual spelling, a generated one or, if requested, a test."""
    rng = random.Random(f"spelling {seed}")
    text = rng.choice(mutate.corpus()) if of_tests and rng.random() < 0.5 else generate.program(rng.randrange(1 << 30))
    for edit in [_with_odd_part] * 12 + [_respelled]:
        try:
            made = edit(rng, text)
        except (tokenize.TokenError, IndentationError):
            continue
        text = made if _is_valid(made) else text
    return text


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    begin, totals = time.time(), Counter()
    warnings.simplefilter("ignore")
    for seed in range(options.seed, options.seed + options.count):
        text = program(seed)
        for outcome, line, difference in corpus.compare(text):
            totals[outcome] += 1
            if outcome == "differs":
                print(f"=== spelling {seed}, line {line}: {difference}", flush=True)
    print(f"{options.count} modules, functions {dict(totals)}, {time.time() - begin:.0f} s")
    return bool(totals["differs"])


if __name__ == "__main__":
    sys.exit(main())
