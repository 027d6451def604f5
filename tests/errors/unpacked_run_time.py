import quadrants as qd

qd.init()


@qd.dataclass
class Row:
    r: qd.types.vector(3, qd.f32, unpacked=True)


@qd.kernel
def wrong(i: qd.i32):
    row = Row()
    row.r[i] = 1.0


wrong(1)
