// The line below a cell that says what it waits for. It is drawn next to the outputs but is not an output: nothing of it is saved.
import type { Cell } from "@jupyterlab/cells";
import type { NotebookPanel } from "@jupyterlab/notebook";
import type { Kernel, KernelMessage } from "@jupyterlab/services";
import type { Progress, ProgressMessage } from "../../widgets/protocol/progress";

const target = "quadrants.progress";

function asMessage(value: unknown): ProgressMessage | null {
  const message = value as Partial<ProgressMessage> | null | undefined;
  const known = message?.version === 1 && typeof message.cell_id === "string" && message.progress !== undefined;
  return known ? (message as ProgressMessage) : null;
}

function timeOf(seconds: number): string {
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, "0")} s`;
}

function element(name: string, ...inside: (HTMLElement | string)[]): HTMLElement {
  const made = document.createElement("span");
  made.className = name;
  made.append(...inside);
  return made;
}

/** The line below one cell. */
class Line {
  readonly node = document.createElement("div");
  private readonly done = element("qd-progress-done");
  private readonly head = element("qd-progress-head");
  private readonly rest = element("qd-progress-rest");

  constructor() {
    this.node.className = "qd-progress";
    this.node.setAttribute("role", "progressbar");
    this.node.setAttribute("aria-valuemin", "0");
    this.node.setAttribute("aria-valuemax", "100");
    this.node.append(element("qd-progress-bar", this.done), this.head, this.rest);
  }

  /** Without progress the line retains its space, so that the content below does not move. */
  show(progress: Progress | null): void {
    this.node.classList.toggle("qd-idle", progress === null);
    if (!progress) return;
    const { what, kernel, place, share, seconds } = progress;
    const percent = share === null ? null : Math.round(100 * share);
    const parts = [place, percent === null || what === "compiling" ? "" : `${percent} %`, timeOf(seconds)];
    this.node.classList.toggle("qd-unknown", percent === null);
    this.done.style.width = percent === null ? "" : `${percent}%`;
    this.head.textContent = what === "compiling" ? `compiling ${kernel}` : `${kernel} runs`;
    this.rest.textContent = parts.filter(Boolean).join(" · ");
    this.node.setAttribute("aria-label", this.head.textContent);
    this.node.setAttribute("aria-valuetext", this.rest.textContent);
    if (percent === null) this.node.removeAttribute("aria-valuenow");
    else this.node.setAttribute("aria-valuenow", String(percent));
  }
}

export class ProgressLines {
  private readonly lines = new Map<string, Line>();
  private kernel: Kernel.IKernelConnection | null = null;

  constructor(private readonly panel: NotebookPanel) {
    panel.sessionContext.kernelChanged.connect(this.onKernel, this);
    panel.sessionContext.statusChanged.connect(this.onStatus, this);
    this.onKernel();
  }

  dispose(): void {
    this.kernel?.iopubMessage.disconnect(this.onIOPub, this);
    this.clear();
  }

  /** Messages are read from the IOPub stream itself, as those of counts are: see NotebookMarks. */
  private onKernel(): void {
    this.kernel?.iopubMessage.disconnect(this.onIOPub, this);
    this.kernel = this.panel.sessionContext.session?.kernel ?? null;
    this.clear();
    this.kernel?.registerCommTarget(target, () => undefined);
    this.kernel?.iopubMessage.connect(this.onIOPub, this);
  }

  private onStatus(): void {
    const status = this.panel.sessionContext.session?.kernel?.status;
    if (status !== "busy" && status !== "unknown") this.clear();
  }

  private onIOPub(_: unknown, { header, content }: KernelMessage.IIOPubMessage): void {
    if (header.msg_type !== "comm_open" && header.msg_type !== "comm_msg") return;
    const message = asMessage((content as KernelMessage.ICommMsgMsg["content"]).data);
    if (!message) return;
    if (message.running) this.lineOf(message.cell_id)?.show(message.progress);
    else this.remove(message.cell_id);
  }

  private lineOf(id: string): Line | null {
    const cell = this.panel.content.widgets.find(({ model }) => model.id === id) as Cell | undefined;
    if (!cell) return null;
    let line = this.lines.get(id);
    if (!line) this.lines.set(id, (line = new Line()));
    if (line.node.parentElement !== cell.node) cell.node.insertBefore(line.node, cell.node.querySelector(":scope > .jp-CellFooter"));
    return line;
  }

  private remove(id: string): void {
    this.lines.get(id)?.node.remove();
    this.lines.delete(id);
  }

  private clear(): void {
    for (const id of [...this.lines.keys()]) this.remove(id);
  }
}
