import quadrants as qd


f = qd.field(qd.f32, shape=(2, 2))


@qd.kernel
def wrong():
    for I in qd.static(qd.grouped(f)):
        pass


wrong()
