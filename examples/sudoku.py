"""Sudoku: backtracking on many boards at once, with a separate search for each.

The search is that of S. W. Golomb and L. D. Baumert (Backtrack programming, J. ACM 12, 1965): it always continues at the
cell with the fewest possible digits. The puzzles are two that Arto Inkala made to be hard, one from P. Norvig's list
(Solving every Sudoku puzzle, 2006) and one with 17 clues, the smallest possible number (G. McGuire, B. Tugemann, G.
Civario, Experimental Mathematics 23, 2014).

Look at: the solutions. Each puzzle has exactly one, and each copy of a puzzle, with digits renamed and rows, columns and
blocks swapped, has the copy of that solution. Boards of 4 by 4 can be filled in 288 ways. How long a search takes is a
matter of luck with the order of cells and digits: see the spread over the copies of one puzzle.
"""

import sys
from pathlib import Path

import numpy as np
import quadrants as qd

qd.init(arch=qd.cpu)

SMALL = "--small" in sys.argv
Boards = qd.types.ndarray(dtype=qd.i32, ndim=2)  # one row of cells per board; 0 is an empty cell
PUZZLES = {
    "Inkala 2006": "1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3..",
    "Inkala 2010": "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..",
    "Norvig": "85...24..72......9..4.........1.7..23.5...9...4...........8..7..17..........36.4.",
    "17 clues": ".......1.4.........2...........5.4.7..8...3....1.9....3..4..2...5.1........8.6...",
}


@qd.func
def block(cell, k: qd.template()):
    return cell // (k**3) * k + cell % (k * k) // k


@qd.func
def count_bits(x):
    n = 0
    while x != 0:
        x &= x - 1
        n += 1
    return n


