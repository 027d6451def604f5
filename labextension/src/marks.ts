// The marks of a line: the short text, the strength of its tint, its branches, and everything in words.
import type { CellCoverage, AdstackLine, AdstackValue, LineCounts, Scale } from "../../widgets/protocol/coverage";
import type { Outcome } from "../../widgets/protocol/heatmap";
import { amounts, grouped, length, level, share, type Quantity } from "../../widgets/heatmap/scale";
import { branches } from "../../widgets/heatmap/shown";

export interface Mark {
  /** 1-based, in the text that ran. */
  number: number;
  /** "1.2k", "never", "+340" */
  text: string;
  /** ran: the line ran; never: in no run; waiting: no kernel with this line ran yet; idle: not in the newest run; more, less: than in the
   * run before. */
  kind: "ran" | "never" | "waiting" | "idle" | "more" | "less";
  /** Strength of the tint, and length of the bar, in percent. */
  level: number;
  length: number;
  /** No line of the notebook ran more often. */
  busiest: boolean;
  /** "never true", "never false", "never entered", "only left by break" */
  branches: string[];
  /** Everything about the line, a sentence each. */
  words: string[];
}

/** Formats a count in at most four characters: 999, 1.2k, 34k, 5.6M. */
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

const outcomeWords: readonly [Outcome, string][] = [
  ["taken", "Condition true"],
  ["not_taken", "Condition false"],
  ["entered", "Loop entered"],
  ["zero_trips", "Loop without an iteration"],
  ["broken", "Loop left by break"],
  ["exhausted", "Loop ran to its end"],
];

function difference(line: LineCounts): number | null {
  return line.previous === null ? null : line.newest - line.previous;
}

function compared(change: number): string {
  if (change === 0) return "as often as in the run before";
  return `${grouped(Math.abs(change))} ${change > 0 ? "more" : "fewer"} than in the run before`;
}

function ofNewest(line: LineCounts, running: boolean): string {
  const change = difference(line);
  if (running) return `Newest run, so far: ${times(line.newest)}`; // a count below that of the run before means nothing yet
  if (change === null && line.newest === line.count) return "All in the newest run";
  return `Newest run: ${times(line.newest)}${change === null ? "" : `, ${compared(change)}`}`;
}

function words(line: LineCounts, coverage: CellCoverage, scale: Scale, running: boolean): string[] {
  if (line.launched === false && running) return ["Not counted yet", "The counts of inner loops are added when outer ones end"];
  if (line.launched === false) return ["Not run yet", "No kernel with this line has been launched since it was defined"];
  const said = [line.count === 0 ? "Never ran" : `Ran ${times(line.count)}`];
  if (line.count > 0) {
    const most = Math.max(scale.total, line.count);
    said.push(line.count < most ? `${share(line.count, most)} of the busiest line` : "No line of the notebook ran more often");
    said.push(ofNewest(line, running));
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

type Shown = Pick<Mark, "text" | "kind">;

function shown(line: LineCounts, quantity: Quantity): Shown {
  if (line.launched === false) return { text: "\u2013", kind: "waiting" };
  if (line.count === 0) return { text: "never", kind: "never" };
  if (quantity === "total") return { text: short(line.count), kind: "ran" };
  if (quantity === "newest") return { text: short(line.newest), kind: line.newest ? "ran" : "idle" };
  const change = difference(line);
  if (change === null) return { text: "new", kind: "idle" };
  return { text: signed(change), kind: change > 0 ? "more" : change < 0 ? "less" : "idle" };
}

/** Returns the marks of a cell, in the order of its lines. */
export function marksOf(coverage: CellCoverage, quantity: Quantity, scale: Scale, running: boolean): Mark[] {
  return coverage.lines
    .map((line) => {
      const amount = Math.abs(amounts(line)[quantity]);
      return {
        number: line.number,
        ...shown(line, quantity),
        level: level(amount, scale[quantity]),
        length: length(amount, scale[quantity]),
        busiest: amount > 0 && amount === scale[quantity],
        branches: branches(line.count, line.outcomes),
        words: words(line, coverage, scale, running),
      };
    })
    .sort((a, b) => a.number - b.number);
}

/** The values of a line that gradients store. */
export interface KeptMark {
  number: number;
  /** "8kB" */
  text: string;
  level: number;
  words: string[];
}

/** Formats bytes: 512B, 8kB, 1.2MB. */
export function shortBytes(count: number): string {
  return `${short(count)}B`;
}

function ofValue({ kernel, name, type, bytes, trips, loop, choice }: AdstackValue): string {
  const value = `${name || "a value"} (${type})`;
  const ofLoop = `of the loop on line ${loop}`;
  if (choice === "keep") return `The gradient of ${kernel} keeps ${value} for each of ${grouped(trips)} iterations ${ofLoop}: ${grouped(bytes)} bytes per iteration`;
  return `The gradient of ${kernel} keeps ${value} at ${choice.replace("every", "each")} iteration ${ofLoop}, ${grouped(trips)} times ${grouped(bytes)} bytes, and recomputes the iterations between`;
}

/** `most`: the bytes of the line of the notebook for which gradients store the most. */
export function keptMarksOf(coverage: CellCoverage, most: number): KeptMark[] {
  return coverage.kept.map((line: AdstackLine) => ({
    number: line.number,
    text: shortBytes(line.bytes),
    level: level(line.bytes, most),
    words: [`Gradients keep ${grouped(line.bytes)} bytes for it on each thread`, ...line.of.map(ofValue)],
  }));
}

/** Says that the cell was edited after the run that these marks of one line describe. */
export function staleWords(marks: (Mark | KeptMark)[]): string {
  const what = [marks.some((mark) => "branches" in mark) && "counts", marks.some((mark) => !("branches" in mark)) && "sizes"];
  return `Edited since: the ${what.filter(Boolean).join(" and ")} are for the text that ran`;
}

/** Returns a summary of the cell in one sentence. */
export function summary(coverage: CellCoverage, stale: boolean, earlier = false): string {
  const of = (wanted: (line: LineCounts) => boolean) => coverage.lines.filter(wanted).length;
  const waiting = of((line) => line.launched === false);
  const partial = of((line) => branches(line.count, line.outcomes).length > 0);
  const said = coverage.lines.length ? [`${of((line) => line.count > 0)} of ${coverage.lines.length} lines ran`] : [];
  if (waiting) said.push(`${waiting} not run yet`);
  if (partial) said.push(`${partial} ${partial === 1 ? "branch" : "branches"} went one way only`);
  if (coverage.kept.length) said.push(`gradients keep values of ${coverage.kept.length} ${coverage.kept.length === 1 ? "line" : "lines"}`);
  if (stale) said.push("edited since");
  else if (earlier) said.push("from an earlier kernel");
  return said.join(", ");
}
