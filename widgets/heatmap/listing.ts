// The listing of one kernel or func.
import type { Scale } from "../protocol/coverage";
import type { Line, Listing } from "../protocol/heatmap";
import { element, say } from "./dom";
import { grouped } from "./scale";
import { lacksNothing, shownLines, summary, type Kind, type Shown, type View } from "./shown";

class Row {
  readonly node = element("tr");
  private readonly count = element("td", "qd-count");
  private readonly backward = element("td", "qd-backward");
  private readonly marks = element("span", "qd-marks");

  constructor(line: Line) {
    const text = element("td", "qd-text", line.text || " ");
    text.append(this.marks);
    this.node.append(element("td", "qd-number", String(line.number)), this.count, this.backward, text);
  }

  update(line: Line, shown: Shown, view: View): void {
    this.backward.hidden = !view.backward;
    say(this.backward, line.backward && !view.specialisation ? `${grouped(line.backward)} back` : "");
    this.backward.title = line.backward ? "runs repeated to compute gradients" : "";
    this.node.className = shown.kind === "none" ? "" : `qd-${shown.kind}${shown.busiest ? " qd-busiest" : ""}`;
    this.node.style.setProperty("--qd-level", String(shown.level));
    this.node.style.setProperty("--qd-length", `${shown.length}%`);
    this.count.title = shown.kind === "waiting" ? "not run yet" : shown.busiest ? "no line of the notebook ran more often" : "";
    this.node.hidden = view.onlyNever && !shown.lacking;
    say(this.count, shown.text);
    if (this.marks.childElementCount === shown.marks.length && this.marks.textContent === shown.marks.join("")) return;
    this.marks.replaceChildren(...shown.marks.map((said) => element("span", "qd-mark", said)));
  }
}

export class ListingView {
  readonly node = element("section");
  private readonly note = element("span", "qd-note");
  private readonly nothing = element("div", "qd-note", "every line ran, every branch went both ways");
  private readonly table = element("table");
  private readonly rows: Row[];
  private readonly backward = element("th", "", "backward");
  private kinds = new Set<Kind>();
  /** Width of the columns in characters. */
  readonly numberWidth: number;
  countWidth = 1;

  constructor(private readonly made: Listing) {
    const head = element("div", "qd-bar");
    head.append(element("span", "qd-title", made.title), this.note);
    this.table.setAttribute("aria-label", `coverage of ${made.title}`);
    const names = element("tr");
    for (const cell of [element("th", "", "line"), element("th", "", "count"), this.backward, element("th", "", "statement")]) {
      cell.scope = "col";
      names.append(cell);
    }
    const header = element("thead", "qd-hidden");
    header.append(names);
    const body = element("tbody");
    this.rows = made.lines.map((line) => new Row(line));
    this.numberWidth = Math.max(1, ...made.lines.map((line) => String(line.number).length));
    body.append(...this.rows.map((row) => row.node));
    this.table.append(header, body);
    this.node.append(head, this.table, this.nothing);
  }

  shows(kind: Kind): boolean {
    return this.kinds.has(kind);
  }

  /** True if it can show this listing: the same lines of the same text. */
  fits(listing: Listing): boolean {
    const { title, lines } = this.made;
    return title === listing.title && lines.length === listing.lines.length
      && lines.every((line, at) => line.text === listing.lines[at].text && line.number === listing.lines[at].number);
  }

  /** Returns a summary in words. */
  update(listing: Listing, view: View, scale: Scale): string {
    const shown = shownLines(listing, view, scale);
    const backward = listing.lines.some((line) => line.backward);
    this.backward.hidden = !backward;
    this.kinds = new Set(shown.map(({ kind }) => kind));
    this.countWidth = Math.max(...shown.map(({ text }) => text.length));
    this.rows.forEach((row, at) => row.update(listing.lines[at], shown[at], { ...view, backward }));
    const left = this.rows.some((row) => !row.node.hidden);
    this.table.hidden = !left;
    this.nothing.hidden = left || !lacksNothing(shown);
    const said = summary(listing, shown, view);
    say(this.note, said);
    return `${listing.title}: ${said}`;
  }
}
