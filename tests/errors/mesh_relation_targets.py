import quadrants as qd

mesh = qd.Mesh._create_instance(qd.Mesh.generate_meta({"faces": [[0, 1, 2]]}))


@qd.kernel
def wrong():
    for f in mesh.faces:
        for v, w in f.verts:
            pass


wrong()
