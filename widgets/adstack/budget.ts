// The slider of a budget: every two steps to the left halve it; there is no budget at the right end.
import { grouped } from "../heatmap/scale";

export const positions = 20;

/** Returns the budget in bytes, in whole words; 0: no budget. */
export function budgetAt(position: number, whole: number): number {
  if (position >= positions || whole <= 0) return 0;
  return Math.max(8, 8 * Math.floor(whole / 2 ** ((positions - position) / 2) / 8));
}

/** Returns the position whose budget is nearest. */
export function positionOf(budget: number, whole: number): number {
  if (budget <= 0 || whole <= 0 || budget >= whole) return positions;
  return Math.min(positions, Math.max(0, Math.round(positions - 2 * Math.log2(whole / budget))));
}

export function budgetText(budget: number): string {
  return budget ? `${grouped(budget)} bytes for one iteration` : "none, all values are kept";
}

/** Formats an ordinal: 21st, 12th. */
export function ordinal(n: number): string {
  const teen = n % 100 > 10 && n % 100 < 14;
  return `${n}${(!teen && ["th", "st", "nd", "rd"][n % 10]) || "th"}`;
}

/** Describes the iterations of a loop whose values are stored, from "keep" or "every k-th". */
export function choiceText(choice: string): string {
  if (choice === "keep") return "all iterations";
  const all = choice.split(", ").map((one) => one.replace(/every (\d+)-th/, (_, k) => `every ${ordinal(Number(k))} iteration`));
  return `${all.join(", ")}; the others are recomputed`;
}

/** Describes the memory of a task: of one iteration, of a thread, of all. */
export function keptText(task: { of_one: number; lanes: number; predicted: number; measured: number; total: number }): string {
  const beside = task.lanes > 1 ? `, ${task.lanes} iterations at once on a thread` : "";
  return `${grouped(task.of_one)} bytes for one iteration${beside}: `
    + `${grouped(task.predicted)} bytes predicted, ${grouped(task.measured)} measured on one thread, ${grouped(task.total)} on all`;
}

export function partName(part: number): string {
  return part === 1 ? "keep all" : `budget 1/${part}`;
}

/** Formats a time, to three digits. */
export function milliseconds(seconds: number): string {
  return `${Number((seconds * 1e3).toPrecision(3))} ms`;
}
