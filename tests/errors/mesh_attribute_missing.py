import quadrants as qd

mesh = qd.Mesh._create_instance(qd.Mesh.generate_meta({"faces": [[0, 1, 2]]}))


@qd.kernel
def wrong():
    for v in mesh.verts:
        v.mass = 1.0


wrong()
