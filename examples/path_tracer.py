"""Balls of clay, metal and glass under the sky: path tracing, with structs for rays and spheres.

The rendering equation and its solution by random paths are by J. T. Kajiya (SIGGRAPH 1986), Russian roulette by J.
Arvo and D. Kirk (SIGGRAPH 1990), and the approximation of Fresnel reflectance by C. Schlick (Computer Graphics Forum
13, 1994); the scene resembles those that P. Shirley renders in Ray Tracing in One Weekend (2016).

Look at: the furnace tests. If light is the same from all directions, a matt ball of albedo a has brightness a, glass and
mirrors are invisible, and inside a closed ball with emission e and albedo a the light is e / (1 - a). In the picture,
look at the sky upside down in the glass ball, and at the colours that bleed onto the floor.
"""

import sys
from pathlib import Path

import numpy as np
import quadrants as qd

qd.init(arch=qd.cpu, default_fp=qd.f64, random_seed=1)

SMALL = "--small" in sys.argv
vec3 = qd.types.vector(3, qd.f64)
MATT, MIRROR, GLASS = 0, 1, 2


@qd.dataclass
class Ray:
    origin: vec3
    direction: vec3

    @qd.func
    def at(self, t):
        return self.origin + t * self.direction


@qd.dataclass
class Sphere:
    center: vec3
    radius: qd.f64
    emission: vec3
    albedo: vec3
    kind: qd.i32

    @qd.func
    def distance(self, ray: Ray):
        """Returns the distance along the ray to this sphere; negative if the ray misses it."""
        oc = self.center - ray.origin
        b = oc.dot(ray.direction)
        square = b * b - oc.dot(oc) + self.radius * self.radius
        t = -1.0
        if square >= 0:
            root = qd.sqrt(square)
            t = b - root if b - root > 1e-4 else (b + root if b + root > 1e-4 else -1.0)
        return t


spheres = Sphere.field(shape=20)
count = qd.field(qd.i32, shape=())


@qd.func
def any_direction(normal):
    """Returns a random direction, distributed by the cosine of its angle to the normal."""
    z, turn = 2 * qd.random(qd.f64) - 1, 2 * qd.math.pi * qd.random(qd.f64)
    r = qd.sqrt(1 - z * z)
    return (normal + (1 - 1e-9) * vec3(r * qd.cos(turn), r * qd.sin(turn), z)).normalized()


@qd.func
def through_glass(direction, normal, index):
    """Returns the refracted or the reflected direction, chosen at random by C. Schlick's approximation of Fresnel reflectance."""
    entering = direction.dot(normal) < 0
    n = normal if entering else -normal
    eta = 1 / index if entering else index
    cosine = -direction.dot(n)
    square = 1 - eta * eta * (1 - cosine * cosine)
    r0 = ((index - 1) / (index + 1)) ** 2
    inner = cosine if entering else qd.sqrt(max(square, 0.0))
    share = 1.0 if square < 0 else r0 + (1 - r0) * (1 - inner) ** 5
    out = direction + 2 * cosine * n
    if qd.random(qd.f64) >= share:
        out = eta * direction + (eta * cosine - qd.sqrt(square)) * n
    return out.normalized()


@qd.func
def trace(start: Ray, horizon, zenith):
    """Returns the light along one random path, from the sky or from emitting spheres."""
    ray, light, throughput = start, vec3(0.0), vec3(1.0)
    for bounce in range(200):
        nearest, hit = 1e20, -1
        for k in range(count[None]):
            t = spheres[k].distance(ray)
            if 0 < t < nearest:
                nearest, hit = t, k
        if hit < 0:
            light += throughput * qd.math.mix(horizon, zenith, max(ray.direction.y, 0.0))
            break
        ball = spheres[hit]
        at = ray.at(nearest)
        normal = (at - ball.center) / ball.radius
        light += throughput * ball.emission
        throughput *= ball.albedo
        survival = 1.0 if bounce < 4 else throughput.max()
        if qd.random(qd.f64) >= survival:
            break
        throughput /= survival
        out = ray.direction
        if ball.kind == MATT:
            out = any_direction(normal if ray.direction.dot(normal) < 0 else -normal)
        elif ball.kind == MIRROR:
            out = ray.direction - 2 * ray.direction.dot(normal) * normal
        else:
            out = through_glass(ray.direction, normal, 1.5)
        ray = Ray(origin=at, direction=out)
    return light


