import quadrants as qd

mesh = qd.Mesh._create_instance(qd.Mesh.generate_meta({"faces": [[0, 1, 2]]}))
mesh.verts.place({"n": qd.i32})


@qd.kernel
def wrong():
    for v in mesh.verts:
        v.n = v.cells.size


wrong()
