// The coverage heatmap: a listing of each kernel with counts, tinted by their share of the busiest line; branches that never went one way
// are marked in words. Controls choose between all runs, the newest one and its difference to the run before, between all specialisations
// and one, between counts and shares, and narrow the listing to lines that never ran. It is drawn by the widget (heatmap.ts), and by
// JupyterLab from stored outputs (labextension/src/listing.ts).
import type { Scale } from "../protocol/coverage";
import type { HeatmapModel, Listing } from "../protocol/heatmap";
import { choice, element, say, toggle } from "./dom";
import { ListingView } from "./listing";
import { ends, scaleOf, type Quantity } from "./scale";
import type { View } from "./shown";

/** State that the page stores with the model and the kernel does not know: a display that is redrawn continues as it was. */
export interface Kept {
  view?: View;
  focused?: string;
}

type State = HeatmapModel & Kept;

/** The source of the data. */
export interface Model {
  get<K extends keyof State>(name: K): State[K];
  set<K extends keyof State>(name: K, value: State[K]): void;
  on(event: "change:listings" | "change:running", callback: () => void): void;
  off(event: "change:listings" | "change:running", callback: () => void): void;
}

const choices: readonly (readonly [Quantity, string])[] = [
  ["total", "all runs"],
  ["newest", "newest run"],
  ["difference", "difference to the run before"],
];

/** Explains tints and words. */
class Legend {
  readonly node = element("div", "qd-bar qd-legend");
  private readonly least = element("span", "", "once");
  private readonly most = element("span");
  private readonly heat = element("span");
  private readonly never = element("span");
  private readonly waiting = element("span");

  constructor() {
    this.heat.append(this.least, element("span", "qd-ramp"), this.most);
    this.never.append(element("span", "qd-swatch qd-hatched"), "never ran");
    this.waiting.append(element("span", "qd-swatch", "\u2013"), "not run yet");
    this.node.append(this.heat, this.never, this.waiting);
  }

  update(quantity: Quantity, scale: Scale, listings: readonly ListingView[]): void {
    const [least, most] = ends(quantity, scale[quantity]);
    say(this.least, least);
    say(this.most, most);
    this.heat.hidden = !scale[quantity];
    this.heat.classList.toggle("qd-both", quantity === "difference");
    this.never.hidden = !listings.some((listing) => listing.shows("never"));
    this.waiting.hidden = !listings.some((listing) => listing.shows("waiting"));
    this.node.hidden = this.heat.hidden && this.never.hidden && this.waiting.hidden;
  }
}

export class Heatmap {
  readonly root = element("form", "qd-heatmap"); // radio buttons with one name in two forms are two groups
  private readonly view: View;
  private readonly quantity = choice("counts of", choices, (value) => this.change({ quantity: value }));
  private readonly which = element("select");
  private readonly whichLabel = element("label", "qd-which");
  private readonly shares = toggle("share of the busiest line", () => this.change({ shares: !this.view.shares }));
  private readonly onlyNever = toggle("only what never ran", () => this.change({ onlyNever: !this.view.onlyNever }));
  private readonly state = element("span", "qd-state");
  private readonly voice = element("div", "qd-hidden");
  private readonly legend = new Legend();
  private readonly place = element("div");
  private listings: ListingView[] = [];
  private wasRunning = false;

  constructor(private readonly model: Model) {
    this.view = model.get("view") ?? { quantity: "total", specialisation: "", shares: false, onlyNever: false };
    this.whichLabel.append("specialisation ", this.which);
    this.which.addEventListener("change", () => this.change({ specialisation: this.which.value, quantity: "total" }));
    this.voice.setAttribute("role", "status");
    const bar = element("div", "qd-bar qd-controls");
    bar.append(this.quantity.root, this.whichLabel, this.shares, this.onlyNever, this.state);
    for (const control of this.controls()) control.dataset.lmSuppressShortcuts = "true"; // the control handles arrows and Enter itself
    this.root.append(bar, this.legend.node, this.voice, this.place);
    this.root.addEventListener("submit", (event) => event.preventDefault());
    this.root.addEventListener("focusin", (event) => model.set("focused", this.nameOf(event.target)));
    this.root.addEventListener("focusout", () => setTimeout(() => this.root.isConnected && this.forgetFocus()));
    this.draw();
    model.on("change:listings", this.redraw);
    model.on("change:running", this.redraw);
  }

