// The adstack view: for each kernel the values that its gradient stores, loop by loop; while the kernel process is connected, a slider for
// the budget and a button that measures. It is drawn by the widget (adstack.ts), and by JupyterLab from stored outputs
// (labextension/src/adstack.ts).
import type { AdstackModel, Kernel, Loop, Measurement, Request } from "../protocol/adstack";
import { element, say, toggle } from "../heatmap/dom";
import { grouped } from "../heatmap/scale";
import { budgetAt, budgetText, choiceText, keptText, milliseconds, partName, positionOf, positions } from "./budget";
import { chart } from "./chart";

/** The source of the data. */
export interface Model {
  get<K extends keyof AdstackModel>(name: K): AdstackModel[K];
  listen(callback: () => void): () => void;
  /** True if a kernel takes requests. */
  live(): boolean;
  send(request: Request): void;
}

function table(head: readonly string[], rows: readonly (readonly (string | Node)[])[]): HTMLElement {
  const root = element("table");
  const names = element("tr");
  for (const name of head) names.append(Object.assign(element("th", "", name), { scope: "col" }));
  root.append(names);
  for (const row of rows) {
    const line = element("tr");
    for (const cell of row) {
      const place = element("td");
      place.append(cell);
      line.append(place);
    }
    root.append(line);
  }
  return root;
}

function source(line: number, text: string): HTMLElement {
  const root = element("span", "", `${line}: `);
  root.append(element("code", "", text));
  return root;
}

function loopRow(loop: Loop): (string | Node)[] {
  const kept = element("span");
  for (const [at, { name, type, line, bytes }] of loop.variables.entries())
    kept.append(at ? ", " : "", element("code", "", name || "?"), ` (${type}, line ${line}, ${bytes} bytes)`);
  const place = source(loop.line, loop.text);
  place.style.paddingLeft = `${loop.depth}em`;
  return [place, loop.trips === null ? "not run yet" : grouped(loop.trips), kept, grouped(loop.slot_bytes),
          grouped(loop.bytes), loop.reason ? `${choiceText(loop.choice)}: ${loop.reason}` : choiceText(loop.choice)];
}

function measurementRow({ part, budget, choice, measured, seconds }: Measurement): string[] {
  return [partName(part), budget ? grouped(budget) : "none", choiceText(choice), grouped(measured), milliseconds(seconds)];
}

/** The view of one kernel. Its controls persist while the tables below them are redrawn. */
class KernelView {
  readonly node = element("section");
  private readonly slider = element("input");
  private readonly budget = element("span", "qd-note");
  private readonly measure: HTMLButtonElement;
  private readonly state = element("span", "qd-state");
  private readonly controls = element("div", "qd-bar qd-controls");
  private readonly below = element("div");
  private kernel: Kernel;
  private drawn: Kernel | null = null;
  private asked: number | null = null; // the requested budget until the kernel has answered: it answers in order

  constructor(made: Kernel, private readonly model: Model) {
    this.kernel = made;
    Object.assign(this.slider, { type: "range", min: "0", max: String(positions), step: "1" });
    this.slider.setAttribute("aria-label", `budget of ${made.name}`);
    this.slider.addEventListener("input", () => this.sayBudget(this.chosen()));
    this.slider.addEventListener("change", () => {
      this.asked = this.chosen();
      this.model.send({ do: "budget", kernel: made.name, bytes: this.asked });
    });
    this.measure = toggle("measure", () => this.model.send({ do: "measure", kernel: made.name }));
    this.measure.title = "runs the gradient with no budget and with 1/2, 1/4 and 1/16 of what it keeps; memory is restored afterwards";
    for (const control of [this.slider, this.measure]) control.dataset.lmSuppressShortcuts = "true"; // it handles arrows and Enter itself
    const head = element("div", "qd-bar");
    head.append(element("span", "qd-title", made.name), this.budget);
    const label = element("label");
    label.append("budget ", this.slider);
    this.controls.append(label, this.measure, this.state);
    this.node.append(head, this.controls, this.below);
  }

  private chosen(): number {
    return budgetAt(Number(this.slider.value), this.kernel.whole);
  }

  private sayBudget(budget: number): void {
    const text = budgetText(budget);
    say(this.budget, `budget: ${text}`);
    this.slider.setAttribute("aria-valuetext", text);
  }

  update(kernel: Kernel, measuring: string, running: string): void {
    this.kernel = kernel;
    this.controls.hidden = !this.model.live();
    this.measure.disabled = this.slider.disabled = measuring !== "";
    say(this.state, measuring === kernel.name ? "measuring\u2026" : running === kernel.name ? "running: bytes so far" : "");
    this.state.classList.toggle("qd-running", measuring === kernel.name || running === kernel.name);
    if (kernel === this.drawn) return;
    this.drawn = kernel;
    if (this.asked === kernel.budget || !this.model.live()) this.asked = null;
    if (this.asked === null) {
      this.slider.value = String(positionOf(kernel.budget, kernel.whole));
      this.sayBudget(kernel.budget);
    }
    this.below.replaceChildren(...kernel.tasks.flatMap((task) => {
      const title = element("div", "qd-task");
      title.append(source(task.line, task.text), " ", element("span", "qd-note", keptText(task)));
      if (task.excess) title.append(element("div", "", task.excess));
      return [title, table(["loop", "iterations", "kept", "bytes per iteration", "bytes per thread", "choice"], task.loops.map(loopRow))];
    }));
    if (!kernel.measurements.length) return;
    this.below.append(chart(kernel.measurements),
      table(["measured", "budget, bytes", "choice", "bytes of one iteration", "time of a launch"], kernel.measurements.map(measurementRow)));
  }
}

export class Adstack {
  readonly root = element("div", "qd-heatmap qd-adstack");
  private readonly place = element("div");
  private readonly voice = element("div", "qd-note");
  private views = new Map<string, KernelView>();
  private readonly stop: () => void;

  constructor(private readonly model: Model) {
    this.voice.setAttribute("role", "status");
    this.root.append(this.place, this.voice);
    this.draw();
    this.stop = model.listen(() => this.draw());
  }

  dispose(): void {
    this.stop();
  }

  private draw(): void {
    const kernels = this.model.get("kernels");
    if (kernels.map(({ name }) => name).join("\n") !== [...this.views.keys()].join("\n")) {
      this.views = new Map(kernels.map((kernel) => [kernel.name, new KernelView(kernel, this.model)]));
      this.place.replaceChildren(...[...this.views.values()].map((view) => view.node));
    }
    for (const kernel of kernels) this.views.get(kernel.name)!.update(kernel, this.model.get("measuring"), this.model.get("running"));
    say(this.voice, this.model.get("said"));
  }
}
