import quadrants as qd

qd.init()


@qd.kernel
def wrong(a: "qd.types.ndarry()"):
    pass
