// The checkpoint stepper: the graph of a launch as a list with the outcome of each step, buttons and keys that move the launch, and the
// arrays of the kernel with the changes of the newest step. Elements can be edited between steps.
import { element, say, toggle } from "../heatmap/dom";
import type { ArrayShown, Launch, Move, Step } from "../protocol/checkpoints";
import { changes, controls, edit, head, indexOf, may, moveOf, parsedIndex, resumeKey, signs, took, words, type Simple } from "./shown";

/** The source of the data, and the receiver of the user's requests. */
export interface Source {
  launch(): Launch;
  send(move: Move): void;
}

function owned<E extends HTMLElement>(control: E): E {
  control.dataset.lmSuppressShortcuts = "true"; // the control handles letters and Enter itself
  return control;
}

class StepRow {
  readonly node = element("li");
  private readonly sign = element("span", "qd-sign");
  private readonly text = element("span", "qd-text");
  private readonly said = element("span", "qd-note");
  private readonly time = element("span", "qd-note");

  constructor() {
    this.sign.setAttribute("aria-hidden", "true");
    this.node.append(this.sign, this.text, this.said, this.time);
  }

  update(step: Step, next: boolean): void {
    this.node.className = `qd-${step.kind}${step.state ? ` qd-${step.state}` : ""}${next ? " qd-next" : ""}`;
    this.node.style.setProperty("--qd-depth", String(step.depth));
    if (next) this.node.setAttribute("aria-current", "step");
    else this.node.removeAttribute("aria-current");
    say(this.sign, signs[step.state]);
    say(this.text, step.text);
    say(this.said, [words(step), next ? "next" : ""].filter(Boolean).join(", "));
    say(this.time, took(step));
  }
}

class ArrayView {
  readonly node = element("section");
  private readonly title = element("div");
  private readonly note = element("div", "qd-note");
  private readonly picture = element("div");
  private readonly table = element("table");
  private readonly where = owned(element("input"));
  private readonly value = owned(element("input"));
  private readonly form = element("form", "qd-bar");
  private inputs: HTMLInputElement[] = [];
  private array!: ArrayShown;

  constructor(private readonly send: (move: Move | string) => void) {
    const index = element("label", "", "element ");
    const value = element("label", "", "value ");
    index.append(this.where);
    value.append(this.value);
    const set = owned(toggle("set", () => undefined));
    set.type = "submit";
    this.form.append(index, value, set);
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.send(edit(this.array, parsedIndex(this.where.value, this.array.shape), this.value.value));
    });
    this.node.append(this.title, this.note, this.picture, this.table, this.form);
  }

  update(array: ArrayShown): void {
    this.array = array;
    this.title.replaceChildren(element("b", "", array.name), ` ${array.dtype}${array.shape.length ? ` ${array.shape.join(" \u00d7 ")}` : ""}`);
    this.node.setAttribute("aria-label", `array ${array.name}`);
    this.node.classList.toggle("qd-one", array.rows !== null && array.shape.length === 0);
    say(this.note, changes(array));
    this.form.hidden = array.rows !== null;
    this.where.placeholder = array.shape.map(() => "0").join(", ");
    if (this.picture.innerHTML !== array.picture) this.picture.innerHTML = array.picture;
    this.table.hidden = array.rows === null;
    this.drawRows(array.rows ?? []);
  }

  private drawRows(rows: string[][]): void {
    const across = rows[0]?.length ?? 0;
    if (this.inputs.length !== rows.length * across || this.table.rows.length !== rows.length) {
      this.inputs = [];
      this.table.replaceChildren(...rows.map((row, r) => {
        const line = element("tr");
        for (const c of row.keys()) {
          const cell = element("td");
          const input = owned(element("input"));
          const commit = () => {
            if (input.value !== this.array.rows?.[r][c]) this.send(edit(this.array, indexOf(this.array, r, c), input.value));
          };
          input.addEventListener("change", commit);
          input.addEventListener("keydown", ({ key }) => key === "Enter" && commit()); // a page may prevent Enter from causing a change
          cell.append(input);
          line.append(cell);
          this.inputs.push(input);
        }
        return line;
      }));
    }
    this.inputs.forEach((input, at) => {
      const [r, c] = [Math.floor(at / across), at % across];
      const changed = this.array.marks.includes(at);
      input.value = rows[r][c];
      input.size = Math.max(3, input.value.length);
      const index = indexOf(this.array, r, c);
      input.setAttribute("aria-label", `${this.array.name}${index.length ? ` [${index.join(", ")}]` : ""}${changed ? ", changed" : ""}`);
      input.parentElement!.classList.toggle("qd-changed", changed);
    });
  }
}

