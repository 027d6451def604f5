// What the kernel side sends to the checkpoint stepper, and what this sends back. The Python side of the same shapes is
// jupyter/quadrants_jupyter/checkpoints.py; tests/kernel/test_checkpoints.py checks that both name the same members.

export type StepKind = "task" | "level" | "checkpoint" | "region" | "section";
/** Of a checkpoint; "" for what is none. */
export type StepState = "pending" | "skipped" | "running" | "done" | "yielded" | "";

export interface Step {
  kind: StepKind;
  /** How many loops and checkpoints it stands in. */
  depth: number;
  text: string;
  /** Of a checkpoint that has one. */
  label: number | null;
  state: StepState;
  /** Name and value of the flag of a loop or a checkpoint. */
  flag: string | null;
  value: number | null;
  /** Which pass of a loop runs, from 1. */
  turn: number | null;
  /** How often a task ran, and how long its newest run took. */
  runs: number | null;
  microseconds: number | null;
}

export interface ArrayShown {
  name: string;
  dtype: string;
  shape: number[];
  /** Of a small array its elements; of others null, and a picture. */
  rows: string[][] | null;
  /** HTML. */
  picture: string;
  /** How many elements are others than before the newest step. */
  changed: number;
  elements: number;
  /** Some of these in words. */
  changes: string[];
  /** Where they are in `rows`, row by row. */
  marks: number[];
}

export interface Launch {
  kernel: string;
  /** It is the graph alone, without a launch. */
  plan: boolean;
  steps: Step[];
  /** Where the launch goes on: index in `steps`; null at its end. */
  next: number | null;
  over: boolean;
  /** Label of the checkpoint that yielded. */
  yielded: number | null;
  /** What can be resumed from: label, name. */
  labels: [number, string][];
  /** How many steps can be taken back. */
  back: number;
  arrays: ArrayShown[];
  /** How often somebody moved the launch or edited an element. */
  moves: number;
  /** The newest of these in one sentence. */
  said: string;
  error: string;
  /** How an error or Stop ended the launch; empty: none did. */
  ended: string;
}

/** While a move takes its time: what runs; empty: nothing that is known. */
export interface Running {
  running: string;
}

/** Traits of the widget's model. */
export interface CheckpointsModel {
  data: Launch;
}

/** What the widget asks for. */
export type Move =
  | { do: "task" | "step" | "turn" | "run" | "back" }
  | { do: "resume"; label: number }
  | { do: "edit"; name: string; index: number[]; value: string };
