// The heat scale. Counts of one program span many orders of magnitude, and the busiest lines matter most: a tint that follows a root of the
// share of the busiest line shows both that a line ran at all, and which of the busy ones is hot. A bar next to it shows the share itself.
import type { Scale } from "../protocol/coverage";

/** The number that is shown. */
export type Quantity = keyof Scale;
export const quantities: readonly Quantity[] = ["total", "newest", "difference"];

/** Returns the strength of the tint in percent: 60 for the busiest line, 30 for one that ran a tenth as often, towards 6 for those that
 * hardly ran; 0 if it never ran. The same as in jupyter/quadrants_jupyter/heatmap.py. */
export function level(count: number, most: number): number {
  return count <= 0 ? 0 : Math.round(6 + 54 * Math.min(1, count / Math.max(most, 1)) ** 0.35);
}

/** Returns the length of the bar in percent of its space. */
export function length(count: number, most: number): number {
  return count <= 0 ? 0 : Math.round(1000 * Math.min(1, count / Math.max(most, 1))) / 10;
}

interface Counted {
  count: number | null;
  newest: number;
  previous: number | null;
}

/** Returns the quantities of one line. */
export function amounts({ count, newest, previous }: Counted): Scale {
  return { total: count ?? 0, newest, difference: newest - (previous ?? newest) };
}

/** Returns the scale of these lines alone, for data that came without a scale. */
export function scaleOf(lines: Iterable<Counted>): Scale {
  const scale: Scale = { total: 0, newest: 0, difference: 0 };
  for (const line of lines) {
    const own = amounts(line);
    for (const name of quantities) scale[name] = Math.max(scale[name], Math.abs(own[name]));
  }
  return scale;
}

/** Formats a count: 1,234,567. */
export function grouped(count: number): string {
  return count.toLocaleString("en-US");
}

/** Returns the labels at both ends of the ramp of a legend. */
export function ends(quantity: Quantity, most: number): [string, string] {
  const busiest = "the busiest line of the notebook";
  if (quantity !== "difference") return ["once", `${grouped(most)}, ${busiest}`];
  return [`${signed(-most)}, less often`, `${signed(most)}, more often than in the run before`];
}

/** Formats the share of the busiest line, to two digits: "100 %", "0.52 %". */
export function share(count: number, most: number): string {
  const percent = (100 * count) / Math.max(most, 1);
  return `${percent >= 99.95 ? "100" : percent.toPrecision(2).replace(/\.0$/, "")} %`;
}

/** Formats a difference: +1,234 or −56; ±0 if there is none. */
export function signed(difference: number): string {
  const sign = difference > 0 ? "+" : difference < 0 ? "\u2212" : "\u00b1";
  return sign + grouped(Math.abs(difference));
}
