// The marks in one editor: a gutter with counts, and branches in words after the line. The extension is in a compartment that is empty, and
// takes no space, in every cell without marks.
import { Compartment, Extension, Range, RangeSet, StateEffect, StateField, Text, Transaction } from "@codemirror/state";
import { Decoration, DecorationSet, EditorView, gutter, GutterMarker, ViewPlugin, WidgetType } from "@codemirror/view";
import type { Quantity } from "../../widgets/heatmap/scale";
import type { CellCoverage, Scale } from "../../widgets/protocol/coverage";
import { digest } from "./digest";
import { type KeptMark, keptMarksOf, type Mark, marksOf, staleWords, summary } from "./marks";
import { legend, tip } from "./tip";

export interface Shown {
  coverage: CellCoverage;
  /** A kernel is running, so that more updates follow. */
  running: boolean;
  /** Counted by a kernel that is gone. */
  earlier: boolean;
  quantity: Quantity;
  scale: Scale;
  /** Bytes of the line of the notebook for which gradients store the most. */
  mostKept: number;
  /** Makes all gutters show the next quantity. */
  next(): void;
}

class CountMarker extends GutterMarker {
  constructor(readonly mark: Mark, readonly stale: boolean) {
    super();
  }

  eq(other: CountMarker): boolean {
    return this.stale === other.stale && JSON.stringify(this.mark) === JSON.stringify(other.mark);
  }

  toDOM(): Node {
    const { text, kind, level, length, busiest, branches } = this.mark;
    const made = document.createElement("div");
    made.className = `qd-mark-count qd-${kind}${branches.length ? " qd-partial" : ""}${busiest ? " qd-busiest" : ""}`;
    made.style.setProperty("--qd-level", String(level));
    made.style.setProperty("--qd-length", `${length}%`);
    made.textContent = text;
    made.setAttribute("aria-label", sentences(this.mark, this.stale).join(". "));
    return made;
  }
}

class KeptMarker extends GutterMarker {
  constructor(readonly mark: KeptMark, readonly stale: boolean) {
    super();
  }

  eq(other: KeptMarker): boolean {
    return this.stale === other.stale && JSON.stringify(this.mark) === JSON.stringify(other.mark);
  }

  toDOM(): Node {
    const made = document.createElement("div");
    made.className = "qd-mark-kept";
    made.style.setProperty("--qd-level", String(this.mark.level));
    made.textContent = this.mark.text;
    made.setAttribute("aria-label", sentences(this.mark, this.stale).join(". "));
    return made;
  }
}

const quantityNames: Record<Quantity, string> = { total: "all runs", newest: "newest run", difference: "difference" };

/** The head of the gutter, next to the first line, which is never counted: names the quantity; a click switches to the next one. */
class HeadMarker extends GutterMarker {
  constructor(readonly quantity: Quantity) {
    super();
  }

  eq(other: HeadMarker): boolean {
    return this.quantity === other.quantity;
  }

  toDOM(): Node {
    const made = document.createElement("div");
    made.className = "qd-mark-head";
    made.textContent = quantityNames[this.quantity];
    return made;
  }
}

const headWords: Record<Quantity, string[]> = {
  total: ["Counts of all runs", "Click: counts of the newest run"],
  newest: ["Counts of the newest run", "Click: the difference to the run before"],
  difference: ["Difference of the newest run to the run before", "Click: all runs"],
};

function saidOfHead(view: EditorView): (string | Node)[] | null {
  const marks = view.state.field(field, false);
  if (!marks) return null;
  const { quantity, scale } = marks.shown;
  return [...headWords[quantity], legend(quantity, scale[quantity])];
}

class KeptHeadMarker extends GutterMarker {
  eq(): boolean {
    return true;
  }

  toDOM(): Node {
    const made = document.createElement("div");
    made.className = "qd-mark-kept-head";
    made.textContent = "kept";
    return made;
  }
}

function saidOfKept(view: EditorView): string[] | null {
  if (!view.state.field(field, false)) return null;
  return ["Bytes that gradients keep of the values of a line, on each thread",
    "The reverse pass through loops needs them; a stronger tint means more. %qd_adstack shows the effect of a budget"];
}