  dispose(): void {
    this.model.off("change:listings", this.redraw);
    this.model.off("change:running", this.redraw);
  }

  /** Called once the element is on the page: restores the focus if the display was redrawn while the user was in it. */
  takeFocus(): void {
    const name = this.model.get("focused");
    const control = name === undefined ? undefined : this.controls().find((each) => this.nameOf(each) === name);
    if (control && (!document.activeElement || !document.activeElement.closest("input, textarea, [contenteditable]"))) control.focus();
  }

  /** Forgets the focus if it moved elsewhere, rather than away with this element. */
  private forgetFocus(): void {
    if (!this.root.contains(document.activeElement)) this.model.set("focused", undefined);
  }

  private controls(): (HTMLInputElement | HTMLSelectElement | HTMLButtonElement)[] {
    return [...this.quantity.inputs.values(), this.which, this.shares, this.onlyNever];
  }

  private nameOf(node: EventTarget | null): string | undefined {
    if (node instanceof HTMLInputElement) return node.value;
    return node === this.which ? "which" : node instanceof HTMLButtonElement ? node.textContent ?? undefined : undefined;
  }

  private change(wanted: Partial<View>): void {
    Object.assign(this.view, wanted);
    this.model.set("view", this.view);
    say(this.voice, this.draw());
  }

  private readonly redraw = (): void => {
    const said = this.draw();
    const running = this.model.get("running");
    if (this.wasRunning && !running) say(this.voice, said); // not at every step
    this.wasRunning = running;
  };

  /** Returns a summary in words. */
  private draw(): string {
    const listings = this.model.get("listings");
    if (listings.length !== this.listings.length || !this.listings.every((view, at) => view.fits(listings[at]))) {
      this.listings = listings.map((listing) => new ListingView(listing));
      this.place.replaceChildren(...this.listings.map((view) => view.node));
    }
    this.drawChoices(listings);
    const scale = this.scale(listings);
    const said = this.listings.map((view, at) => view.update(listings[at], this.view, scale)).join("; ");
    this.legend.update(this.view.quantity, scale, this.listings);
    const widest = (read: (view: ListingView) => number) => `${Math.max(1, ...this.listings.map(read))}ch`;
    this.root.style.setProperty("--qd-number-width", widest((view) => view.numberWidth));
    this.root.style.setProperty("--qd-count-width", widest((view) => view.countWidth));
    return said;
  }

  private scale(listings: Listing[]): Scale {
    const told = this.model.get("scale") as Scale | undefined;
    return told?.total ? told : scaleOf(listings.flatMap((listing) => listing.lines));
  }

  private drawChoices(listings: Listing[]): void {
    const all = listings.flatMap((listing) => listing.specialisations);
    const names = [...new Set(all.map((one) => one.name))];
    const apart = names.length > 1 || all.some((one) => one.lines.some((line) => line.copies.length > 1));
    this.whichLabel.hidden = !apart;
    if (!names.includes(this.view.specialisation)) this.view.specialisation = "";
    const options = ["", ...names];
    if (options.join("\n") !== [...this.which.options].map((option) => option.value).join("\n")) {
      this.which.replaceChildren(...options.map((name) => new Option(name || "all together", name)));
    }
    this.which.value = this.view.specialisation;
    for (const [value, input] of this.quantity.inputs) {
      input.checked = value === this.view.quantity;
      input.disabled = value !== "total" && this.view.specialisation !== "";
      input.parentElement!.title = input.disabled ? "known for all specialisations together" : "";
    }
    this.shares.disabled = this.view.quantity === "difference";
    this.shares.setAttribute("aria-pressed", String(this.view.shares));
    this.onlyNever.setAttribute("aria-pressed", String(this.view.onlyNever));
    const running = this.model.get("running");
    say(this.state, running ? "counting\u2026" : this.model.get("follows") ? "follows what runs" : "");
    this.state.classList.toggle("qd-running", running);
  }
}
