"""Uses of the package as editors see them, right ones and mistakes. A line that ends with #= T: reveal_type reports T; with #! text: an
error whose message contains the text. The checker reports nothing on other lines."""

import numpy as np
import quadrants as qd

# Starting, and options.
qd.init(arch=qd.cpu, default_fp=qd.f64, debug=True, cpu_max_num_threads=4, random_seed=7, offline_cache=False)
qd.init("cpu")
qd.init(arch=[qd.cuda, qd.cpu])
qd.init(qd.gpu, debg=True)  #! No parameter named "debg"
qd.init(debug="yes")  #! "Literal['yes']" is not assignable to "bool"
qd.cfg.debug = True
qd.cfg.debgu = True  #! Attribute "debgu" is unknown
qd.synk()  #! "synk" is not a known attribute of module "quadrants"
print(qd.__version__, qd.__version_str__, qd.coverage)

# Fields and arrays.
n = 64
x = qd.field(qd.f32, shape=(n, n), needs_grad=True)
y = qd.field(float, n)
z = qd.field(np.float32, shape=n)
x[0, 0] = 1
x[0, 0] += 2.5
y[None] += 1
loss = qd.field(qd.f32, shape=(), needs_grad=True)
print(x.shape[0], x.dtype, x.grad[0, 0], x.to_numpy().mean(), x.parent().parent())
x.fil(0)  #! Attribute "fil" is unknown
x.fill()  #! Argument missing for parameter "val"
qd.field("f32", shape=n)  #! No overloads for "field" match
qd.field(shape=n)  #! No overloads for "field" match
qd.field(qd.f32, n, need_grad=True)  #! No overloads for "field" match
qd.field(qd.f32, needs_grad="no", shape=n)  #! No overloads for "field" match
reveal_type(x)  #= ScalarField
reveal_type(x.to_numpy())  #= ndarray[Any, Any]
x.from_numpy(np.zeros((n, n)))
v = qd.Vector.field(3, dtype=qd.f32, shape=n)
m = qd.Matrix.field(2, 2, qd.f32, shape=(n, n))
reveal_type(v[0])  #= Vector
reveal_type(v[0].xy)  #= Vector
reveal_type(v[0].norm())  #= float
reveal_type(m[0, 0] @ qd.Vector([1.0, 2.0]))  #= Vector
reveal_type(m[0, 0] @ m[1, 1])  #= Matrix
reveal_type(2 * v[0] - v[1] / 3)  #= Vector
v[0].nrom()  #! "Literal['nrom']" is not assignable
v[0] = [1, 2, 3]
v[0].x += 1
v[0].zyx = v[1]
v[0].xyz += v[1].rgb.bgr
v[0].yx = 3
v[0].xyb = 3  #! "Literal['xyb']" is not assignable to type "Literal['xy']"
a = qd.ndarray(qd.f32, shape=(n, n))
b = qd.Vector.ndarray(3, qd.f32, shape=n)
reveal_type(b[0])  #= Vector
a.copy_from(x)
a.to_nunpy()  #! Attribute "to_nunpy" is unknown
qd.ndarray(qd.f32)  #! No overloads for "ndarray" match
vec3 = qd.types.vector(3, qd.f32)
mat3 = qd.types.matrix(3, 3, float)
reveal_type(vec3(1, 2, 3))  #= Vector
reveal_type(vec3.field(shape=n)[0])  #= Vector
reveal_type(qd.field(vec3, shape=n)[0])  #= Vector
reveal_type(qd.field(qd.math.mat3, n)[0])  #= Matrix
reveal_type(qd.math.vec3(1, 2, 3).dot(vec3(0)))  #= Any
reveal_type(qd.math.normalize(qd.math.vec2(1, 2)))  #= Vector
qd.math.normalise(v[0])  #! "normalise" is not a known attribute of module "quadrants.math"
qd.root.dense(qd.ij, (8, 8)).dense(qd.i, 4).place(z, x)
qd.root.pointer(qd.i, 8).bitmaskt(qd.i, 8)  #! Attribute "bitmaskt" is unknown
builder = qd.FieldsBuilder()
builder.dense(qd.i, 8).place(y)
builder.finalize()


# Kernels and funcs.
@qd.func
def square(s: qd.f32) -> qd.f32:
    return s * s


@qd.func
def rotated(w: qd.math.vec2, angle: qd.f32):
    c, s = qd.cos(angle), qd.sin(angle)
    return qd.Matrix([[c, -s], [s, c]]) @ w


@qd.kernel
def fill(out: qd.types.ndarray(dtype=qd.f32, ndim=1), f: qd.template(), factor: qd.f32, count: qd.i32 = 3) -> qd.f32:
    """The text on hover."""
    total = 0.0
    qd.loop_config(serialize=True, block_dim=64)
    for i in range(count):
        out[i] = square(factor) + f[i].x
        qd.atomic_add(total, out[i])
    for i, j in qd.ndrange(4, (2, 8)):
        x[i, j] = qd.random() * qd.f32(i) + qd.cast(j, qd.f32)
    for I in qd.grouped(x):
        x[I] += I[0] + I.y
    for k in qd.static(range(3)):
        total += k
    for i, j in x:
        u = rotated(qd.Vector([1.0, 2.0]), 0.5)
        x[i, j] = qd.max(u.x, u.norm(), 0.0) + qd.select(i > j, 1.0, 2.0) + qd.floor(u.y) + qd.pow(u.x, 2)
        reveal_type(u)  #= Vector
        if i > qd.i32(u.x):
            x[i, j] = qd.math.clamp(u.y, 0.0, 1.0)
    return total


