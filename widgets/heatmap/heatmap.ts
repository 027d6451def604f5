// The coverage heatmap: a listing of each kernel with counts, tinted on a log scale, branches that never went one way marked
// in words. Buttons choose between counts and shares, and narrow the listing to what never ran.
import type { RenderProps } from "@anywidget/types";
import type { HeatmapModel, Line, Listing, Outcome } from "../protocol/heatmap";
import css from "./heatmap.css";
import { grouped, level, share } from "./scale";

interface View {
  shares: boolean;
  onlyNever: boolean;
}

/** What is worth saying about the branches of a line, in words. */
export function marks(line: Line): string[] {
  const said: string[] = [];
  const never = (outcome: Outcome) => line.outcomes[outcome] === 0;
  if (line.count === 0) return said;
  if (never("taken")) said.push("never true");
  if (never("not_taken")) said.push("never false");
  if (never("entered")) said.push("never entered");
  return said;
}

function element<K extends keyof HTMLElementTagNameMap>(tag: K, className = "", text = ""): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return made;
}

function row(line: Line, most: number, view: View): HTMLTableRowElement {
  const made = element("tr");
  const counted = line.count !== null;
  if (counted) made.className = line.count! > 0 ? "qd-ran" : "qd-never";
  made.style.setProperty("--qd-level", String(level(line.count ?? 0, most)));
  made.append(element("td", "qd-number", String(line.number)));
  const shown = !counted ? "" : line.count === 0 ? "never" : view.shares ? share(line.count!, most) : grouped(line.count!);
  made.append(element("td", "qd-count", shown));
  const text = element("td", "qd-text", line.text || " ");
  for (const said of marks(line)) text.append(element("span", "qd-mark", said));
  made.append(text);
  return made;
}

function table(listing: Listing, view: View): HTMLElement {
  const counted = listing.lines.filter((line) => line.count !== null);
  const most = Math.max(1, ...counted.map((line) => line.count!));
  const ran = counted.filter((line) => line.count! > 0).length;
  const section = element("section");
  const bar = element("div", "qd-bar");
  bar.append(element("span", "qd-title", listing.title));
  bar.append(element("span", "qd-note", `${ran} of ${counted.length} lines ran`));
  section.append(bar);
  const made = element("table");
  made.setAttribute("aria-label", `coverage of ${listing.title}`);
  const body = element("tbody");
  for (const line of listing.lines) {
    if (!view.onlyNever || line.count === 0 || marks(line).length > 0) body.append(row(line, most, view));
  }
  if (!body.childElementCount) {
    const nothing = element("tr");
    nothing.append(element("td", "qd-note", "every line ran, every branch went both ways"));
    body.append(nothing);
  }
  made.append(body);
  section.append(made);
  return section;
}

function toggle(label: string, get: () => boolean, flip: () => void): HTMLButtonElement {
  const button = element("button", "", label);
  button.type = "button";
  button.setAttribute("aria-pressed", String(get()));
  button.addEventListener("click", () => {
    flip();
    button.setAttribute("aria-pressed", String(get()));
  });
  return button;
}

function render({ model, el }: RenderProps<HeatmapModel>) {
  const view: View = { shares: false, onlyNever: false };
  const root = element("div", "qd-heatmap");
  const listings = element("div");
  const draw = () => listings.replaceChildren(...model.get("listings").map((listing) => table(listing, view)));
  const bar = element("div", "qd-bar");
  bar.append(
    toggle("share of the busiest line", () => view.shares, () => { view.shares = !view.shares; draw(); }),
    toggle("only what never ran", () => view.onlyNever, () => { view.onlyNever = !view.onlyNever; draw(); }),
  );
  root.append(element("style", "", css), bar, listings);
  draw();
  model.on("change:listings", draw);
  el.append(root);
  return () => model.off("change:listings", draw);
}

export default { render };
