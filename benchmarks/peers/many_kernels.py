"""Writes a module of many kernels of ordinary size, all different, in the language of one implementation.

The module has `calls(v, x, b, a, f)`: a list of functions, each of which calls one kernel once on small data.
"""

HEADS = {
    "quadrants_like": "from quadrants_like import V1, V2, qd\n",
    "numba_kernels": "import math\nfrom numba import njit, prange\nfast = dict(parallel=True, fastmath=True, cache=True)\n",
    "warp_kernels": "import warp as wp\nA1, A2 = wp.array(dtype=wp.float32), wp.array2d(dtype=wp.float32)\n",
}

SAXPY = {
    "quadrants_like": """
@qd.kernel
def k{i}(y: V1, x: V1, a: qd.f32):
    for i in range(x.shape[0]):
        y[i] = a * x[i] + {c} * y[i]
""",
    "numba_kernels": """
@njit(**fast)
def k{i}(y, x, a):
    for i in prange(x.shape[0]):
        y[i] = a * x[i] + {c} * y[i]
""",
    "warp_kernels": """
@wp.kernel
def w{i}(y: A1, x: A1, a: wp.float32):
    i = wp.tid()
    y[i] = a * x[i] + {c} * y[i]
def k{i}(y, x, a):
    wp.launch(w{i}, dim=x.shape[0], inputs=[y, x, a], device="cpu")
""",
}
STENCIL = {
    "quadrants_like": """
@qd.kernel
def k{i}(b: V2, a: V2):
    for i, j in qd.ndrange((1, a.shape[0] - 1), (1, a.shape[1] - 1)):
        b[i, j] = {c} * (a[i, j] + a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])
""",
    "numba_kernels": """
@njit(**fast)
def k{i}(b, a):
    for i in prange(1, a.shape[0] - 1):
        for j in range(1, a.shape[1] - 1):
            b[i, j] = {c} * (a[i, j] + a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])
""",
    "warp_kernels": """
@wp.kernel
def w{i}(b: A2, a: A2):
    r, s = wp.tid()
    i = r + 1
    j = s + 1
    b[i, j] = {c} * (a[i, j] + a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])
def k{i}(b, a):
    wp.launch(w{i}, dim=(a.shape[0] - 2, a.shape[1] - 2), inputs=[b, a], device="cpu")
""",
}
FORCES = {
    "quadrants_like": """
@qd.kernel
def k{i}(f: V1, p: V1):
    for i in range(p.shape[0]):
        x, s = p[i], 0.0
        for j in range(p.shape[0]):
            d = p[j] - x
            s += d / qd.sqrt(d * d + {c})
        f[i] = s
""",
    "numba_kernels": """
@njit(**fast)
def k{i}(f, p):
    for i in prange(p.shape[0]):
        x, s = p[i], 0.0
        for j in range(p.shape[0]):
            d = p[j] - x
            s += d / math.sqrt(d * d + {c})
        f[i] = s
""",
    "warp_kernels": """
@wp.kernel
def w{i}(f: A1, p: A1):
    i = wp.tid()
    x = p[i]
    s = float(0.0)
    for j in range(p.shape[0]):
        d = p[j] - x
        s += d / wp.sqrt(d * d + {c})
    f[i] = s
def k{i}(f, p):
    wp.launch(w{i}, dim=p.shape[0], inputs=[f, p], device="cpu")
""",
}
USES = ["k{i}(v, x, 0.5)", "k{i}(b, a)", "k{i}(f, x)"]


def write(path, language, count):
    text = HEADS[language]
    for i in range(count):
        text += (SAXPY, STENCIL, FORCES)[i % 3][language].format(i=i, c=0.2 + i / 1024)
    text += "\ndef calls(v, x, b, a, f):\n    return [\n"
    text += "".join(f"        lambda: {USES[i % 3].format(i=i)},\n" for i in range(count)) + "    ]\n"
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
