import quadrants as qd

mesh = qd.Mesh._create_instance(qd.Mesh.generate_meta({"faces": [[0, 1, 2]]}))
mesh.verts.place({"n": qd.i32})


@qd.kernel(fastcache=True)
def right(mesh: qd.template()):
    for v in mesh.verts:
        v.n = 1


@qd.kernel(fastcache=True)
def wrong():
    for v in mesh.verts:
        v.n = 1


right(mesh)
wrong()
