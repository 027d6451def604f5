// The tooltip of a mark, and the voice of a screen reader. One of each on the page. The tooltip stays while the pointer is on it,
// follows its line while counts grow, and Escape closes it.
import type { EditorView } from "@codemirror/view";

type Read = () => string[] | null;

class Tip {
  private node: HTMLElement | null = null;
  private at: { view: EditorView; position: number; read: Read } | null = null;
  private leaving = 0;

  show(view: EditorView, position: number, read: Read): void {
    window.clearTimeout(this.leaving);
    this.at = { view, position, read };
    this.draw();
  }

  /** The pointer left the mark: it has a moment to reach the tooltip. */
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
    node.replaceChildren(...said.map((text) => Object.assign(document.createElement("div"), { textContent: text })));
    document.body.append(node);
    const gutter = view.dom.querySelector(".qd-gutter")?.getBoundingClientRect() ?? view.dom.getBoundingClientRect();
    const top = view.documentTop + place.top;
    const below = top + view.defaultLineHeight + 4;
    const fits = below + node.offsetHeight <= window.innerHeight;
    node.style.left = `${Math.max(0, Math.min(gutter.left, window.innerWidth - node.offsetWidth - 8))}px`;
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

let voice: HTMLElement | null = null;

/** Has a screen reader say it. */
export function announce(text: string): void {
  if (!voice) {
    voice = document.createElement("div");
    voice.className = "qd-voice";
    voice.setAttribute("role", "status");
    voice.setAttribute("aria-live", "polite");
    document.body.append(voice);
  }
  voice.replaceChildren(Object.assign(document.createElement("p"), { textContent: text })); // a new node: said again if the same
}
