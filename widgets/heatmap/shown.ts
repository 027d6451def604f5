// The presentation of the lines of a listing: the number, the strength of the tint, the words.
import type { Scale } from "../protocol/coverage";
import type { Line, Listing, Outcome } from "../protocol/heatmap";
import { amounts, grouped, length, level, share, signed, type Quantity } from "./scale";

export interface View {
  quantity: Quantity;
  /** Name of one; "": all together. Only totals are counted per specialisation. */
  specialisation: string;
  shares: boolean;
  onlyNever: boolean;
  /** There is a column for executions of lines for gradients. */
  backward?: boolean;
}

/** ran; never: in no run; waiting: no kernel with this line ran yet; idle: there is nothing to show for the newest run; more, less:
 * than in the run before. */
export type Kind = "none" | "ran" | "never" | "waiting" | "idle" | "more" | "less";

export interface Shown {
  kind: Kind;
  text: string;
  /** Strength of the tint, and length of the bar, in percent. */
  level: number;
  length: number;
  busiest: boolean;
  marks: string[];
  /** The line remains when only lines that never ran are shown. */
  lacking: boolean;
}

/** Returns diagnostics on the branches of a line. */
export function branches(count: number | null, outcomes: Partial<Record<Outcome, number>>): string[] {
  const words: [Outcome, string][] = [["taken", "never true"], ["not_taken", "never false"], ["entered", "never entered"],
    ["exhausted", "only left by break"]];
  return count ? words.filter(([outcome]) => outcomes[outcome] === 0).map(([, said]) => said) : [];
}

function enumerated(numbers: number[]): string {
  return numbers.length < 2 ? numbers.join() : `${numbers.slice(0, -1).join(", ")} and ${numbers.at(-1)}`;
}

/** Describes the copies that a line has after unrolling and inlining. */
export function copiesInWords(copies: number[]): string[] {
  const never = copies.flatMap((count, at) => (count === 0 ? [at + 1] : []));
  if (!never.length || never.length === copies.length) return [];
  if (never.length > 4) return [`${never.length} of ${copies.length} copies never ran`];
  return [`${never.length > 1 ? "copies" : "copy"} ${enumerated(never)} of ${copies.length} never ran`];
}

interface Counted {
  count: number | null;
  amount: number;
  marks: string[];
}

function counted(listing: Listing, view: View): Counted[] {
  if (view.specialisation) {
    const one = listing.specialisations.find((each) => each.name === view.specialisation);
    const own = new Map(one?.lines.map((line) => [line.number, line]));
    return listing.lines.map(({ number }) => {
      const found = own.get(number);
      if (!found) return { count: null, amount: 0, marks: [] };
      const { count, copies, outcomes } = found;
      return { count, amount: count, marks: [...branches(count, outcomes ?? {}), ...copiesInWords(copies)] };
    });
  }
  return listing.lines.map((line) => ({
    count: line.count,
    amount: amounts(line)[view.quantity],
    marks: branches(line.count, line.outcomes),
  }));
}

function kindOf(line: Line, count: number | null, amount: number, quantity: Quantity): Kind {
  if (count === null) return "none";
  if (count === 0) return line.launched === false ? "waiting" : "never";
  if (amount === 0) return "idle";
  return quantity !== "difference" ? "ran" : amount > 0 ? "more" : "less";
}

function textOf(kind: Kind, amount: number, most: number, isNew: boolean, view: View): string {
  if (kind === "none") return "";
  if (kind === "never") return "never";
  if (kind === "waiting") return "\u2013";
  if (view.quantity === "difference") return isNew ? "new" : signed(amount);
  return view.shares ? share(amount, most) : grouped(amount);
}

/** Returns the presentation of each line, in order. */
export function shownLines(listing: Listing, view: View, scale: Scale): Shown[] {
  const most = scale[view.quantity];
  return counted(listing, view).map(({ count, amount, marks }, at) => {
    const line = listing.lines[at];
    const kind = kindOf(line, count, amount, view.quantity);
    return {
      kind,
      text: textOf(kind, amount, most, line.previous === null, view),
      level: level(Math.abs(amount), most),
      length: length(Math.abs(amount), most),
      busiest: amount !== 0 && Math.abs(amount) === most,
      marks,
      lacking: kind === "never" || kind === "waiting" || marks.length > 0,
    };
  });
}

/** True if lines were counted, and none of them is lacking. */
export function lacksNothing(shown: readonly Shown[]): boolean {
  return shown.some(({ kind }) => kind !== "none") && !shown.some(({ lacking }) => lacking);
}

function lines(count: number): string {
  return `${count} ${count === 1 ? "line" : "lines"}`;
}

/** Returns a summary of the listing in one sentence. */
export function summary(listing: Listing, shown: Shown[], view: View): string {
  const all = shown.filter(({ kind }) => kind !== "none");
  const of = (...kinds: Kind[]) => all.filter(({ kind }) => kinds.includes(kind)).length;
  if (view.specialisation && !all.length) return "not part of this specialisation";
  if (!all.length) return "nothing was counted yet";
  if (of("waiting") === all.length) return "not run yet";
  if (view.quantity !== "difference") {
    const waiting = of("waiting") ? `, ${of("waiting")} not run yet` : "";
    return `${of("ran")} of ${lines(all.length)} ran${view.quantity === "newest" ? " in the newest run" : ""}${waiting}`;
  }
  if (listing.lines.every((line) => line.previous === null)) return "there was no run before";
  const changes = [of("more") && `${lines(of("more"))} more often`, of("less") && `${lines(of("less"))} less often`].filter(Boolean);
  return changes.length ? `${changes.join(", ")} than in the run before` : "the same as in the run before";
}
