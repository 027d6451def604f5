"""Conway's Game of Life: patterns whose fate is in every book about it.

The rule is the one that M. Gardner published (Scientific American 223, October 1970): a cell is born with three live
neighbours and survives with two or three. The fates of the patterns are from E. Berlekamp, J. Conway and R. Guy, Winning
Ways, chapter 25, and the LifeWiki.

Look at: the R-pentomino, five cells that take 1103 generations to settle as 116 cells, including six gliders; the
picture shows when each cell was last alive. A glider moves one cell along the diagonal in 4 generations, and the
lightweight spaceship two cells in 4; Diehard vanishes at generation 130; Gosper's gun fires a glider every 30
generations.
"""

import sys
from pathlib import Path

import numpy as np
import quadrants as qd

qd.init(arch=qd.cpu)

SMALL = "--small" in sys.argv
Cells = qd.types.ndarray(dtype=qd.u8, ndim=2)


@qd.kernel
def generation(now: Cells, after: Cells) -> qd.i32:
    """Computes the next generation inside a dead border and returns its population."""
    alive = 0
    for i, j in qd.ndrange((1, now.shape[0] - 1), (1, now.shape[1] - 1)):
        around = (
            now[i - 1, j - 1] + now[i - 1, j] + now[i - 1, j + 1] + now[i, j - 1]
            + now[i, j + 1] + now[i + 1, j - 1] + now[i + 1, j] + now[i + 1, j + 1]
        )  # fmt: skip
        after[i, j] = qd.u8(around == 3 or (around == 2 and now[i, j] == 1))
        alive += after[i, j]
    return alive


@qd.kernel
def remember(now: Cells, when: qd.types.ndarray(dtype=qd.i32, ndim=2), time: qd.i32):
    for i, j in now:
        if now[i, j] == 1:
            when[i, j] = time


def plane(picture: str, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Returns two planes of size * size cells; the first has the picture in its middle."""
    rows = picture.split("/")
    cells = np.zeros((size, size), np.uint8)
    for i, row in enumerate(rows):
        for j, c in enumerate(row):
            cells[i + (size - len(rows)) // 2, j + (size - len(row)) // 2] = c == "#"
    return cells, np.zeros_like(cells)


def evolve(picture: str, size: int, times: int):
    """Returns the first and the last plane, the population at each time, and when each cell was last alive."""
    now, after = plane(picture, size)
    first, when, population = now.copy(), np.full(now.shape, -1, np.int32), [int(now.sum())]
    for time in range(times):
        remember(now, when, time)
        population.append(generation(now, after))
        now, after = after, now
    return first, now, np.array(population), when


GLIDER, SPACESHIP = ".#./..#/###", "#..#./....#/#...#/.####"
DIEHARD, R_PENTOMINO = "......#./##....../.#...###", ".##/##./.#."
GUN = (
    "........................#/......................#.#/............##......##............##/"
    "...........#...#....##............##/##........#.....#...##/##........#...#.##....#.#/"
    "..........#.....#.......#/...........#...#/............##"
)
GUN = "/".join(row.ljust(36, ".") for row in GUN.split("/"))

first, last, _, _ = evolve(GLIDER, 32, 12)
assert np.array_equal(last, np.roll(first, (3, 3), (0, 1))), "the glider's speed is c/4 along the diagonal"
first, last, _, _ = evolve(SPACESHIP, 48, 20)
assert np.array_equal(last, np.roll(first, 10, 1)), "the lightweight spaceship's speed is c/2"
_, _, population, _ = evolve(DIEHARD, 64, 132)
assert population[129] > 0 and population[130] == 0, "Diehard dies at 130"
print("glider c/4, spaceship c/2, Diehard gone at generation", np.argmax(population == 0))

_, _, population, _ = evolve(GUN, 64 if SMALL else 160, 60 if SMALL else 240)
gained = population[30::30] - population[:-30:30]
assert (gained == 5).all(), "the gun's period is 30, a glider has 5 cells"
print("Gosper's gun: a glider every 30 generations,", len(gained), "times")

times = 200 if SMALL else 1200
_, last, population, when = evolve(R_PENTOMINO, 128 if SMALL else 640, times)
if not SMALL:
    settled = times - np.argmax(population[::-1] != 116) + 1
    assert settled == 1103 and population[-1] == 116 and population.max() == 319, "fate of the R-pentomino"
    print(f"R-pentomino settles at generation {settled} as {population[-1]} cells")

import matplotlib.pyplot as plt
from matplotlib.colors import LinearSegmentedColormap

plt.style.use(Path(__file__).with_name("quadrants.mplstyle"))
fig, (left, right) = plt.subplots(1, 2, width_ratios=[1, 1.1])
trail = LinearSegmentedColormap.from_list("trail", ["#1b2a3a", "#1f6f8b", "#8fc1a9", "#f4d58d"])
trail.set_bad("#0d1117")
left.imshow(np.ma.masked_less(when, 0), cmap=trail, interpolation="antialiased", interpolation_stage="rgba")
y, x = np.nonzero(last)
left.scatter(x, y, s=1.2, c="w", marker="s", linewidths=0)
left.set(xticks=[], yticks=[], title="R-pentomino: when each cell was last alive")
right.plot(population)
right.axhline(116, color="#d1603d", lw=1, ls="--")
right.text(times * 0.98, 102, "116 cells in the end", color="#d1603d", fontsize=8.5, ha="right")
right.set(title="Population", xlabel="generation", xlim=(0, times), ylim=(0, None))
right.grid(axis="y")
Path("out").mkdir(exist_ok=True)
fig.savefig("out/game_of_life.png")
