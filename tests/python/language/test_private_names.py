"""`__x` in a class is `_Class__x`, as in Python."""

import dataclasses

import numpy as np
import pytest
import quadrants as qd

__scale = 5


@qd.func
def __twice(x):
    return x * 2


def twice_outside(x):
    return __twice(x)


def test_members_constants_and_methods(both):
    @qd.data_oriented
    class World:
        __rate = 3

        def __init__(self):
            self.__x = qd.field(qd.i32, 4)
            self.__count = 7
            self._World__own = 2
            self.__dunder__ = 11

        @qd.func
        def __grown(self, v):
            return v * self.__rate + World.__rate

        @staticmethod
        @qd.func
        def __plus(__a, b=1):
            return __a * 10 + b

        @qd.kernel
        def run(self, __n: qd.i32) -> qd.i32:
            for i in self.__x:
                __t = i + __n
                self.__x[i] = self.__grown(__t) + self.__count
            __s = [__k + 1 for __k in (1, 2)]
            total = (__u := __s[0]) + __u
            return World.__plus(self.__own, b=total) + self.__dunder__ + World.__plus(1, b=__s[1])

        def values(self):
            return self.__x.to_numpy().tolist()

    class Heir(World):
        __rate = 100

        @qd.kernel
        def mine(self) -> qd.i32:
            return self.__rate

    def program():
        world, heir = World(), Heir()
        return world.run(5), world.values(), heir.run(1), heir.mine()

    assert both(program) == (24 + 11 + 13, [(i + 5) * 3 + 3 + 7 for i in range(4)], 48, 100)


def test_classes_with_underscores_functions_inside_and_enclosing_variables(both):
    def program():
        __free = 4

        class __Odd:
            __k = 9

            def make(self):
                __inner = 2

                @qd.kernel
                def kernel(x: qd.i32) -> qd.i32:
                    return x * __Odd.__k + __inner + (lambda_(x) if qd.static(True) else 0)

                return kernel

        class _:
            __k = 1

            @staticmethod
            @qd.kernel
            def kernel(x: qd.i32) -> qd.i32:
                return x + _.__k

        @qd.kernel
        def outside(x: qd.i32) -> qd.i32:
            return x + __free

        globals()["_Odd__Odd"] = __Odd
        return __Odd().make()(3), _.kernel(1), outside(2)

    @qd.func
    def lambda_(x):
        return x

    globals()["lambda_"] = lambda_
    assert both(program) == (27 + 2 + 3, 2, 6)


def test_dataclasses(both):
    @dataclasses.dataclass
    class Pack:
        __a: qd.types.NDArray[qd.i32, 1]
        __n: qd.i32

        @qd.func
        def total(self, i):
            return self.__a[i] + self.__n

    @qd.dataclass
    class Point:
        __x: qd.i32
        y: qd.i32

        @qd.func
        def moved(self, by):
            return Point(self.__x + by, self.y)

        @qd.func
        def first(self):
            q = self.moved(1)
            q.__x += 10
            return q.__x

    def program():
        @qd.kernel
        def k(p: Pack, q: Point) -> qd.i32:
            return p.total(1) + q.first() + p._Pack__n

        return k(Pack(np.array([1, 2], np.int32), 5), Point(3, 4))

    assert both(program) == 2 + 5 + 14 + 5


def test_names_that_are_not_private(both):
    def program():
        @qd.kernel
        def k(x: qd.i32) -> qd.i32:
            return x * __scale + __twice(x)

        return k(2)

    assert both(program) == 14


def test_errors_name_what_python_would(arch):
    class World:
        @staticmethod
        @qd.kernel
        def run() -> qd.i32:
            return __missing

    with pytest.raises(qd.QuadrantsNameError, match='Name "_World__missing" is not defined'):
        World.run()
