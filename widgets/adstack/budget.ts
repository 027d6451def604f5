// The slider of a budget: half as much for every two steps to the left; no budget at its right end.
import { grouped } from "../heatmap/scale";

export const positions = 20;

/** Bytes, in whole words; 0: no budget. */
export function budgetAt(position: number, whole: number): number {
  if (position >= positions || whole <= 0) return 0;
  return Math.max(8, 8 * Math.floor(whole / 2 ** ((positions - position) / 2) / 8));
}

/** The position whose budget is nearest. */
export function positionOf(budget: number, whole: number): number {
  if (budget <= 0 || whole <= 0 || budget >= whole) return positions;
  return Math.min(positions, Math.max(0, Math.round(positions - 2 * Math.log2(whole / budget))));
}

export function budgetText(budget: number): string {
  return budget ? `${grouped(budget)} bytes` : "none, all is kept";
}

export function partName(part: number): string {
  return part === 1 ? "keep all" : `budget 1/${part}`;
}

/** Three digits. */
export function milliseconds(seconds: number): string {
  return `${Number((seconds * 1e3).toPrecision(3))} ms`;
}
