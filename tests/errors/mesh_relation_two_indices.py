import quadrants as qd

mesh = qd.Mesh._create_instance(qd.Mesh.generate_meta({"faces": [[0, 1, 2]]}))
mesh.verts.place({"n": qd.i32})


@qd.kernel
def wrong():
    for f in mesh.faces:
        f.verts[0, 1].n = 1


wrong()
