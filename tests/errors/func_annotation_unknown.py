import quadrants as qd

qd.init()


@qd.func
def wrong(
    a: qd.f32,
    b: "nonsense",  # noqa: F821
):
    return a + b
