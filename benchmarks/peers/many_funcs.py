"""Writes a module with one kernel that calls many funcs, each with its own source text: a hundred operations, all of them used."""

FUNC = """
@qd.func
def f{i}(x, y):
"""
LINES = [
    "    a{k} = {x} * {y} + {c} - {y} * 0.5\n",
    "    a{k} = 0.25 * ({x} - {c}) + {y} * ({y} - {x})\n",
    "    a{k} = qd.max({x} - {y} * {c}, 0.125 * {x}) - {y}\n",
    "    a{k} = qd.min({x} * {c}, {y}) * 0.5 + {x}\n",
]
LENGTH = 24  # lines per func
TAIL = "    return qd.min(qd.max({x}, -1.0), 1.0), qd.min(qd.max({y}, -1.0), 1.0)\n"
KERNEL = """
@qd.kernel
def run(out: V1, a: V1):
    for p in a:
        x, y = a[p], 0.5
"""


def write(path, count):
    text = "from quadrants_like import V1, qd\n"
    for i in range(count):
        text += FUNC.format(i=i)
        x, y = "x", "y"
        for k in range(LENGTH):
            text += LINES[(i + k) % len(LINES)].format(k=k, x=x, y=y, c=0.25 + (i * LENGTH + k) / 16384)
            x, y = y, f"a{k}"
        text += TAIL.format(x=x, y=y)
    text += KERNEL + "".join(f"        x, y = f{i}(x, y)\n" for i in range(count)) + "        out[p] = x + y\n"
    path.write_text(text)
