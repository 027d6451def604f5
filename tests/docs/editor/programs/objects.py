"""A class with kernels."""

import quadrants as qd

qd.init(arch=qd.cpu)


@qd.data_oriented
class Counter:
    def __init__(self, size: int) -> None:
        self.size = size
        self.counts = qd.field(qd.i32, shape=size)

    @qd.kernel
    def add(self, by: qd.i32):
        for i in self.counts:
            self.counts[i] += self.scaled(by)

    @qd.func
    def scaled(self, by: qd.i32) -> qd.i32:
        return 2 * by

    def total(self) -> int:
        return int(self.counts.to_numpy().sum())


counter = Counter(5)
counter.add(3)
counter.add(by=1)
assert counter.total() == 40 and counter.size == 5
