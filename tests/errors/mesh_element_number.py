import quadrants as qd

mesh = qd.Mesh._create_instance(qd.Mesh.generate_meta({"faces": [[0, 1, 2]]}))
x = qd.field(qd.f32, shape=3)


@qd.kernel
def wrong():
    for v in mesh.verts:
        x[v] = 1.0


wrong()
