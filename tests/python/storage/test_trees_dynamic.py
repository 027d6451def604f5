"""Dynamic levels: appended cells."""

import pytest
import quadrants as qd


def test_append_and_length():
    x = qd.field(qd.i32)
    row = qd.root.dense(qd.i, 4).dynamic(qd.j, 100, chunk_size=8)
    row.place(x)

    @qd.kernel
    def fill() -> qd.i32:
        last = 0
        for i in range(4):
            for k in range(i * 30):
                last = qd.append(row, [i], k * 10)
        return last

    @qd.kernel
    def more() -> qd.i32:
        return x[1].append(77) * 1000 + x[1].length()

    @qd.kernel
    def length(i: qd.i32) -> qd.i32:
        return qd.length(row, i)

    @qd.kernel
    def clear():
        x[1].deactivate()
        qd.deactivate(row, [2])

    fill()
    assert [length(i) for i in range(4)] == [0, 30, 60, 90]
    assert more() == 30 * 1000 + 31 and x[1, 30] == 77 and x[3, 89] == 890
    clear()
    assert [length(i) for i in range(4)] == [0, 0, 0, 90]
    x[0, 40] = 5
    assert length(0) == 41 and x[0, 39] == 0


def test_append_of_vectors_and_several_members():
    v = qd.Vector.field(3, qd.f32)
    n = qd.field(qd.i32)
    row = qd.root.dynamic(qd.i, 1000, chunk_size=16)
    row.place(v, n)

    @qd.kernel
    def fill():
        for k in range(500):
            qd.append(row, [], [1.0 * k, 2.0 * k, 3.0 * k, k])

    @qd.kernel
    def wrong() -> qd.i32:
        bad = 0
        for k in n:
            if v[k][0] != n[k] or v[k].y != 2 * n[k] or v[k].z != 3 * n[k]:
                bad += 1
        return bad

    fill()
    assert wrong() == 0
    assert sorted(n[k] for k in range(500)) == list(range(500))


def test_structs_in_dynamic_levels():
    particle = qd.types.struct(mass=qd.f32, pos=qd.types.vector(2, qd.i32))
    x = particle.field()
    qd.root.dense(qd.i, 3).dynamic(qd.j, 20, chunk_size=4).place(x, offset=(1, 0))

    @qd.kernel
    def fill() -> qd.i32:
        last = 0
        for k in range(5):
            last += x[2].append(particle(mass=k * 0.5, pos=[k, -k]))
        return last * 100 + x[2].length() * 10 + x[1].length()

    @qd.kernel
    def total() -> qd.f32:
        s = 0.0
        for i, j in x:
            s += x[i, j].mass * 100 + x[i, j].pos.x - i
        return s

    assert fill() == 1050
    assert x[2, 4].mass == 2 and x[2, 3].pos.to_list() == [3, -3]
    assert total() == 500 + 10 - 10


def test_appends_of_many_threads(arch):
    x = qd.field(qd.i32)
    cells = qd.root.dense(qd.i, 3).dynamic(qd.j, 1 << 16, chunk_size=4)
    cells.place(x)
    n = 300 if arch != "cpu" else 30000

    @qd.kernel
    def fill():
        for k in range(n):
            qd.append(cells, [k % 3], k)

    fill()
    got = x.to_numpy()
    for r in range(3):
        assert sorted(got[r][: n // 3].tolist()) == list(range(r, n, 3))


@pytest.mark.parametrize("kind", ["scalar", "vector", "struct"])
def test_methods_of_a_field_along_a_dynamic_level(kind):
    vec2 = qd.types.vector(2, qd.f32)
    edge = qd.types.struct(p=vec2, n=qd.i32)
    x = {"scalar": lambda: qd.field(qd.f32), "vector": lambda: qd.Vector.field(2, qd.f32), "struct": edge.field}[kind]()
    qd.root.dynamic(qd.i, 64, chunk_size=8).place(x)

    @qd.kernel
    def fill(n: qd.i32) -> qd.i32:
        x.deactivate()
        for i in range(n):
            if qd.static(kind == "struct"):
                x.append(edge(p=vec2(i, 1), n=i))
            elif qd.static(kind == "vector"):
                x.append(vec2(i, 1))
            else:
                x.append(float(i))
        return x.length()

    @qd.kernel
    def total() -> qd.f32:
        s = 0.0
        for i in range(x.length()):
            if qd.static(kind == "struct"):
                s += x[i].p.x + x[i].n
            elif qd.static(kind == "vector"):
                s += x[i].x + x[i].y
            else:
                s += x[i]
        return s

    assert fill(10) == 10 and total() == {"scalar": 45, "vector": 55, "struct": 90}[kind]
    assert fill(3) == 3 and total() == {"scalar": 3, "vector": 6, "struct": 6}[kind]
