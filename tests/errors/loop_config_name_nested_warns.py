import quadrants as qd

qd.init()


@qd.kernel
def wrong() -> qd.i32:
    s = 0
    for i in range(3):
        qd.loop_config(name="inner")
        for j in range(3):
            s += j
    return s + undefined


wrong()
