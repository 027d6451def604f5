import quadrants as qd

qd.init()


@qd.func
def total(x):
    return qd.simt.subgroup.reduce_all_add(x)


@qd.kernel
def wrong():
    for i in range(64):
        total(i)


wrong()
