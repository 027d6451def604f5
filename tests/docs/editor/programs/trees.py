"""A sparse tree, and a list on a dynamic level."""

import quadrants as qd

qd.init(arch=qd.cpu)
cells = qd.field(qd.i32)
block = qd.root.pointer(qd.ij, (4, 4))
block.dense(qd.ij, (2, 2)).place(cells)
numbers = qd.field(qd.i32)
numbers_of = qd.root.dynamic(qd.i, 64, chunk_size=8)
numbers_of.place(numbers)


@qd.kernel
def grow():
    for i in range(8):
        cells[i, i] = 1
    for i, j in cells:
        qd.append(numbers_of, [], i * 10 + j)


@qd.kernel
def active() -> qd.i32:
    n = 0
    for i, j in block:
        n += 1
    return n


grow()
assert active() == 4
