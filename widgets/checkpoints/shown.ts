// Texts of the stepper for steps and arrays, and the keys that move the launch.
import type { ArrayShown, Launch, Move, Step, StepState } from "../protocol/checkpoints";

export type Simple = "task" | "step" | "iteration" | "run" | "back";

export interface Control {
  move: Simple;
  key: string;
  label: string;
  title: string;
}

export const controls: readonly Control[] = [
  { move: "back", key: "b", label: "back", title: "undoes the last step" },
  { move: "task", key: "k", label: "task", title: "runs one task" },
  { move: "step", key: "n", label: "next checkpoint", title: "runs to the end of the next checkpoint" },
  { move: "iteration", key: "t", label: "iteration", title: "runs to the end of an iteration of a loop" },
  { move: "run", key: "e", label: "to the end", title: "runs to the end" },
];

/** The key that moves the focus to the choice of where to resume. */
export const resumeKey = "r";

/** Returns the move of a key. */
export function moveOf(key: string): Simple | undefined {
  return controls.find((control) => control.key === key)?.move;
}

/** True if the launch can make the move now. */
export function may(launch: Launch, move: Simple): boolean {
  if (move === "back") return launch.back > 0;
  if (launch.over) return false;
  return move !== "iteration" || launch.steps.some(({ kind }) => kind === "level");
}

export const signs: Record<StepState, string> = {
  done: "\u2713", skipped: "\u2013", yielded: "\u275a\u275a", running: "\u25b8", pending: "\u00b7", "": "",
};

/** Formats a duration: 12 µs, 3.4 ms, 1.2 s. */
export function duration(microseconds: number): string {
  const [amount, unit] = microseconds < 1e3 ? [microseconds, "\u00b5s"] : microseconds < 1e6 ? [microseconds / 1e3, "ms"] : [microseconds / 1e6, "s"];
  return `${amount < 10 ? amount.toFixed(1).replace(/\.0$/, "") : Math.round(amount)} ${unit}`;
}

/** Returns how long a task took, and which of its runs that was. */
export function took({ runs, microseconds }: Step): string {
  if (!runs || microseconds === null) return "";
  return runs === 1 ? duration(microseconds) : `newest run ${duration(microseconds)}`;
}

function times(runs: number | null): string {
  return !runs ? "" : runs === 1 ? "ran once" : `ran ${runs} times`;
}

/** Describes the outcome of a step; the same as in jupyter/quadrants_jupyter/checkpoints.py. */
export function words(step: Step): string {
  const said = [step.kind === "task" ? times(step.runs) : step.kind === "level" ? (step.iteration === null ? "" : `iteration ${step.iteration}`) : step.state];
  if (step.flag && step.value !== null) said.push(`${step.flag} = ${step.value}`);
  else if (step.flag && step.kind === "checkpoint") said.push(`yields on ${step.flag}`);
  return said.filter(Boolean).join(", ");
}

export function head(launch: Launch): string {
  if (launch.yielded !== null) return `yielded at ${launch.labels.find(([label]) => label === launch.yielded)?.[1] ?? launch.yielded}`;
  return launch.ended || (launch.over ? "at its end" : "stopped");
}

export function changes({ changed, elements, changes: told }: ArrayShown): string {
  if (!changed) return "";
  const rest = changed - told.length;
  return `${changed} of ${elements} changed` + (told.length ? `: ${told.join(", ")}${rest ? ` and ${rest} more` : ""}` : "");
}

/** Returns the index of an element of a small array that is drawn as rows. */
export function indexOf({ shape }: ArrayShown, row: number, column: number): number[] {
  return shape.length === 0 ? [] : shape.length === 1 ? [column] : [row, column];
}

/** Parses an index: "3, 4" for an array of two axes; null if it is not an index of the array. */
export function parsedIndex(text: string, shape: number[]): number[] | null {
  const parts = text.split(/[\s,]+/).filter(Boolean);
  if (parts.length !== shape.length || !parts.every((part) => /^\d+$/.test(part))) return null;
  const index = parts.map(Number);
  return index.every((at, axis) => at < shape[axis]) ? index : null;
}

/** Returns the edit that the user requested, or a text that says why it is invalid. */
export function edit(array: ArrayShown, index: number[] | null, value: string): Move | string {
  if (!index) return `${array.name} has no such element: give ${array.shape.length} ${array.shape.length === 1 ? "index" : "indices"} below ${array.shape.join(", ")}`;
  if (!value.trim() || !/^(nan|-?inf|true|false)$/i.test(value.trim()) && Number.isNaN(Number(value))) return `${value.trim() || "nothing"} is not a number`;
  return { do: "edit", name: array.name, index, value: value.trim() };
}
