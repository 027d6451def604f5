"""qd.ui.Scene and qd.ui.Camera: three-dimensional scenes and their point of view."""

import math
import time

import numpy as np

from quadrants._windows import arrays


def _normals(vertices, triples, count):
    """Returns one normal per vertex: the mean of the normals of its triangles, which are (a - b) x (a - c)."""
    a, b, c = (vertices[triples[:, k]] for k in range(3))
    faces = np.cross(a - b, a - c)
    lengths = np.linalg.norm(faces, axis=1, keepdims=True)
    faces = np.divide(faces, lengths, out=np.zeros_like(faces), where=lengths > 0)
    sums = [sum(np.bincount(triples[:, k], faces[:, axis], count) for k in range(3)) for axis in range(3)]
    return np.stack(sums, axis=1)


class Scene:
    """Particles, meshes and lines, lit by an ambient light and point lights. Everything is declared again in each frame and then drawn with
    `canvas.scene(scene)`.

    Example:
        >>> import numpy as np
        >>> window = qd.ui.Window("a ball", (64, 64), show_window=False)
        >>> scene, camera = window.get_scene(), qd.ui.Camera()
        >>> camera.position(0, 0, 3)
        >>> camera.lookat(0, 0, 0)
        >>> scene.set_camera(camera)
        >>> scene.ambient_light((1, 1, 1))
        >>> scene.particles(np.zeros((1, 3), np.float32), radius=0.5, color=(0, 1, 0))
        >>> window.get_canvas().scene(scene)
        >>> window.get_image_buffer_as_numpy()[32, 32].tolist()
        [0.0, 1.0, 0.0, 1.0]
        >>> window.destroy()
    """

    def __init__(self):
        self._camera = None
        self._begin()

    def _begin(self):
        self._lights, self._ambient, self._things = [], [0.0, 0.0, 0.0], []

    def set_camera(self, camera):
        """Sets the camera of the scene.

        Args:
            camera: a `qd.ui.Camera`.
        """
        self._camera = camera

    def point_light(self, pos, color):
        """Adds a point light.

        Args:
            pos: the position, three numbers.
            color: the colour, three numbers from 0 to 1.
        """
        self._lights.append({"place": arrays.row(pos, "point_light", "pos")[:3], "colour": arrays.row(color, "point_light", "color")[:3]})

    def ambient_light(self, color):
        """Sets the ambient light.

        Args:
            color: the colour, three numbers from 0 to 1.
        """
        self._ambient = arrays.row(color, "ambient_light", "color")[:3]

    def particles(
        self, centers, radius, color=(0.5, 0.5, 0.5), per_vertex_color=None, per_vertex_radius=None, index_offset=0, index_count=None
    ):
        """Adds spheres.

        Args:
            centers: a field of 3-vectors.
            radius: the radius of all spheres.
            color: the colour of all spheres; 3 or 4 numbers from 0 to 1.
            per_vertex_color: one colour per sphere, overrides `color`.
            per_vertex_radius: one radius per sphere, overrides `radius`.
            index_offset: index of the first sphere to draw.
            index_count: number of spheres to draw; None: all that follow.
        """
        things = slice(index_offset, None if index_count is None else index_offset + index_count)
        centers = arrays.points(centers, 3, "particles")
        sizes = arrays.lengths(radius if per_vertex_radius is None else per_vertex_radius, "particles")
        colour = arrays.word_of(color, "particles")
        self._things.append(("balls", dict(centers=centers, sizes=sizes, colour=colour, colors=per_vertex_color, part=things)))

    def lines(
        self, vertices, width, indices=None, color=(0.5, 0.5, 0.5), per_vertex_color=None, vertex_offset=0, vertex_count=None, index_offset=0,
        index_count=None,
    ):  # fmt: skip
        """Adds lines.

        Args:
            vertices: a field of 3-vectors; without `indices`, each consecutive pair is a line.
            width: the width in pixels.
            indices: indices of the vertices, two per line.
            color: the colour of all lines.
            per_vertex_color: one colour per vertex, overrides `color`.
            vertex_offset: index of the first vertex; with `indices`, an offset added to each index.
            vertex_count: number of vertices to draw, without `indices`.
            index_offset: position of the first index to draw.
            index_count: number of indices to draw.
        """
        vertices = arrays.points(vertices, 3, "lines")
        chosen = _chosen(indices, len(vertices), vertex_offset, vertex_count, index_offset, index_count, 2, "lines")
        width, colour = arrays.number(width, "lines: width"), arrays.word_of(color, "lines")
        self._things.append(("lines", dict(vertices=vertices, width=width, chosen=chosen, colour=colour, colors=per_vertex_color)))

    def mesh(
        self, vertices, indices=None, normals=None, color=(0.5, 0.5, 0.5), per_vertex_color=None, two_sided=False, vertex_offset=0,
        vertex_count=None, index_offset=0, index_count=None, show_wireframe=False,
    ):  # fmt: skip
        """Adds triangles.

        Args:
            vertices: a field of 3-vectors; without `indices`, each consecutive triple is a triangle.
            indices: indices of the vertices, three per triangle.
            normals: one normal per vertex; None: the mean of the normals of its triangles.
            color: the colour of all triangles.
            per_vertex_color: one colour per vertex, overrides `color`.
            two_sided: whether to light the back side like the front.
            vertex_offset: index of the first vertex; with `indices`, an offset added to each index.
            vertex_count: number of vertices to draw, without `indices`.
            index_offset: position of the first index to draw.
            index_count: number of indices to draw.
            show_wireframe: whether to draw only the edges of the triangles.
        """
        self.mesh_instance(
            vertices, indices, normals, color, per_vertex_color, two_sided, None, 0, None, vertex_offset, vertex_count, index_offset, index_count,
            show_wireframe,
        )  # fmt: skip

    def mesh_instance(
        self, vertices, indices=None, normals=None, color=(0.5, 0.5, 0.5), per_vertex_color=None, two_sided=False, transforms=None,
        instance_offset=0, instance_count=None, vertex_offset=0, vertex_count=None, index_offset=0, index_count=None, show_wireframe=False,
    ):  # fmt: skip
        """Adds several instances of the same mesh.

        Args:
            vertices: as for `mesh`.
            indices: as for `mesh`.
            normals: as for `mesh`.
            color: as for `mesh`.
            per_vertex_color: as for `mesh`.
            two_sided: as for `mesh`.
            transforms: a field of 4x4 matrices, one per instance.
            instance_offset: index of the first instance to draw.
            instance_count: number of instances to draw; None: all that follow.
            vertex_offset: as for `mesh`.
            vertex_count: as for `mesh`.
            index_offset: as for `mesh`.
            index_count: as for `mesh`.
            show_wireframe: as for `mesh`.
        """
        vertices = arrays.points(vertices, 3, "mesh")
        chosen = _chosen(indices, len(vertices), vertex_offset, vertex_count, index_offset, index_count, 3, "mesh")
        places = slice(instance_offset, None if instance_count is None else instance_offset + instance_count)
        self._things.append(("mesh", dict(
            vertices=vertices, indices=indices, chosen=chosen, normals=normals, colour=arrays.word_of(color, "mesh"), colors=per_vertex_color, two_sided=two_sided,
            transforms=transforms, places=places, wireframe=show_wireframe,
        )))  # fmt: skip

    def _hand_over(self, surface):
        """Adds the scene to a frame and clears it."""
        camera = self._camera or Camera()
        width, height = surface.size
        view, projection = camera._matrices(width / height)
        things = [getattr(self, f"_{kind}")(surface, **members) for kind, members in self._things]
        surface.add("scene", view=view, projection=projection, ambient=self._ambient, lights=self._lights, things=things)
        self._begin()

    def _balls(self, surface, centers, sizes, colour, colors, part):
        count, places = len(centers), centers[part]
        if colors is not None:
            colour = surface.per_vertex(arrays.host(colors, "particles").reshape(count, -1)[part], len(places), "particles")
        if isinstance(sizes, np.ndarray):
            sizes = {"at": surface.put(arrays.numbers(sizes, count, "particles")[part])}
        return {"do": "balls", "n": len(places), "at": surface.put(places), "radius": sizes, "colour": colour}

    def _lines(self, surface, vertices, width, chosen, colour, colors):
        n, ends = len(chosen) // 2, vertices[chosen]
        made = {"do": "lines", "n": n, "at": surface.put(ends), "width": width, "colour": colour}
        if colors is not None:
            each = arrays.host(colors, "lines")
            made["colour"] = surface.per_vertex(each.reshape(-1, each.shape[-1])[chosen], n * 2, "lines")
            made["by_end"] = True
        return made

    def _mesh(self, surface, vertices, indices, chosen, normals, colour, colors, two_sided, transforms, places, wireframe):
        points = vertices
        every = np.arange(len(points)) if indices is None else arrays.indices(indices, "mesh").astype(np.int64)
        # normals are computed from the whole mesh, regardless of which part is drawn
        if normals is None:
            triples = every[: len(every) // 3 * 3].reshape(-1, 3)
            inside = ((triples >= 0) & (triples < len(points))).all(axis=1)
            out = _normals(points.astype(np.float64), triples[inside], len(points))
        else:
            out = arrays.points(normals, 3, "mesh")
        made = {"do": "mesh", "two_sided": bool(two_sided), "wireframe": bool(wireframe), "colour": colour}
        made["vertices"] = {"at": surface.put(points), "n": len(points)}
        made["normals"] = {"at": surface.put(out), "n": len(points)}
        made["indices"] = {"at": surface.put(chosen, np.uint32), "n": len(chosen)}
        if colors is not None:
            made["colour"] = surface.per_vertex(colors, len(points), "mesh")
        if transforms is not None:
            matrices = arrays.host(transforms, "mesh_instance")
            if matrices.shape[-2:] != (4, 4):
                raise ValueError(f"mesh_instance: transforms are matrices of 4 x 4, these have the shape {matrices.shape}")
            matrices = matrices.reshape(-1, 4, 4)[places]
            made["transforms"] = {"at": surface.put(matrices), "n": len(matrices)}
        return made


def _chosen(indices, vertices, first, count, index_offset, index_count, group, what):
    """Returns the indices of the vertices to draw, in order."""
    if indices is None:
        chosen = np.arange(first, vertices if count is None else min(vertices, first + count))
        return arrays.inside(chosen[: len(chosen) // group * group], vertices, group, what)
    end = None if index_count is None else index_offset + index_count
    return arrays.inside(arrays.indices(indices, what)[index_offset:end].astype(np.int64) + first, vertices, group, what)


class Camera:
    """The point of view of a scene.

    Example:
        >>> camera = qd.ui.Camera()
        >>> camera.position(0, 0, 3)
        >>> camera.lookat(0, 0, 0)
        >>> camera.get_view_matrix()[3].tolist()
        [0.0, 0.0, -3.0, 1.0]
    """

    def __init__(self):
        self.position(0.0, 0.0, 0.0)
        self.lookat(0.0, 0.0, 1.0)
        self.up(0.0, 1.0, 0.0)
        self._mode, self._fov, self._near, self._far = 0, 45.0, 0.1, 1000.0
        self._left, self._right, self._top, self._bottom = -1.0, 1.0, -1.0, 1.0
        self.last_mouse_x = self.last_mouse_y = self.last_time = None

    def position(self, x, y, z):
        """Sets the position of the camera.

        Args:
            x: the x coordinate.
            y: the y coordinate.
            z: the z coordinate.
        """
        self.curr_position = _vector(x, y, z, "position")

    def lookat(self, x, y, z):
        """Sets the point that the camera looks at.

        Args:
            x: the x coordinate.
            y: the y coordinate.
            z: the z coordinate.
        """
        self.curr_lookat = _vector(x, y, z, "lookat")

    def up(self, x, y, z):
        """Sets the direction that points upwards in the picture.

        Args:
            x: the x component.
            y: the y component.
            z: the z component.
        """
        self.curr_up = _vector(x, y, z, "up")

    def projection_mode(self, mode):
        """Sets the projection.

        Args:
            mode: `qd.ui.ProjectionMode.Perspective` (0) or `Orthogonal` (1).
        """
        self._mode = int(mode)

    def fov(self, fov):
        """Sets the vertical field of view.

        Args:
            fov: the angle in degrees.
        """
        self._fov = arrays.number(fov, "fov: fov")

    def left(self, left):
        """Sets the left border of the view, in orthogonal mode.

        Args:
            left: the coordinate, in units of the scene.
        """
        self._left = arrays.number(left, "left: left")

    def right(self, right):
        """Sets the right border of the view, in orthogonal mode.

        Args:
            right: the coordinate, in units of the scene.
        """
        self._right = arrays.number(right, "right: right")

    def top(self, top):
        """Sets the upper border of the view, in orthogonal mode.

        Args:
            top: the coordinate, in units of the scene.
        """
        self._top = arrays.number(top, "top: top")

    def bottom(self, bottom):
        """Sets the lower border of the view, in orthogonal mode.

        Args:
            bottom: the coordinate, in units of the scene.
        """
        self._bottom = arrays.number(bottom, "bottom: bottom")

    def z_near(self, z_near):
        """Sets the distance of the near clipping plane.

        Args:
            z_near: the distance, in units of the scene.
        """
        self._near = arrays.number(z_near, "z_near: z_near")

    def z_far(self, z_far):
        """Sets the distance of the far clipping plane.

        Args:
            z_far: the distance, in units of the scene.
        """
        self._far = arrays.number(z_far, "z_far: z_far")

    def _matrices(self, aspect):
        """Returns the view and projection matrices for a frame, row by row."""
        try:
            made = [m.astype(float).reshape(-1) for m in (self._view(), self._projection(aspect))]
        except ZeroDivisionError:
            made = [np.array([math.nan])]
        if not all(np.isfinite(m).all() for m in made):
            raise ValueError(f"scene: the camera at {self.curr_position}, with fov={self._fov:g}, z_near={self._near:g} and z_far={self._far:g}, does not define a view")
        return [m.tolist() for m in made]

    def _view(self):
        """Returns the matrix that transforms column vectors from scene to camera coordinates; the camera looks along -z."""
        eye, at, up = (_numbers(v) for v in (self.curr_position, self.curr_lookat, self.curr_up))
        ahead = _unit(at - eye)
        side = _unit(np.cross(ahead, up))
        above = np.cross(side, ahead)
        made = np.eye(4)
        made[:3, :3] = side, above, -ahead
        made[:3, 3] = -made[:3, :3] @ eye
        return made

    def _projection(self, aspect):
        """Returns the projection matrix for column vectors; depth ranges from 1 at the near plane to 0 at the far plane."""
        made, near, far = np.zeros((4, 4)), self._near, self._far
        if self._mode == 0:
            scale = 1 / math.tan(math.radians(self._fov) / 2)
            made[0, 0], made[1, 1] = scale / aspect, scale
            made[2, 2], made[2, 3], made[3, 2] = near / (far - near), far * near / (far - near), -1.0
            return made
        width, height = (self._right - self._left) or 2.0, (self._top - self._bottom) or 2.0
        made[0, 0], made[1, 1], made[2, 2] = 2 / width, 2 / abs(height), 1 / (far - near)
        made[0, 3], made[1, 3] = -(self._right + self._left) / width, -(self._top + self._bottom) / abs(height)
        made[2, 3], made[3, 3] = far / (far - near), 1.0
        return made

    def get_view_matrix(self):
        """Returns the 4x4 matrix that transforms row vectors from scene to camera coordinates."""
        return self._view().T.astype(np.float32)

    def get_projection_matrix(self, aspect):
        """Returns the 4x4 matrix that projects row vectors from camera to clip coordinates.

        Args:
            aspect: the aspect ratio, width divided by height.
        """
        return self._projection(aspect).T.astype(np.float32)

    def track_user_inputs(self, window, movement_speed=1.0, yaw_speed=2.0, pitch_speed=2.0, hold_key=None):
        """Moves the camera with the keys W, A, S, D (forward, left, back, right) and E, Q (up, down), and rotates it with the pointer.

        Args:
            window: the window that receives the input.
            movement_speed: speed in units of the scene per frame, at 60 frames per second.
            yaw_speed: speed of horizontal rotation.
            pitch_speed: speed of vertical rotation.
            hold_key: rotate only while this key is held down, such as `qd.ui.RMB`; None: always.
        """
        position, at, up = (_numbers(v) for v in (self.curr_position, self.curr_lookat, self.curr_up))
        front = _unit(at - position)
        left = np.cross(up, front)
        now = time.perf_counter()
        passed = (now - (self.last_time if self.last_time is not None else now)) * 60
        self.last_time = now
        for keys, way in (("ws", front), ("ad", left), ("eq", up)):
            position = position + way * (movement_speed * passed * (window.is_pressed(keys[0]) - window.is_pressed(keys[1])))
        self.position(*position)
        x, y = window.get_cursor_pos()
        if hold_key is None or window.is_pressed(hold_key):
            dx, dy = (x - self.last_mouse_x, y - self.last_mouse_y) if self.last_mouse_x is not None else (0.0, 0.0)
            yaw = math.atan2(front[0], front[2]) - dx * yaw_speed * passed
            limit = math.pi / 2 * 0.99
            pitch = min(max(math.asin(min(max(front[1], -1.0), 1.0)) + dy * pitch_speed * passed, -limit), limit)
            front = np.array([math.sin(yaw) * math.cos(pitch), math.sin(pitch), math.cos(yaw) * math.cos(pitch)])
        self.lookat(*(position + front))
        self.last_mouse_x, self.last_mouse_y = x, y


def _vector(x, y, z, what):
    from quadrants._language.matrix import Vector

    return Vector([arrays.number(part, f"{what}: {name}") for name, part in zip("xyz", (x, y, z))])


def _numbers(vector):
    return np.array([float(vector[k]) for k in range(3)])


def _unit(v):
    length = np.linalg.norm(v)
    return v / length if length > 0 else v
