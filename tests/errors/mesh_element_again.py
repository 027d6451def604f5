import quadrants as qd

mesh = qd.Mesh._create_instance(qd.Mesh.generate_meta({"faces": [[0, 1, 2]]}))


@qd.kernel
def wrong():
    for f in mesh.faces:
        v = f.verts[0]
        v = f.edges[1]


wrong()
