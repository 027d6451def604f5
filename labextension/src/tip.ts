// The tooltip of a mark, and announcements to screen readers; the page has one of each. The tooltip stays while the pointer is on it,
// follows its line while counts grow, and Escape closes it.
import type { EditorView } from "@codemirror/view";
import { ends, type Quantity } from "../../widgets/heatmap/scale";

type Read = () => (string | Node)[] | null;

class Tip {
  private node: HTMLElement | null = null;
  private at: { view: EditorView; position: number; read: Read } | null = null;
  private leaving = 0;

  show(view: EditorView, position: number, read: Read): void {
    window.clearTimeout(this.leaving);
    this.at = { view, position, read };
    this.draw();
  }

  /** The pointer has left the mark, and has a moment to reach the tooltip. */
  leave(): void {
    window.clearTimeout(this.leaving);
    this.leaving = window.setTimeout(() => this.hide(), 150);
  }

  hide(view?: EditorView): void {
    if (view && this.at?.view !== view) return;
    window.clearTimeout(this.leaving);
    this.at = null;
    this.node?.remove();
  }

  refresh(view: EditorView): void {
    if (this.at?.view === view) requestAnimationFrame(() => this.draw());
  }

  private draw(): void {
    if (!this.at) return;
    const { view, position, read } = this.at;
    const said = read();
    const place = said && view.dom.isConnected && position <= view.state.doc.length && view.lineBlockAt(position);
    if (!place) return this.hide();
    const node = this.made();
    node.replaceChildren(...said.map((one) => {
      const row = document.createElement("div");
      row.append(one);
      return row;
    }));
    document.body.append(node);
    // To the right of the marks, so that the pointer can reach the next one.
    const columns = [...view.dom.querySelectorAll(".qd-gutter, .qd-kept")].map((column) => column.getBoundingClientRect().right);
    const left = Math.max(view.dom.getBoundingClientRect().left, ...columns) + 8;
    node.style.left = `${left}px`;
    node.style.maxWidth = `min(64ch, ${Math.max(120, window.innerWidth - left - 32)}px)`;
    const top = view.documentTop + place.top;
    const below = top + view.defaultLineHeight + 4;
    const fits = below + node.offsetHeight <= window.innerHeight;
    node.style.top = `${fits ? below : top - node.offsetHeight - 4}px`;
  }

  private made(): HTMLElement {
    if (this.node) return this.node;
    const node = document.createElement("div");
    node.className = "qd-tip";
    node.setAttribute("role", "tooltip");
    node.addEventListener("mouseenter", () => window.clearTimeout(this.leaving));
    node.addEventListener("mouseleave", () => this.leave());
    const close = (event: KeyboardEvent) => event.key === "Escape" && this.hide();
    document.addEventListener("keydown", close, true);
    document.addEventListener("scroll", () => this.hide(), true);
    this.node = node;
    return node;
  }
}

export const tip = new Tip();

function element(className: string, text = ""): HTMLElement {
  return Object.assign(document.createElement("span"), { className, textContent: text });
}

/** Explains tints and words. `most`: the count of the busiest line of the notebook. */
export function legend(quantity: Quantity, most: number): Node {
  const row = element("qd-tip-legend");
  const [least, greatest] = ends(quantity, most);
  row.append(element("", least), element(`qd-ramp${quantity === "difference" ? " qd-both" : ""}`), element("", greatest));
  const rest = element("qd-tip-legend");
  rest.append(element("qd-swatch qd-hatched"), element("", "never ran"), element("qd-swatch", "\u2013"), element("", "not run yet"));
  const made = document.createElement("div");
  made.append(row, document.createElement("br"), rest);
  return made;
}

let voice: HTMLElement | null = null;

/** Makes a screen reader say the text. */
export function announce(text: string): void {
  if (!voice) {
    voice = document.createElement("div");
    voice.className = "qd-voice";
    voice.setAttribute("role", "status");
    voice.setAttribute("aria-live", "polite");
    document.body.append(voice);
  }
  voice.replaceChildren(Object.assign(document.createElement("p"), { textContent: text })); // a new node: also says the same text again
}