reveal_type(fill(np.zeros(3, np.float32), v, 2.0))  #= float
fill(a, v, factor=2.0, count=4)
fill(a, v, "2")  #! "Literal['2']" is not assignable to "float"
fill(a, v)  #! No overloads for "__call__" match
fill(a, v, 2.0, cont=4)  #! No overloads for "__call__" match
fill(a, v, 2.0, count=2.5)  #! "float" is not assignable to "int"
fill(a, v, 1.0, qd_stream=qd.create_stream())
fill.grad(a, v, 1.0)
fill.grad(a, v)  #! Argument missing for parameter "factor"
square("x")  #! "Literal['x']" is not assignable to "float"
with qd.ad.Tape(loss):
    fill(a, v, 1.0)
with qd.ad.Tape(loss=loss, clear_gradient=True):  #! No parameter named "clear_gradient"
    fill(a, v, 1.0)


@qd.kernel(fastcache=True)
def typed(p: qd.types.NDArray[qd.f32, 2], q: qd.types.NDArray, r: qd.Template, t: qd.Tensor, w: vec3):
    for i, j in qd.ndrange(p.shape[0], p.shape[1]):
        p[i, j] += q[i] * r[i] + t[i] + w.x


typed(np.zeros((2, 2)), a, y, x, vec3(1))
typed(3, a, y, x, vec3(1))  #! "Literal[3]" is incompatible with protocol "NdarrayType"


@qd.kernel(fast_cache=True)  #! No overloads for "kernel" match
def unknown_option():
    pass


@qd.real_func
def power(base: qd.f32, exponent: qd.i32) -> qd.f32:
    return 1.0 if exponent == 0 else base * power(base, exponent - 1)


@qd.kernel(graph=True)
def relaxed(rest: qd.types.NDArray[qd.i32, 1]):
    while qd.graph.do_while(rest):
        with qd.graph.parallel_context():
            with qd.graph.parallel():
                rest[0] -= 1


relaxed(qd.ndarray(qd.i32, 1))


# Structs and objects.
@qd.dataclass
class Ball:
    at: qd.math.vec3
    radius: qd.f32

    @qd.func
    def volume(self):
        return 4 / 3 * qd.math.pi * self.radius**3


@qd.func
def weight(ball: Ball, density: qd.f32):
    return density * ball.volume() + ball.at.x


ball = Ball(at=qd.math.vec3(0, 0, 0), radius=2)
balls = Ball.field(shape=n)
print(ball.radius, balls[0].at.x, balls.radius[3], weight(ball, 3.0), weight(balls[1], 1))
balls[1].radius = 3
weight(3.0, 1.0)  #! "float" is not assignable to "_StructOf[Ball]"
pair = qd.types.struct(first=qd.i32, second=vec3)
print(pair(first=1).first, pair.field(shape=3)[0].second)


@qd.data_oriented
class Simulation:
    def __init__(self, count: int):
        self.count = count
        self.heat = qd.field(qd.f32, shape=count)

    @qd.kernel
    def step(self, dt: qd.f32, repeats: qd.i32 = 1):
        for i in self.heat:
            self.heat[i] += dt * self.count * self.share(i)

    @qd.func
    def share(self, i: qd.i32):
        return self.heat[i] / self.count

    @staticmethod
    @qd.kernel
    def scale(by: qd.f32) -> qd.f32:
        return 2 * by

    def run(self):
        reveal_type(self.scale(2.0))  #= float
        self.step(0.1)
        self.step(0.1, repeats=2)
        self.step("now")  #! "Literal['now']" is not assignable to "float"
        self.stepp(0.1)  #! Attribute "stepp" is unknown


simulation = Simulation(3)
simulation.run()
reveal_type(simulation.step)  #= _Kernel[(dt: float, repeats: int = 1), None]
reveal_type(Simulation.step(simulation, 0.5))  #= None
simulation.run(3)  #! Expected 0 positional arguments

# The rest of the package.
np.from_dlpack(x)
for I in qd.ndrange(2, 3).grouped():
    print(I.x)
with qd.profiler.collect_kernel_profiler_metrics([]), qd.create_event() as event, qd.create_stream():
    event.synchronize()


@qd.kernel
def of_view(view: qd.BufferView[qd.f32]):
    view[0] += 1


qd.algorithms.parallel_sort(y)
qd.algorithms.paralel_sort(y)  #! "paralel_sort" is not a known attribute
matrix = qd.linalg.SparseMatrixBuilder(4, 4, max_num_triplets=10).build()
solver = qd.linalg.SparseSolver(dtype=qd.f32, solver_type="LLT")
solver.factorise(matrix)  #! Attribute "factorise" is unknown
qd.tools.PLYWriter(num_verts=3)  #! No parameter named "num_verts"
qd.Layout.AOX  #! Attribute "AOX" is unknown
solver.compute(matrix.transpose() @ matrix)
qd.tools.PLYWriter(num_vertices=3).add_vertex_pos(np.zeros(3), np.zeros(3), np.zeros(3))
qd.profiler.print_kernel_profiler_info("trace")
print(qd.types.quant.int(5, signed=True), qd.simt.block.sync, qd.graph, qd.extension.sparse, qd.Layout.SOA, qd.sparse.usage)
try:
    qd.sync()
except qd.QuadrantsRuntimeError as error:
    print(error.args)
