"""A torus in a sparse grid: only the cells near its surface take memory.

The tree resembles K. Museth's VDB (ACM Trans. Graphics 32, 2013): a root, two levels of pointers, and leaves of 8 x 8 x
8 cells that hold the distance to the surface. Leaves are activated when they are written; those far from the surface are
deactivated again. The area is computed from the distances on the grid with the smeared delta function of S. Osher and R.
Fedkiw (Level Set Methods, 2003, chapter 1).

Look at: the area 4 pi^2 R r and the volume 2 pi^2 R r^2 of the torus, as Pappus knew them; the number of cells in the
band, which is the area times the width of the band, out of many millions.
"""

import sys
from pathlib import Path

import numpy as np
import quadrants as qd

qd.init(arch=qd.cpu)

SMALL = "--small" in sys.argv
RES = 128 if SMALL else 512  # cells along the box, which goes from -1 to 1
LEAF, INNER = 8, 4
DX, BAND = 2 / RES, 3.0  # BAND: width in cells on each side of the surface
BIG, TUBE = 0.6, 0.25
vec3 = qd.types.vector(3, qd.f32)

distance = qd.field(qd.f32)
inner = qd.root.pointer(qd.ijk, RES // LEAF // INNER)
leaf = inner.pointer(qd.ijk, INNER)
leaf.dense(qd.ijk, LEAF).place(distance)


@qd.func
def place_of(cell):
    return (cell + 0.5) * DX - 1


@qd.func
def torus(p):
    ring = qd.Vector([p.x, p.y]).norm() - BIG
    return qd.sqrt(ring * ring + p.z * p.z) - TUBE


@qd.kernel
def fill():
    """Activates the leaves that the band may touch, by writing their cells."""
    for block in qd.grouped(qd.ndrange(RES // LEAF, RES // LEAF, RES // LEAF)):
        middle = (block + 0.5) * (LEAF * DX) - 1
        if abs(torus(middle)) < (BAND + 0.87 * LEAF) * DX:
            for offset in qd.grouped(qd.ndrange(LEAF, LEAF, LEAF)):
                cell = block * LEAF + offset
                distance[cell] = torus(place_of(cell))


@qd.kernel
def prune():
    """Deactivates the leaves that the band does not touch."""
    for i, j, k in leaf:
        nearest = 1e9
        for offset in qd.grouped(qd.ndrange(LEAF, LEAF, LEAF)):
            nearest = min(nearest, abs(distance[qd.Vector([i, j, k]) * LEAF + offset]))
        if nearest > BAND * DX:
            qd.deactivate(leaf, [i, j, k])


@qd.kernel
def count_leaves() -> qd.i32:
    n = 0
    for i, j, k in leaf:
        n += 1
    return n


@qd.func
def gradient(cell):
    g = vec3(0.0)
    for a in qd.static(range(3)):
        step = qd.Vector.unit(3, a, qd.i32)
        g[a] = (distance[cell + step] - distance[cell - step]) / (2 * DX)
    return g


@qd.kernel
def measure() -> qd.types.vector(3, qd.f64):
    """Returns the cells in the band, the area, and the volume as a third of the sum of position times normal (Gauss)."""
    result = qd.Vector([0.0, 0.0, 0.0], dt=qd.f64)
    for cell in qd.grouped(distance):
        d = distance[cell]
        if abs(d) <= BAND * DX:
            result[0] += 1.0
        if abs(d) < 1.5 * DX:
            g = gradient(cell)
            delta = (1 + qd.cos(np.pi * d / (1.5 * DX))) / (3 * DX)
            share = delta * g.norm() * DX**3
            result[1] += share
            result[2] += share * place_of(cell).dot(g.normalized()) / 3
    return result


@qd.kernel
def render(image: qd.types.ndarray(dtype=vec3, ndim=2), eye: vec3, right: vec3, up: vec3, ahead: vec3):
    """Marches along each ray, by half a leaf where no leaf is active; shades the leaves alternately, like a chessboard."""
    for i, j in image:
        y, x = (i + 0.5) / image.shape[0] - 0.5, (j + 0.5) / image.shape[1] - 0.5
        ray = (ahead + x * right + y * up).normalized()
        colour, t = vec3(0.051, 0.067, 0.09), 0.3
        while t < 4.5:
            p = eye + t * ray
            cell = qd.cast(qd.floor((p + 1) / DX), qd.i32)
            step = 4 * DX
            if cell.min() > 1 and cell.max() < RES - 2:
                if qd.is_active(leaf, cell // LEAF):
                    d = distance[cell]
                    step = max(abs(d) * 0.7, 0.3 * DX)
                    if d < 0.4 * DX:
                        block = cell // LEAF
                        tone = 0.75 + 0.25 * ((block.x + block.y + block.z) % 2)
                        light = gradient(cell).normalized().dot(vec3(0.4, -0.5, 0.77))
                        colour = tone * qd.math.mix(vec3(0.09, 0.22, 0.3), vec3(0.98, 0.86, 0.6), 0.5 + 0.5 * light)
                        break
            t += step
        image[i, j] = colour


fill()
filled = count_leaves()
prune()
leaves, (cells, area, volume) = count_leaves(), measure()
true_area, true_volume = 4 * np.pi**2 * BIG * TUBE, 2 * np.pi**2 * BIG * TUBE**2
print(f"{leaves} leaves awake (before: {filled}) of {(RES // LEAF) ** 3}; {cells:.0f} cells of {RES**3} in the band")
print(f"area {area:.5f}, Pappus {true_area:.5f}; volume {volume:.5f}, Pappus {true_volume:.5f}")
tolerance = 2e-2 if SMALL else 2e-3
assert abs(area / true_area - 1) < tolerance and abs(volume / true_volume - 1) < tolerance
assert abs(cells / (true_area * 2 * BAND / DX**2) - 1) < tolerance
assert leaves < filled < (RES // LEAF) ** 3 / (4 if SMALL else 16)

import matplotlib.pyplot as plt

plt.style.use(Path(__file__).with_name("quadrants.mplstyle"))
image = qd.Vector.ndarray(3, qd.f32, shape=(100, 180) if SMALL else (420, 760))
eye = np.array([0.35, -1.75, 1.15])
ahead = np.array([0.0, -0.16, -0.1]) - eye
ahead /= np.linalg.norm(ahead)
right = np.cross(ahead, (0, 0, 1)) / np.linalg.norm(np.cross(ahead, (0, 0, 1)))
render(image, *(vec3(*v.tolist()) for v in (eye, 1.15 * right, 1.15 / 1.81 * np.cross(right, ahead), ahead)))


@qd.kernel
def slice_at(j: qd.i32, out: qd.types.ndarray(dtype=qd.f32, ndim=2)):
    for i, k in out:
        at = qd.Vector([i + 5 * RES // 8, j, k + 5 * RES // 16])
        out[i, k] = distance[at] / DX if qd.is_active(leaf, at // LEAF) else 100.0


band = np.zeros((3 * RES // 8, 3 * RES // 8), np.float32)
slice_at(RES // 2, band)
fig, (left, middle) = plt.subplots(1, 2, width_ratios=[1.8, 1], figsize=(10, 3.9))
left.imshow(image.to_numpy(), interpolation="bilinear")
left.set(xticks=[], yticks=[], title=f"{leaves} leaves, each 8 x 8 x 8 cells")
extent = (0.25, 1, -0.375, 0.375)
band = np.ma.masked_greater(band, 50).T
middle.imshow(band, cmap="RdYlBu", vmin=-14, vmax=14, extent=extent)
middle.contour(band, [0], extent=extent, colors="#1d2530", linewidths=1.2)
middle.set_facecolor("#efece4")
for k in range(3 * RES // 8 // LEAF):
    middle.axvline(extent[0] + k * LEAF * DX, color="#8a8f98", lw=0.25)
    middle.axhline(extent[2] + k * LEAF * DX, color="#8a8f98", lw=0.25)
middle.set(xticks=[], yticks=[], title="A cut through the tube: what is awake")
Path("out").mkdir(exist_ok=True)
fig.savefig("out/sparse_grid.png")