@qd.kernel
def render(image: qd.types.ndarray(dtype=vec3, ndim=2), samples: qd.i32, eye: vec3, zoom: qd.f64, low: vec3, high: vec3):
    for i, j in image:
        total = vec3(0.0)
        for _ in range(samples):
            y = (i + qd.random(qd.f64) - 0.5 * image.shape[0]) / image.shape[0]
            x = (j + qd.random(qd.f64) - 0.5 * image.shape[1]) / image.shape[0]
            total += trace(Ray(origin=eye, direction=vec3(zoom * x, zoom * y, -1.0).normalized()), low, high)
        image[i, j] = total / samples


def picture(scene: list[tuple], height: int, width: int, samples: int, eye, zoom: float, horizon, zenith) -> np.ndarray:
    count[None] = len(scene)
    for k, (center, radius, emission, albedo, kind) in enumerate(scene):
        emission, albedo = (np.broadcast_to(np.float64(v), 3).tolist() for v in (emission, albedo))
        spheres[k] = Sphere(center=center, radius=radius, emission=emission, albedo=albedo, kind=kind)
    image = qd.Vector.ndarray(3, qd.f64, shape=(height, width))
    render(image, samples, vec3(eye), zoom, vec3(horizon), vec3(zenith))
    return image.to_numpy()


WHITE, BLACK = (1.0, 1.0, 1.0), (0.0, 0.0, 0.0)
n = 24 if SMALL else 64
ball = picture([((0, 0, -4), 1, 0, 0.6, MATT)], n, n, 16, (0, 0, 0), 0.2, WHITE, WHITE)
clear = picture([((-1, 0, -4), 1, 0, 1, GLASS), ((1, 0, -4), 1, 0, 1, MIRROR)], n, n, 16, (0, 0, 0), 1.5, WHITE, WHITE)
inside = picture([((0, 0, 0), 1, 0.3, 0.7, MATT)], n, n, 64, (0, 0, 0.3), 1.0, BLACK, BLACK)
off = np.abs(clear - 1).max()
print(f"furnace: matt ball {ball.mean():.6f} (0.6), glass and mirror off 1 by {off:.0e}, inside {inside.mean():.4f} (1)")
assert np.abs(ball - 0.6).max() < 1e-9
assert np.abs(clear - 1).max() < 1e-9
assert abs(inside.mean() - 1) < (0.02 if SMALL else 0.004)

rng = np.random.default_rng(3)
scene = [
    ((-7, 10, 6), 4, (7.0, 6.2, 5.2), 0, MATT),  # the sun, behind the viewer's shoulder
    ((0, -1000, 0), 1000, 0, (0.55, 0.53, 0.5), MATT),
    ((-2.15, 1, -0.3), 1, 0, (0.75, 0.3, 0.18), MATT),
    ((0, 1, 0), 1, 0, 1, GLASS),
    ((2.15, 1, -0.3), 1, 0, (0.9, 0.75, 0.45), MIRROR),
    ((-0.2, 0.9, -3.2), 0.9, 0, (0.12, 0.4, 0.5), MATT),
]
for k in range(11):
    at = np.array([-3.4 + 0.62 * k + rng.uniform(-0.15, 0.15), 0.22, 1.2 + rng.uniform(0, 0.8)])
    colour = rng.uniform(0.15, 0.9, 3)
    scene.append((at.tolist(), 0.22, 0, colour.tolist() if k % 4 else 0.95, (GLASS, MATT, MATT, MIRROR)[k % 4]))
height, width, samples = (60, 100, 4) if SMALL else (200, 400, 100)
image = picture(scene, height, width, samples, (0, 1.15, 7.2), 0.55, (0.75, 0.72, 0.7), (0.16, 0.3, 0.6))

import matplotlib.pyplot as plt

plt.style.use(Path(__file__).with_name("quadrants.mplstyle"))
fig, (left, right) = plt.subplots(1, 2, width_ratios=[3.6, 1], figsize=(10, 4.1))
left.imshow(np.clip(image, 0, 1) ** (1 / 2.2), interpolation="bicubic")
left.set(title=f"{samples} paths for each pixel")
values = [ball.mean(), clear.mean(), inside.mean()]
right.barh([2, 1, 0], values, color=["#d1603d", "#1f6f8b", "#c79a1b"], height=0.5)
names = ("matt, albedo 0.6", "glass and mirror", "inside, 0.3 / (1 - 0.7)")
for y, value, truth, name in zip((2, 1, 0), values, (0.6, 1.0, 1.0), names):
    right.plot([truth, truth], [y - 0.32, y + 0.32], color="#1d2530", lw=1.5)
    right.text(0, y + 0.38, f"{name}: {value:.4f}", fontsize=8.5)
right.set(yticks=[], xlim=(0, 1.1), ylim=(-0.5, 2.8), title="Furnace tests")
left.set(xticks=[], yticks=[])
Path("out").mkdir(exist_ok=True)
fig.savefig("out/path_tracer.png")
