import quadrants as qd

qd.init()


@qd.kernel
def wrong(first_argument: qd.i32, second_argument: qd.i32) -> qd.i32:
    return first_argument * second_argument + first_argument * second_argument - undefined_name + first_argument


wrong(1, 2)
