import quadrants as qd

qd.init()


@qd.dataclass
class Row:
    r: qd.types.vector(3, qd.f32, unpacked=True)


@qd.kernel
def wrong() -> qd.f32:
    row = Row()
    return row.r[3]


wrong()