/** A few words after a line. */
class Words extends WidgetType {
  constructor(readonly said: string, readonly style: "qd-mark-branch" | "qd-mark-stale") {
    super();
  }

  eq(other: Words): boolean {
    return this.said === other.said && this.style === other.style;
  }

  toDOM(): HTMLElement {
    const made = document.createElement("span");
    made.className = this.style;
    made.textContent = this.said;
    made.setAttribute("aria-hidden", "true");
    return made;
  }
}

function behind(at: number, said: string, style: Words["style"]): Range<Decoration> {
  return Decoration.widget({ widget: new Words(said, style), side: 1 }).range(at);
}

interface Marks {
  shown: Shown;
  stale: boolean;
  counts: RangeSet<CountMarker>;
  kept: RangeSet<KeptMarker>;
  /** Words after branches, while the text is the one that ran. */
  branches: DecorationSet;
}

const setShown = StateEffect.define<Shown>();

function build(shown: Shown, doc: Text): Marks {
  const stale = digest(doc.toString()) !== shown.coverage.digest;
  const counts: Range<CountMarker>[] = [];
  const branches: Range<Decoration>[] = [];
  for (const mark of marksOf(shown.coverage, shown.quantity, shown.scale, shown.running)) {
    if (mark.number < 1 || mark.number > doc.lines) continue;
    const line = doc.line(mark.number);
    counts.push(new CountMarker(mark, stale).range(line.from));
    if (!stale) branches.push(...mark.branches.map((said) => behind(line.to, said, "qd-mark-branch")));
  }
  const kept = keptMarksOf(shown.coverage, shown.mostKept).filter(({ number }) => number >= 1 && number <= doc.lines)
    .map((mark) => new KeptMarker(mark, stale).range(doc.line(mark.number).from));
  return { shown, stale, counts: RangeSet.of(counts, true), kept: RangeSet.of(kept, true), branches: Decoration.set(branches, true) };
}

function each<T extends GutterMarker>(all: RangeSet<T>, made: (one: T) => T): RangeSet<T> {
  const found: Range<T>[] = [];
  for (const at = all.iter(); at.value; at.next()) found.push(made(at.value).range(at.from) as Range<T>);
  return RangeSet.of(found, true);
}

/** Returns the same marks, in grey, at the positions to which an edit moved them. */
function moved(marks: Marks, change: Transaction): Marks {
  const counts = marks.counts.map(change.changes);
  const kept = marks.kept.map(change.changes);
  if (marks.stale) return { ...marks, counts, kept };
  return {
    ...marks, stale: true, branches: Decoration.none,
    counts: each(counts, ({ mark }) => new CountMarker(mark, true)), kept: each(kept, ({ mark }) => new KeptMarker(mark, true)),
  };
}

const field = StateField.define<Marks | null>({
  create: () => null,
  update(marks, change) {
    for (const effect of change.effects) if (effect.is(setShown)) return build(effect.value, change.newDoc);
    if (!marks || !change.docChanged) return marks;
    if (digest(change.newDoc.toString()) === marks.shown.coverage.digest) return build(marks.shown, change.newDoc);
    return moved(marks, change);
  },
  provide: (self) => [
    EditorView.decorations.from(self, (marks) => marks?.branches ?? Decoration.none),
    EditorView.decorations.compute([self], (state) => {
      const marks = state.field(self);
      const said = marks?.stale ? "edited since it ran" : marks?.shown.earlier ? "from an earlier kernel" : "";
      return said ? Decoration.set(behind(state.doc.line(1).to, said, "qd-mark-stale")) : Decoration.none;
    }),
    EditorView.editorAttributes.from(self, (marks) => ({
      class: `qd-marked${marks?.stale || marks?.shown.earlier ? " qd-stale" : ""}${marks?.shown.running ? " qd-live" : ""}${marks?.kept.size ? " qd-keeps" : ""}`,
    })),
    EditorView.contentAttributes.from(self, (marks): Record<string, string> =>
      marks ? { "aria-description": summary(marks.shown.coverage, marks.stale, marks.shown.earlier) } : {}),
  ],
});

