// The coverage heatmap: a listing of each kernel with counts, tinted on a log scale, branches that never went one way marked
// in words. Controls choose between all runs, the newest one and its difference to the run before, between all
// specialisations and one, between counts and shares, and narrow the listing to what never ran.
import type { AnyModel, RenderProps } from "@anywidget/types";
import type { HeatmapModel, Listing } from "../protocol/heatmap";
import { choice, element, say, toggle } from "./dom";
import css from "./heatmap.css";
import { ListingView } from "./listing";
import type { Quantity, View } from "./shown";

/** What the page keeps with the model, and the kernel does not know: a display that is drawn again goes on as it was. */
interface Kept {
  view?: View;
  focused?: string;
}

const quantities: readonly (readonly [Quantity, string])[] = [
  ["total", "all runs"],
  ["newest", "newest run"],
  ["difference", "difference to the run before"],
];

class Heatmap {
  readonly root = element("div", "qd-heatmap");
  private readonly view: View;
  private readonly quantity = choice("counts of", quantities, (value) => this.change({ quantity: value }));
  private readonly which = element("select");
  private readonly whichLabel = element("label", "qd-which");
  private readonly shares = toggle("share of the busiest line", () => this.change({ shares: !this.view.shares }));
  private readonly onlyNever = toggle("only what never ran", () => this.change({ onlyNever: !this.view.onlyNever }));
  private readonly state = element("span", "qd-state");
  private readonly voice = element("div", "qd-hidden");
  private readonly place = element("div");
  private listings: ListingView[] = [];
  private wasRunning = false;

  constructor(private readonly model: AnyModel<HeatmapModel & Kept>) {
    this.view = model.get("view") ?? { quantity: "total", specialisation: "", shares: false, onlyNever: false };
    this.whichLabel.append("specialisation ", this.which);
    this.which.addEventListener("change", () => this.change({ specialisation: this.which.value, quantity: "total" }));
    this.voice.setAttribute("role", "status");
    const bar = element("div", "qd-bar qd-controls");
    bar.append(this.quantity.root, this.whichLabel, this.shares, this.onlyNever, this.state);
    for (const control of this.controls()) control.dataset.lmSuppressShortcuts = "true"; // arrows and Enter are theirs
    this.root.append(element("style", "", css), bar, this.voice, this.place);
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

  /** Once on the page: where it was drawn anew under somebody's hands, they go on. */
  takeFocus(): void {
    const name = this.model.get("focused");
    const control = name === undefined ? undefined : this.controls().find((each) => this.nameOf(each) === name);
    if (control && (!document.activeElement || !document.activeElement.closest("input, textarea, [contenteditable]"))) control.focus();
  }

  /** It went elsewhere, not away with this element. */
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

  /** Returns what there is to say. */
  private draw(): string {
    const listings = this.model.get("listings");
    if (listings.length !== this.listings.length || !this.listings.every((view, at) => view.fits(listings[at]))) {
      this.listings = listings.map((listing) => new ListingView(listing));
      this.place.replaceChildren(...this.listings.map((view) => view.node));
    }
    this.drawChoices(listings);
    return this.listings.map((view, at) => view.update(listings[at], this.view)).join("; ");
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

function render({ model, el }: RenderProps<HeatmapModel>) {
  const heatmap = new Heatmap(model as AnyModel<HeatmapModel & Kept>);
  el.append(heatmap.root);
  requestAnimationFrame(() => heatmap.takeFocus());
  return () => heatmap.dispose();
}

export default { render };
