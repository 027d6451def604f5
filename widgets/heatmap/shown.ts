// What a listing shows of its lines: which number, how strong the tint is, what is said in words.
import type { Line, Listing, Outcome } from "../protocol/heatmap";
import { grouped, level, share, signed } from "./scale";

/** Which number is shown. */
export type Quantity = "total" | "newest" | "difference";

export interface View {
  quantity: Quantity;
  /** Name of one; "": all together. Only totals are kept apart. */
  specialisation: string;
  shares: boolean;
  onlyNever: boolean;
}

/** ran; never: in no run; idle: there is nothing to show for the newest run; more, less: than in the run before. */
export type Kind = "none" | "ran" | "never" | "idle" | "more" | "less";

export interface Shown {
  kind: Kind;
  text: string;
  /** Strength of the tint in percent. */
  level: number;
  marks: string[];
  /** It stays when only what never ran is asked for. */
  lacking: boolean;
}

/** What is worth saying about the branches of a line. */
function branches(line: Line): string[] {
  const words: [Outcome, string][] = [["taken", "never true"], ["not_taken", "never false"], ["entered", "never entered"]];
  return line.count ? words.filter(([outcome]) => line.outcomes[outcome] === 0).map(([, said]) => said) : [];
}

function enumerated(numbers: number[]): string {
  return numbers.length < 2 ? numbers.join() : `${numbers.slice(0, -1).join(", ")} and ${numbers.at(-1)}`;
}

/** Of the copies that a line has after unrolling and inlining. */
export function copiesInWords(copies: number[]): string[] {
  const never = copies.flatMap((count, at) => (count === 0 ? [at + 1] : []));
  if (!never.length || never.length === copies.length) return [];
  if (never.length > 4) return [`${never.length} of ${copies.length} copies never ran`];
  return [`${never.length > 1 ? "copies" : "copy"} ${enumerated(never)} of ${copies.length} never ran`];
}

interface Counted {
  count: number | null;
  amount: number;
  copies: number[] | null;
}

function counted(listing: Listing, view: View): Counted[] {
  if (view.specialisation) {
    const one = listing.specialisations.find((each) => each.name === view.specialisation);
    const own = new Map(one?.lines.map((line) => [line.number, line]));
    return listing.lines.map(({ number }) => {
      const found = own.get(number);
      return { count: found?.count ?? null, amount: found?.count ?? 0, copies: found?.copies ?? null };
    });
  }
  return listing.lines.map((line) => {
    const amounts = { total: line.count ?? 0, newest: line.newest, difference: line.newest - (line.previous ?? line.newest) };
    return { count: line.count, amount: amounts[view.quantity], copies: null };
  });
}

function kindOf(count: number | null, amount: number, quantity: Quantity): Kind {
  if (count === null) return "none";
  if (count === 0) return "never";
  if (amount === 0) return "idle";
  return quantity !== "difference" ? "ran" : amount > 0 ? "more" : "less";
}

function textOf(kind: Kind, amount: number, most: number, isNew: boolean, view: View): string {
  if (kind === "none") return "";
  if (kind === "never") return "never";
  if (view.quantity === "difference") return isNew ? "new" : signed(amount);
  return view.shares ? share(amount, most) : grouped(amount);
}

/** Of each line, in their order. */
export function shownLines(listing: Listing, view: View): Shown[] {
  const all = counted(listing, view);
  const most = Math.max(1, ...all.map(({ amount }) => Math.abs(amount)));
  return all.map(({ count, amount, copies }, at) => {
    const line = listing.lines[at];
    const kind = kindOf(count, amount, view.quantity);
    const marks = copies ? copiesInWords(copies) : branches(line);
    return {
      kind,
      text: textOf(kind, amount, most, line.previous === null, view),
      level: level(Math.abs(amount), most),
      marks: kind === "none" ? [] : marks,
      lacking: kind === "never" || (kind !== "none" && marks.length > 0),
    };
  });
}

/** The listing in one sentence. */
export function summary(listing: Listing, lines: Shown[], view: View): string {
  const all = lines.filter(({ kind }) => kind !== "none");
  const of = (...kinds: Kind[]) => all.filter(({ kind }) => kinds.includes(kind)).length;
  if (view.specialisation && !all.length) return "not part of this specialisation";
  if (!all.length) return "nothing was counted yet";
  if (view.quantity !== "difference") {
    return `${of("ran")} of ${all.length} lines ran${view.quantity === "newest" ? " in the newest run" : ""}`;
  }
  if (listing.lines.every((line) => line.previous === null)) return "there was no run before";
  const changes = [`${of("more")} more often`, `${of("less")} less often`].filter((said) => !said.startsWith("0"));
  return changes.length ? `${changes.join(", ")} than in the run before` : "the same as in the run before";
}
