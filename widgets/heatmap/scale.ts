// The colour scale: logarithmic, because counts of one kernel span many orders of magnitude.

/** Strength of the tint in percent, 8 for a line that ran once to 60 for the busiest one; 0 if it never ran. */
export function level(count: number, most: number): number {
  if (count <= 0) return 0;
  if (most <= 1) return 60;
  return Math.round(8 + (52 * Math.log(count)) / Math.log(most));
}

/** 1,234,567 */
export function grouped(count: number): string {
  return count.toLocaleString("en-US");
}

/** Share of the busiest line, to two digits: "100 %", "0.52 %". */
export function share(count: number, most: number): string {
  const percent = (100 * count) / Math.max(most, 1);
  return `${percent >= 99.95 ? "100" : percent.toPrecision(2).replace(/\.0$/, "")} %`;
}

/** +1,234 or −56; ±0 if there is no difference. */
export function signed(difference: number): string {
  const sign = difference > 0 ? "+" : difference < 0 ? "\u2212" : "\u00b1";
  return sign + grouped(Math.abs(difference));
}
