// What is said about a line: the short text of its mark, the strength of its tint, its branches, and everything in words.
import type { CellCoverage, LineCounts } from "../../widgets/protocol/coverage";
import type { Outcome } from "../../widgets/protocol/heatmap";
import { grouped, level } from "../../widgets/heatmap/scale";

/** Which number the marks show. */
export type Quantity = "total" | "newest" | "difference";
export const quantities: readonly Quantity[] = ["total", "newest", "difference"];

export interface Mark {
  /** 1-based, in the text that ran. */
  number: number;
  /** "1.2k", "never", "+340" */
  text: string;
  /** ran: it did; never: not once, in any run; idle: not in the newest run; more, less: than in the run before. */
  kind: "ran" | "never" | "idle" | "more" | "less";
  /** Strength of the tint in percent. */
  level: number;
  /** "never true", "never false", "never entered" */
  branches: string[];
  /** All there is to say, a sentence each. */
  words: string[];
}

/** 999, 1.2k, 34k, 5.6M: four characters at most. */
export function short(count: number): string {
  let rest = count;
  for (const unit of ["", "k", "M", "G", "T", "P"]) {
    if (rest < 9.95 && unit) return `${rest.toFixed(1).replace(/\.0$/, "")}${unit}`;
    if (rest < 999.5) return `${Math.round(rest)}${unit}`;
    rest /= 1000;
  }
  return `${Math.round(rest)}E`;
}

export function times(count: number): string {
  return count === 0 ? "never" : count === 1 ? "once" : `${grouped(count)} times`;
}

export function signed(difference: number): string {
  return difference > 0 ? `+${short(difference)}` : difference < 0 ? `\u2212${short(-difference)}` : "\u00b10";
}

const neverWords: readonly [Outcome, string][] = [
  ["taken", "never true"],
  ["not_taken", "never false"],
  ["entered", "never entered"],
];

const outcomeWords: readonly [Outcome, string][] = [
  ["taken", "Condition true"],
  ["not_taken", "Condition false"],
  ["entered", "Loop entered"],
  ["zero_trips", "Loop without an iteration"],
  ["broken", "Loop left by break"],
];

function branches(line: LineCounts): string[] {
  return line.count === 0 ? [] : neverWords.filter(([outcome]) => line.outcomes[outcome] === 0).map(([, said]) => said);
}

function difference(line: LineCounts): number | null {
  return line.previous === null ? null : line.newest - line.previous;
}

function compared(change: number): string {
  if (change === 0) return "as often as in the run before";
  return `${grouped(Math.abs(change))} ${change > 0 ? "more" : "fewer"} than in the run before`;
}

function words(line: LineCounts, coverage: CellCoverage): string[] {
  const said = [line.count === 0 ? "Never ran" : `Ran ${times(line.count)}`];
  const change = difference(line);
  if (line.count > 0) {
    const newest = line.newest === line.count && change === null ? "all in the newest run" : `newest run: ${times(line.newest)}`;
    said.push(newest.charAt(0).toUpperCase() + newest.slice(1) + (change === null ? "" : `, ${compared(change)}`));
    for (const [outcome, name] of outcomeWords) {
      const count = line.outcomes[outcome];
      if (count !== undefined) said.push(`${name}: ${times(count)}`);
    }
  }
  const apart = coverage.specialisations.flatMap((one) =>
    one.lines.filter((each) => each.number === line.number).map((each) => ({ ...each, name: one.name })));
  for (const one of apart.length > 1 ? apart : []) said.push(`${one.name}: ${times(one.count)}`);
  return said;
}

type Shown = Pick<Mark, "text" | "kind" | "level">;

function shown(line: LineCounts, quantity: Quantity, most: number): Shown {
  if (line.count === 0) return { text: "never", kind: "never", level: 0 };
  if (quantity === "total") return { text: short(line.count), kind: "ran", level: level(line.count, most) };
  if (quantity === "newest") {
    return { text: short(line.newest), kind: line.newest ? "ran" : "idle", level: level(line.newest, most) };
  }
  const change = difference(line);
  if (change === null) return { text: "new", kind: "idle", level: 0 };
  const kind = change > 0 ? "more" : change < 0 ? "less" : "idle";
  return { text: signed(change), kind, level: level(Math.abs(change), most) };
}

function strength(line: LineCounts, quantity: Quantity): number {
  if (quantity === "total") return line.count;
  return quantity === "newest" ? line.newest : Math.abs(difference(line) ?? 0);
}

/** The marks of a cell, in the order of its lines. */
export function marksOf(coverage: CellCoverage, quantity: Quantity): Mark[] {
  const most = Math.max(1, ...coverage.lines.map((line) => strength(line, quantity)));
  return coverage.lines
    .map((line) => ({
      number: line.number,
      ...shown(line, quantity, most),
      branches: branches(line),
      words: words(line, coverage),
    }))
    .sort((a, b) => a.number - b.number);
}

/** The cell in one sentence. */
export function summary(coverage: CellCoverage, stale: boolean): string {
  const ran = coverage.lines.filter((line) => line.count > 0).length;
  const partial = coverage.lines.filter((line) => branches(line).length > 0).length;
  const said = [`${ran} of ${coverage.lines.length} lines ran`];
  if (partial) said.push(`${partial} ${partial === 1 ? "branch" : "branches"} went one way only`);
  if (stale) said.push("edited since");
  return said.join(", ");
}