export class Stepper {
  readonly root = element("div", "qd-checkpoints");
  private readonly title = element("b");
  private readonly state = element("span", "qd-state");
  private readonly buttons = new Map<Simple, HTMLButtonElement>();
  private readonly label = owned(element("select"));
  private readonly resume = owned(toggle("resume", () => this.send({ do: "resume", label: Number(this.label.value) })));
  private readonly resumeFrom = element("label", "qd-resume", "from ");
  private readonly voice = element("div", "qd-said");
  private readonly error = element("div", "qd-error");
  private readonly list = element("ol");
  private readonly place = element("div", "qd-arrays");
  private rows: StepRow[] = [];
  private arrays: ArrayView[] = [];
  private busy = false;

  constructor(private readonly source: Source) {
    const bar = element("div", "qd-bar");
    bar.setAttribute("role", "toolbar");
    bar.setAttribute("aria-label", "move the launch");
    for (const { move, key, label, title } of controls) {
      const button = owned(toggle(label, () => may(this.source.launch(), move) && this.send({ do: move })));
      button.title = `${title} (key ${key})`;
      const hint = element("span", "qd-key", key);
      hint.setAttribute("aria-hidden", "true");
      button.append(hint);
      button.setAttribute("aria-keyshortcuts", key);
      this.buttons.set(move, button);
      bar.append(button);
    }
    this.resume.title = "starts a new launch from a checkpoint, and skips everything before it";
    this.label.title = `what to resume from (key ${resumeKey})`;
    this.label.setAttribute("aria-keyshortcuts", resumeKey);
    const hint = element("span", "qd-key", resumeKey);
    hint.setAttribute("aria-hidden", "true");
    this.resumeFrom.append(this.label, hint);
    bar.append(this.resume, this.resumeFrom);
    this.voice.setAttribute("role", "status");
    this.error.setAttribute("role", "alert");
    const top = element("div", "qd-bar");
    top.append(this.title, this.state);
    const both = element("div", "qd-both");
    both.append(this.list, this.place);
    this.root.append(top, bar, this.voice, this.error, both);
    this.root.addEventListener("keydown", this.onKey);
    this.draw();
  }

  /** Called once the kernel has answered. */
  update(): void {
    this.busy = false;
    this.draw();
  }

  /** Shows what runs while the kernel makes a move. */
  running(text: string): void {
    if (this.busy) say(this.state, text || "running\u2026");
  }

  private readonly onKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target instanceof HTMLInputElement) return;
    if (event.target instanceof HTMLSelectElement) return;
    const move = moveOf(event.key);
    if (move && may(this.source.launch(), move)) this.send({ do: move });
    else if (event.key === resumeKey && !this.resumeFrom.hidden) this.label.focus();
    else if (!move) return;
    event.preventDefault();
    event.stopPropagation();
  };

  private send(move: Move | string): void {
    if (typeof move === "string") {
      say(this.error, move);
      this.error.hidden = false;
      return;
    }
    if (this.busy) return;
    this.busy = true;
    say(this.state, "running\u2026");
    this.source.send(move);
  }

  private draw(): void {
    const launch = this.source.launch();
    say(this.title, launch.kernel);
    say(this.state, head(launch));
    say(this.voice, launch.said);
    say(this.error, launch.error);
    this.error.hidden = !launch.error;
    for (const [move, button] of this.buttons) {
      // aria-disabled does not move the focus
      button.setAttribute("aria-disabled", String(!may(launch, move)));
      button.hidden = move === "iteration" && !launch.steps.some(({ kind }) => kind === "level");
    }
    this.drawLabels(launch);
    if (this.rows.length !== launch.steps.length) {
      this.rows = launch.steps.map(() => new StepRow());
      this.list.replaceChildren(...this.rows.map(({ node }) => node));
    }
    this.rows.forEach((row, at) => row.update(launch.steps[at], at === launch.next));
    if (this.arrays.length !== launch.arrays.length) {
      this.arrays = launch.arrays.map(() => new ArrayView((move) => this.send(move)));
      this.place.replaceChildren(...this.arrays.map(({ node }) => node));
    }
    this.arrays.forEach((view, at) => view.update(launch.arrays[at]));
  }

  private drawLabels({ labels, yielded }: Launch): void {
    this.resume.hidden = this.resumeFrom.hidden = labels.length === 0;
    if (labels.map(([label]) => label).join() !== [...this.label.options].map((option) => option.value).join()) {
      this.label.replaceChildren(...labels.map(([label, name]) => new Option(name, String(label))));
    }
    if (yielded !== null) this.label.value = String(yielded);
  }
}
