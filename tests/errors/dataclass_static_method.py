import quadrants as qd


@qd.dataclass
class Point:
    x: qd.f32

    @staticmethod
    @qd.func
    def at(x):
        return x
