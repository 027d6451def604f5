import quadrants as qd


class Base:
    def __init__(self):
        self.x = 3


class Heir(Base):
    @staticmethod
    @qd.kernel
    def k(n: qd.i32) -> qd.i32:
        return super().x


Heir.k(3)
