"""One scene of Genesis, a simulator written in the language: scenes.py NAME, a function of this
file. Says as JSON how long building and stepping took, in seconds, and where things are at the end."""

import json
import sys
import time

import genesis as gs
import numpy as np

options, morphs, materials = gs.options, gs.morphs, gs.materials


def scene(dt, substeps=1, **solvers):
    made = gs.Scene(show_viewer=False, sim_options=options.SimOptions(dt=dt, substeps=substeps), **solvers)
    if "pbd_options" not in solvers:
        made.add_entity(morphs.Plane())
    return made


def centre(entity):
    return lambda: entity.get_particles_pos().cpu().numpy().reshape(-1, 3).mean(0)


def bodies():
    made = scene(0.01)
    box = made.add_entity(morphs.Box(size=(0.2, 0.2, 0.2), pos=(0, 0, 1), euler=(10, 20, 30)))
    ball = made.add_entity(morphs.Sphere(radius=0.1, pos=(0.05, 0.05, 1.5)))
    return made, 200, lambda: np.concatenate([e.get_pos().cpu().numpy().ravel() for e in (box, ball)])


def arm():
    made = scene(0.01)
    robot = made.add_entity(morphs.MJCF(file="xml/franka_emika_panda/panda.xml"))
    return made, 100, lambda: robot.get_dofs_position().cpu().numpy()


def material_points():
    bounds = options.MPMOptions(lower_bound=(-0.5, -1, 0), upper_bound=(0.5, 1, 1))
    made = scene(4e-3, 10, mpm_options=bounds)
    kinds = materials.MPM.Elastic(), materials.MPM.Liquid(), materials.MPM.Sand()
    boxes = [
        made.add_entity(material=kind, morph=morphs.Box(pos=(0, 0.5 * i - 0.5, 0.25), size=(0.2, 0.2, 0.2)))
        for i, kind in enumerate(kinds)
    ]
    return made, 20, lambda: np.concatenate([centre(box)() for box in boxes])


def smoothed_particles():
    bounds = options.SPHOptions(lower_bound=(-0.5, -0.5, 0), upper_bound=(0.5, 0.5, 1), particle_size=0.02)
    made = scene(4e-3, 10, sph_options=bounds)
    box = morphs.Box(pos=(0, 0, 0.35), size=(0.4, 0.4, 0.4))
    return made, 20, centre(made.add_entity(material=materials.SPH.Liquid(sampler="regular"), morph=box))


def cloth():
    made = scene(4e-3, 10)
    sheet = morphs.Mesh(file="meshes/cloth.obj", scale=1.0, pos=(0, 0, 0.5), euler=(180, 0, 0))
    return made, 20, centre(made.add_entity(material=materials.PBD.Cloth(), morph=sheet))


def position_liquid():
    bounds = options.PBDOptions(lower_bound=(0, 0, 0), upper_bound=(1, 1, 1), max_density_solver_iterations=10)
    made = scene(2e-3, pbd_options=bounds)
    box = morphs.Box(lower=(0.2, 0.1, 0.1), upper=(0.4, 0.3, 0.5))
    return made, 20, centre(made.add_entity(material=materials.PBD.Liquid(sampler="regular"), morph=box))


def main(name):
    gs.init(backend=gs.cpu, seed=1, logging_level="error")
    made, steps, result = globals()[name]()
    start = time.perf_counter()
    made.build()
    made.step()  # some kernels are compiled here
    built = time.perf_counter()
    for _ in range(steps):
        made.step()
    done = time.perf_counter()
    print(json.dumps({"build": built - start, "steps": done - built, "result": np.asarray(result()).ravel().tolist()}))


main(sys.argv[1])
