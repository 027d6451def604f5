import quadrants as qd

qd.init()


@qd.kernel
def wrong(a: qd.types.NDArray[qd.f32, 2]):
    for i in range(32):
        t = qd.simt.Tile16x16.zeros(dtype=qd.f32)
        t += qd.outer(1.0, 2.0)


wrong(qd.ndarray(qd.f32, (16, 16)))