function withHead(marks: RangeSet<GutterMarker>, head: GutterMarker): RangeSet<GutterMarker> {
  let first = false;
  marks.between(0, 0, () => { first = true; });
  return first || !marks.size ? marks : marks.update({ add: [head.range(0)] }); // an edit moved a mark there
}

const follow = ViewPlugin.define((view) => ({
  update: () => tip.refresh(view),
  destroy: () => tip.hide(view),
}));

const extension: Extension = [
  field,
  gutter({
    class: "qd-gutter",
    markers: (view) => {
      const marks = view.state.field(field);
      return marks ? withHead(marks.counts, new HeadMarker(marks.shown.quantity)) : RangeSet.empty;
    },
    domEventHandlers: {
      mouseover: (view, line, event) => {
        const target = event.target as HTMLElement;
        if (target.closest(".qd-mark-count")) tip.show(view, line.from, () => said(view, line.from, "counts"));
        else if (target.closest(".qd-mark-head")) tip.show(view, line.from, () => saidOfHead(view));
        return false;
      },
      mouseout: () => (tip.leave(), false),
      click: (view, _, event) => {
        if (!(event.target as HTMLElement).closest(".qd-mark-head")) return false;
        view.state.field(field)?.shown.next();
        return true;
      },
    },
  }),
  gutter({
    class: "qd-kept",
    markers: (view) => withHead(view.state.field(field)?.kept ?? RangeSet.empty, new KeptHeadMarker()),
    domEventHandlers: {
      mouseover: (view, line, event) => {
        const target = event.target as HTMLElement;
        if (target.closest(".qd-mark-kept")) tip.show(view, line.from, () => said(view, line.from, "kept"));
        else if (target.closest(".qd-mark-kept-head")) tip.show(view, line.from, () => saidOfKept(view));
        return false;
      },
      mouseout: () => (tip.leave(), false),
    },
  }),
  follow,
];

const slot = new Compartment();

/** The extension of every editor: an empty compartment for marks. */
export const marksSlot: Extension = slot.of([]);

function filled(view: EditorView): boolean {
  return view.state.field(field, false) !== undefined;
}

/** Shows these marks in an editor, or none. */
export function show(view: EditorView, shown: Shown | null): void {
  if (shown) {
    const effects: StateEffect<unknown>[] = filled(view) ? [] : [slot.reconfigure(extension)];
    view.dispatch({ effects: [...effects, setShown.of(shown)] });
  } else if (filled(view)) {
    view.dispatch({ effects: slot.reconfigure([]) });
  }
}

function sentences(mark: Mark | KeptMark, stale: boolean): string[] {
  return stale ? [...mark.words, staleWords([mark])] : mark.words;
}

/** Returns the sentences of the marks of a line, or of one of the two; null if there are none. */
export function said(view: EditorView, at: number, which: "counts" | "kept" | "both" = "both"): string[] | null {
  const marks = view.state.field(field, false);
  if (!marks) return null;
  const line = view.state.doc.lineAt(Math.min(at, view.state.doc.length));
  const found: string[] = [];
  const stale: (Mark | KeptMark)[] = [];
  for (const set of [which === "kept" ? null : marks.counts, which === "counts" ? null : marks.kept]) {
    (set as RangeSet<CountMarker | KeptMarker> | null)?.between(line.from, line.to, (from, _, marker) => {
      if (from < line.from || from > line.to) return;
      found.push(...marker.mark.words);
      if (marker.stale) stale.push(marker.mark);
      return false;
    });
  }
  if (stale.length) found.push(staleWords(stale));
  else if (found.length && marks.shown.earlier) found.push("From an earlier kernel: nothing of this cell has run in the current one");
  return found.length ? found : null;
}

/** Returns a summary of the marks of a whole editor; null if there are none. */
export function overview(view: EditorView): string | null {
  const marks = view.state.field(field, false);
  return marks ? summary(marks.shown.coverage, marks.stale, marks.shown.earlier) : null;
}
