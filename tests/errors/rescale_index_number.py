import quadrants as qd

x = qd.field(qd.f32, shape=4)


@qd.kernel
def wrong():
    for I in qd.grouped(x):
        print(qd.rescale_index(x, 3, I))


wrong()
