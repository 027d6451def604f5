import quadrants as qd

mesh = qd.Mesh._create_instance(qd.Mesh.generate_meta({"faces": [[0, 1, 2]]}))


@qd.kernel
def wrong():
    for f in mesh.faces:
        v = f.verts[0] if f.id > 3 else f.edges[0]
        print(v.id)


wrong()
