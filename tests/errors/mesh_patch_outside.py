import quadrants as qd


@qd.kernel
def wrong() -> qd.i32:
    return qd.mesh_patch_idx()


wrong()