@qd.kernel
def solve(boards: Boards, solutions: Boards, found: Boards, trail: Boards, most: qd.i32, k: qd.template()):
    """Finds up to `most` solutions of each board of k^2 * k^2 cells; found: the number of solutions and of digits tried."""
    for b in range(boards.shape[0]):
        # The digits, as bits, that each row, column and block can still take.
        rows = qd.Vector([2 ** (k * k) - 1] * (k * k))
        columns, blocks = rows, rows
        for cell in range(k**4):
            digit = boards[b, cell]
            solutions[b, cell] = digit
            if digit > 0:
                rows[cell // (k * k)] ^= 1 << (digit - 1)
                columns[cell % (k * k)] ^= 1 << (digit - 1)
                blocks[block(cell, k)] ^= 1 << (digit - 1)

        solved, tried, depth, deeper = 0, 0, 0, True
        while depth >= 0 and solved < most:
            if deeper:  # choose the next cell
                best, best_left, fewest = -1, 0, k * k + 1
                for cell in range(k**4):
                    if solutions[b, cell] == 0:
                        left = rows[cell // (k * k)] & columns[cell % (k * k)] & blocks[block(cell, k)]
                        n = count_bits(left)
                        if n < fewest:
                            best, best_left, fewest = cell, left, n
                trail[b, 2 * depth] = best
                trail[b, 2 * depth + 1] = best_left
            at, left = trail[b, 2 * depth], trail[b, 2 * depth + 1]
            if deeper and at < 0:
                solved += 1
            elif not deeper:  # undo the digit that was tried here
                digit = solutions[b, at]
                rows[at // (k * k)] |= 1 << (digit - 1)
                columns[at % (k * k)] |= 1 << (digit - 1)
                blocks[block(at, k)] |= 1 << (digit - 1)
                solutions[b, at] = 0
            deeper = at >= 0 and left != 0
            if deeper:
                bit = left & -left
                trail[b, 2 * depth + 1] = left ^ bit
                rows[at // (k * k)] ^= bit
                columns[at % (k * k)] ^= bit
                blocks[block(at, k)] ^= bit
                solutions[b, at] = count_bits(bit - 1) + 1
                tried += 1
                depth += 1
            elif solved < most:
                depth -= 1
        found[b, 0] = solved
        found[b, 1] = tried


def search(boards: np.ndarray, most: int, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    boards = np.ascontiguousarray(boards.reshape(len(boards), -1), np.int32)
    solutions, found = np.zeros_like(boards), np.zeros((len(boards), 2), np.int32)
    solve(boards, solutions, found, np.zeros((len(boards), 2 * k**4 + 2), np.int32), most, k)
    return solutions.reshape(-1, k * k, k * k), found[:, 0], found[:, 1]


def shuffles(rng: np.random.Generator):
    """Returns a random function that renames digits and swaps rows and columns so that a valid board stays valid."""
    digits = np.concatenate([[0], rng.permutation(9) + 1])
    rows, columns = ((3 * rng.permutation(3)[:, None] + np.array([rng.permutation(3) for _ in range(3)])).ravel() for _ in "rc")
    turn = rng.random() < 0.5
    return lambda board: digits[(board.T if turn else board)[rows][:, columns]]


# 4 by 4: each of the 24 first rows can be completed in 12 ways.
first_rows = np.array([p for p in np.ndindex(4, 4, 4, 4) if len(set(p)) == 4]) + 1
small = np.zeros((24, 4, 4), np.int32)
small[:, 0] = first_rows
_, ways, _ = search(small, 1000, 2)
print("boards of 4 by 4:", ways.sum())
assert (ways == 12).all() and ways.sum() == 288

rng = np.random.default_rng(4)
puzzles = np.array([[int(c) if c != "." else 0 for c in text] for text in PUZZLES.values()]).reshape(-1, 9, 9)
_, ways, _ = search(puzzles, 2, 3)
print("solutions of each puzzle:", ways.tolist())
assert (ways == 1).all()
answers, _, _ = search(puzzles, 1, 3)
for lines in (answers, answers.transpose(0, 2, 1), answers.reshape(-1, 3, 3, 3, 3).swapaxes(2, 3).reshape(-1, 9, 9)):
    assert (np.sort(lines) == np.arange(1, 10)).all()
copies = [shuffles(rng) for _ in range(2 if SMALL else 150)]
copied = np.array([copy(puzzle) for puzzle in puzzles for copy in copies])
solutions, ways, tried = search(copied, 1, 3)
assert np.array_equal(solutions, np.array([copy(answer) for answer in answers for copy in copies]))
tried = tried.reshape(len(puzzles), -1)
print("digits tried, median:", dict(zip(PUZZLES, np.median(tried, axis=1).astype(int).tolist())))

import matplotlib.pyplot as plt

plt.style.use(Path(__file__).with_name("quadrants.mplstyle"))
fig, (left, right) = plt.subplots(1, 2, width_ratios=[1, 1.3])
for k in range(10):
    for draw in (left.axhline, left.axvline):
        draw(k, color="#1d2530", lw=2 if k % 3 == 0 else 0.5)
for i, j in np.ndindex(9, 9):
    given = puzzles[1].reshape(9, 9)[i, j] > 0
    colour, weight = ("#1d2530", "bold") if given else ("#1f6f8b", "normal")
    left.text(j + 0.5, 8.5 - i, answers[1, i, j], ha="center", va="center_baseline", fontsize=14, color=colour, weight=weight)
left.set(xlim=(0, 9), ylim=(0, 9), xticks=[], yticks=[], aspect="equal", title="Inkala 2010, and its one solution")
left.spines[:].set_visible(False)
bins = np.geomspace(tried.min(), tried.max() + 1, 40)
for row, (name, counts) in enumerate(zip(PUZZLES, tried)):
    height, _ = np.histogram(counts, bins)
    right.fill_between(bins[:-1], 3 - row, 3 - row + 0.9 * height / height.max(), step="post", alpha=0.85, lw=0)
    right.text(bins[0] * 0.95, 3 - row + 0.1, name, fontsize=9, ha="right")
right.set(xscale="log", yticks=[], xlabel="digits tried by the search", title="Copies of a puzzle, by the length of the search")
right.xaxis.set_minor_formatter("")
right.set_ylim(0, 4)
right.spines["left"].set_visible(False)
Path("out").mkdir(exist_ok=True)
fig.savefig("out/sudoku.png")
