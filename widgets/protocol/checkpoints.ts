// Messages of the kernel side to the checkpoint stepper, and its requests. The Python side of the same shapes is
// jupyter/quadrants_jupyter/checkpoints.py; tests/kernel/test_checkpoints.py checks that both name the same members.

export type StepKind = "task" | "level" | "checkpoint" | "region" | "section";
/** The state of a checkpoint; "" for other steps. */
export type StepState = "pending" | "skipped" | "running" | "done" | "yielded" | "";

export interface Step {
  kind: StepKind;
  /** The number of loops and checkpoints around the step. */
  depth: number;
  text: string;
  /** The label of a checkpoint that has one. */
  label: number | null;
  state: StepState;
  /** Name and value of the flag of a loop or a checkpoint. */
  flag: string | null;
  value: number | null;
  /** The current iteration of a loop, from 1. */
  iteration: number | null;
  /** The number of runs of a task, and the time of its newest run. */
  runs: number | null;
  microseconds: number | null;
}

export interface ArrayShown {
  name: string;
  dtype: string;
  shape: number[];
  /** The elements of a small array; null for others, which have a picture. */
  rows: string[][] | null;
  /** HTML. */
  picture: string;
  /** The number of elements that the newest step changed. */
  changed: number;
  elements: number;
  /** Some of these changes in words. */
  changes: string[];
  /** Positions of the changed elements in `rows`, row by row. */
  marks: number[];
}

export interface Launch {
  kernel: string;
  /** Only the graph, without a launch. */
  plan: boolean;
  steps: Step[];
  /** The step where the launch continues: index in `steps`; null at its end. */
  next: number | null;
  over: boolean;
  /** Label of the checkpoint that yielded. */
  yielded: number | null;
  /** The checkpoints to resume from: label, name. */
  labels: [number, string][];
  /** The number of steps that can be taken back. */
  back: number;
  arrays: ArrayShown[];
  /** The number of moves of the launch and edits of elements. */
  moves: number;
  /** The newest of these in one sentence. */
  said: string;
  error: string;
  /** The error or Stop that ended the launch; empty if neither did. */
  ended: string;
}

/** During a move that takes its time: what runs; empty if nothing is known. */
export interface Running {
  running: string;
}

/** Traits of the widget's model. */
export interface CheckpointsModel {
  data: Launch;
}

/** Requests of the widget. */
export type Move =
  | { do: "task" | "step" | "iteration" | "run" | "back" }
  | { do: "resume"; label: number }
  | { do: "edit"; name: string; index: number[]; value: string };
