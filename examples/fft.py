"""Fast Fourier transform, used to compute the diffraction pattern of a round hole.

The algorithm is that of J. W. Cooley and J. W. Tukey (Mathematics of Computation 19, 1965) in the order of T. G.
Stockham (AFIPS 28, 1966), which needs no separate bit reversal: each of the log2(n) passes reads one array and writes
another, with all butterflies of all rows in parallel.

Look at: the difference from numpy's result, the inverse transform, Parseval's sum; and the light far behind a round
hole, which is the squared magnitude of the hole's transform. G. B. Airy (Trans. Cambridge Phil. Soc. 5, 1835) computed
that its first dark ring is at 1.21967 wavelengths over the diameter, and that the second bright ring has 1.75 %
of the intensity of the centre.
"""

import sys
from pathlib import Path

import numpy as np
import quadrants as qd

qd.init(arch=qd.cpu)

SMALL = "--small" in sys.argv
Rows = qd.types.ndarray(dtype=qd.math.vec2, ndim=2)  # rows of complex numbers


@qd.kernel
def butterflies(x: Rows, y: Rows, span: qd.i32, sign: qd.f32):
    """Runs one pass: combines pairs of transforms of length `span` in x into transforms of twice that length in y."""
    n = x.shape[1]
    for row, k in qd.ndrange(x.shape[0], n // 2):
        at = k % span
        w = qd.math.cexp(qd.math.vec2(0.0, sign * qd.math.pi * at / span))
        a, b = x[row, k], qd.math.cmul(w, x[row, k + n // 2])
        out = 2 * (k - at) + at
        y[row, out] = a + b
        y[row, out + span] = a - b


@qd.kernel
def transpose(x: Rows, y: Rows):
    for i, j in x:
        y[j, i] = x[i, j]


def fft(x: qd.Ndarray, spare: qd.Ndarray, sign: float = -1.0) -> tuple[qd.Ndarray, qd.Ndarray]:
    """Transforms the rows of x; returns the array that holds the result, and the other one."""
    span = 1
    while span < x.shape[1]:
        butterflies(x, spare, span, sign)
        x, spare, span = spare, x, 2 * span
    return x, spare


def fft2(x: qd.Ndarray, spare: qd.Ndarray) -> tuple[qd.Ndarray, qd.Ndarray]:
    for _ in range(2):
        x, spare = fft(x, spare)
        transpose(x, spare)
        x, spare = spare, x
    return x, spare


def upload(z: np.ndarray) -> tuple[qd.Ndarray, qd.Ndarray]:
    arrays = [qd.Vector.ndarray(2, qd.f32, shape=z.shape) for _ in range(2)]
    arrays[0].from_numpy(np.stack([np.real(z), np.imag(z)], axis=-1).astype(np.float32))
    return arrays[0], arrays[1]


def download(x: qd.Ndarray) -> np.ndarray:
    pairs = x.to_numpy().astype(np.float64)
    return pairs[..., 0] + 1j * pairs[..., 1]


rng = np.random.default_rng(1)
rows, n = (8, 256) if SMALL else (64, 4096)
signal = rng.normal(size=(rows, n)) + 1j * rng.normal(size=(rows, n))
x, spare = fft(*upload(signal))
spectrum, expected = download(x), np.fft.fft(signal)
off = np.abs(spectrum - expected).max() / np.abs(expected).max()
back = np.abs(download(fft(x, spare, 1.0)[0]) / n - signal).max()
parseval = (np.abs(spectrum) ** 2).sum() / (n * (np.abs(signal) ** 2).sum())
print(f"off numpy by {off:.1e}, there and back by {back:.1e}, Parseval 1 + {parseval - 1:.1e}")
assert off < 2e-6 and back < 1e-5 and abs(parseval - 1) < 1e-6

# A hole of diameter d in a plane of size x size; a cell on its edge has the fraction of its area that is open.
size, d = (256, 24.0) if SMALL else (1024, 48.0)
r = np.hypot(*(np.meshgrid(*(np.arange(size) - size / 2,) * 2)))
hole = np.clip(d / 2 - r + 0.5, 0, 1)
light = np.abs(np.fft.fftshift(download(fft2(*upload(hole + 0j))[0]))) ** 2
light /= light.max()
angle = np.arange(size // 2) * d / size  # in wavelengths over the diameter, along a row from the middle
along = light[size // 2, size // 2 :]

amplitude = np.sqrt(along)
first = np.argmax(np.diff(along) > 0)  # the ring is where the amplitude changes its sign, so on a line between two samples
near, far = (first - 1, first) if amplitude[first - 1] < amplitude[first + 1] else (first, first + 1)
ring = angle[near] + amplitude[near] / (amplitude[near] + amplitude[far]) * angle[1]
second = first + np.argmax(along[first : 3 * first // 2])
print(f"first dark ring at {ring:.4f} (Airy: 1.2197), second bright ring {along[second]:.4f} (Airy: 0.0175)")
assert abs(ring - 1.21967) < 0.01 and abs(along[second] - 0.0175) < (1e-3 if SMALL else 2e-4)

import matplotlib.pyplot as plt

plt.style.use(Path(__file__).with_name("quadrants.mplstyle"))
fig, (left, right) = plt.subplots(1, 2, width_ratios=[1, 1.2])
reach = int(5 * size / d)
middle = slice(size // 2 - reach, size // 2 + reach + 1)
left.imshow(np.log10(light[middle, middle] + 1e-9), vmin=-4.2, vmax=0, extent=(-5, 5, -5, 5), interpolation="bicubic")
left.set(xlabel="angle in wavelengths / diameter", title="Light behind a round hole (log)")
right.semilogy(angle, along)
right.axvline(1.21967, color="#d1603d", lw=1, ls="--")
right.text(1.27, 0.4, "1.2197", color="#d1603d", fontsize=9)
right.set(xlim=(0, 5), ylim=(1e-6, 1.5), title="Along a line from the middle", xlabel="angle in wavelengths / diameter")
right.grid(axis="y")
Path("out").mkdir(exist_ok=True)
fig.savefig("out/fft.png")
