"""One scene of Genesis, a simulator written in the language: scenes.py NAME, a function of this
file. Says as JSON how long building and stepping took, in seconds, the latter in time of the processor too, which other programs
change little, and where things are at the end; of those that end in _gradient, how long a first rollout with its gradients and a
second one took, and the loss and its gradients."""

import json
import sys
import time

import genesis as gs
import numpy as np
import torch

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


def graph_solver():
    """The same with the solver of constraints that is one kernel with a do_while, which Genesis keeps for GPUs."""
    from genesis.engine.solvers.rigid import rigid_solver
    from genesis.engine.solvers.rigid.constraint import solver, solver_breakdown

    rigid_solver.func_solve_body = solver.func_solve_body = solver_breakdown.func_solve_decomposed
    kernel = solver_breakdown._kernel_solve_graph
    made = scene(0.01, rigid_options=options.RigidOptions(constraint_solver=gs.constraint_solver.CG))
    box = made.add_entity(morphs.Box(size=(0.2, 0.2, 0.2), pos=(0, 0, 1), euler=(10, 20, 30)))

    def result():
        assert kernel._primal.graph_do_while_arg == "graph_counter", "the loop did not run"
        return box.get_pos().cpu().numpy().ravel()

    return made, 100, result


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


# Scenes that torch goes backward through. Each gives the scene and a rollout that says the loss and its gradients.


def differentiable(dt, substeps, **solvers):
    sim = options.SimOptions(dt=dt, substeps=substeps, requires_grad=True, gravity=(0, 0, -9.8))
    made = gs.Scene(show_viewer=False, sim_options=sim, **solvers)
    made.add_entity(morphs.Plane())
    return made


def inputs(*values):
    return [torch.tensor(value, dtype=torch.float32, requires_grad=True) for value in values]


def outcome(loss, tensors):
    loss.backward()
    return np.concatenate([[loss.item()], *(tensor.grad.numpy().ravel() for tensor in tensors)])


def pose_gradient():
    """Differentiates the final state of a free body with respect to its initial position and orientation."""
    free = options.RigidOptions(enable_collision=False, enable_self_collision=False, enable_joint_limit=False, disable_constraint=True)
    made = differentiable(0.01, 1, rigid_options=free)
    box = made.add_entity(morphs.Box(size=(0.1, 0.1, 0.1), pos=(0, 0, 0.5)))

    def rollout():
        place, turn = tensors = inputs([0.3, 0.1, 0.28], [1.0, 0.1, 0.2, 0.3])
        box.set_pos(place)
        box.set_quat(turn)
        for _ in range(5):
            made.step()
        state = box.get_state()
        loss = ((state.pos - torch.tensor([0.5, 0.2, 0.4])) ** 2).sum() + ((state.quat - torch.tensor([0.0, 1, 0, 0])) ** 2).sum()
        return outcome(loss, tensors)

    return made, rollout


def throw_gradient():
    """Differentiates the final position of an elastic box of material points with respect to its initial velocity."""
    bounds = options.MPMOptions(lower_bound=(-0.5, -0.5, 0), upper_bound=(0.5, 0.5, 1), grid_density=32)
    made = differentiable(4e-3, 10, mpm_options=bounds)
    box = made.add_entity(material=materials.MPM.Elastic(), morph=morphs.Box(pos=(0, 0, 0.2), size=(0.2, 0.2, 0.2)))

    def rollout():
        (velocity,) = inputs([0.3, -0.2, 1.0])
        box.set_velocity(velocity)
        for _ in range(8):
            made.step()
        return outcome(((box.get_state().pos - torch.tensor([0.1, 0.2, 0.3])) ** 2).mean(), [velocity])

    return made, rollout


def push_gradient():
    """Differentiates the final position of a box of material points with respect to the path of the stick that pushes it."""
    bounds = options.MPMOptions(lower_bound=(0, -1, 0), upper_bound=(1, 1, 0.55), grid_density=32)
    made = differentiable(2e-3, 10, mpm_options=bounds, tool_options=options.ToolOptions())
    shape = morphs.Mesh(file="meshes/stirrer.obj", scale=0.6, pos=(0.5, 0.5, 0.12), euler=(90, 0, 0))
    stick = made.add_entity(morph=shape, material=materials.Tool(friction=8.0))
    box = made.add_entity(material=materials.MPM.Elastic(rho=500), morph=morphs.Box(lower=(0.2, 0.1, 0.12), upper=(0.4, 0.3, 0.22)))

    def rollout():
        place, *velocities = tensors = inputs([[0.3, 0.1, 0.28]], *[[[0.0, 1.0, 0.0]]] * 6)
        stick.set_position(place)
        loss = 0
        for velocity in velocities:
            stick.set_velocity(vel=velocity)
            made.step()
            loss = loss + ((box.get_state().pos - torch.tensor([0.3, 0.5, 0.1])) ** 2).mean()
        return outcome(loss, tensors)

    return made, rollout


def main(name):
    gs.init(backend=gs.cpu, seed=1, logging_level="error")
    made, *run = globals()[name]()
    start = time.perf_counter()
    made.build()
    if name.endswith("_gradient"):
        (rollout,) = run
        rollout()
        made.reset()
        built, busy = time.perf_counter(), time.process_time()  # what is compiled on the way, too
        ends = rollout()
        done, busy = time.perf_counter(), time.process_time() - busy
    else:
        steps, result = run
        made.step()
        built, busy = time.perf_counter(), time.process_time()
        for _ in range(steps):
            made.step()
        done, busy = time.perf_counter(), time.process_time() - busy
        ends = result()
    print(json.dumps({"build": built - start, "steps": done - built, "busy": busy, "result": np.asarray(ends).ravel().tolist()}))


main(sys.argv[1])
