// The marks of one notebook: collects coverage (from comm messages, outputs and the metadata of cells), assigns it to cells, and draws,
// stores or drops it.
import type { ICellModel, ICodeCellModel } from "@jupyterlab/cells";
import { CodeMirrorEditor } from "@jupyterlab/codemirror";
import { NotebookActions, type NotebookPanel } from "@jupyterlab/notebook";
import type { IOutputModel } from "@jupyterlab/rendermime";
import type { Kernel, KernelMessage } from "@jupyterlab/services";
import { scaleOf } from "../../widgets/heatmap/scale";
import type { CellCoverage, CoverageMessage, Joining, Scale } from "../../widgets/protocol/coverage";
import type { Choices } from "./choices";
import { digest } from "./digest";
import { show } from "./gutter";
import { keep, keptLines, unkeep } from "./kept";

const target = "quadrants.coverage";
const mime = "application/vnd.quadrants.coverage+json";
const metadataKey = "quadrants";
const magicsKey = "magics_language"; // read by nbconvert: the language that it highlights the text as

interface Known {
  coverage: CellCoverage;
  running: boolean;
  /** Reported by the current kernel; else it was stored, or counted by an earlier kernel. */
  live: boolean;
  /** The kernel that counted was restarted or replaced. */
  earlier?: boolean;
}

function asMessage(value: unknown): CoverageMessage | null {
  const message = value as Partial<CoverageMessage> | null | undefined;
  const whole = (cell: CellCoverage | null) => Array.isArray(cell?.lines) && Array.isArray(cell.specialisations);
  if (message?.version !== 1 || !Array.isArray(message.cells) || !message.cells.every(whole)) return null;
  return { ...(message as CoverageMessage), cells: message.cells.map((cell) => ({ ...cell, kept: keptLines(cell.kept) })) }; // older outputs have none
}

function isMarked({ lines, kept }: CellCoverage): boolean {
  return lines.length > 0 || kept.length > 0;
}

function isCode(model: ICellModel): model is ICodeCellModel {
  return model.type === "code";
}

export class NotebookMarks {
  /** By the id of the cell, which is the same after the cell is moved, or deleted and restored. */
  private readonly known = new Map<string, Known>();
  private readonly pending = new Set<string>();
  private readonly watched = new WeakSet<ICellModel>();
  /** The text with which a cell was last sent to the kernel, as a digest. */
  private readonly sent = new Map<string, string>();
  private frame = 0;
  /** The scale of the cells that the kernel reported. */
  private scale: Scale | null = null;
  private kernel: Kernel.IKernelConnection | null = null;
  private disposed = false;

  constructor(private readonly panel: NotebookPanel, private readonly choices: Choices) {
    panel.content.cellInViewportChanged.connect(this.onCellShown, this);
    panel.content.modelChanged.connect(this.onModel, this);
    panel.sessionContext.kernelChanged.connect(this.onKernel, this);
    panel.sessionContext.statusChanged.connect(this.onStatus, this);
    choices.changed.connect(this.drawAll, this);
    NotebookActions.executionScheduled.connect(this.onScheduled, this);
    NotebookActions.executed.connect(this.onExecuted, this);
    NotebookActions.outputCleared.connect(this.onCleared, this);
    this.onKernel();
    this.onModel();
    void panel.context.ready.then(() => this.readAll());
  }

  dispose(): void {
    this.disposed = true;
    cancelAnimationFrame(this.frame);
    this.kernel?.iopubMessage.disconnect(this.onIOPub, this);
    this.choices.changed.disconnect(this.drawAll, this);
    NotebookActions.executionScheduled.disconnect(this.onScheduled, this);
    NotebookActions.executed.disconnect(this.onExecuted, this);
    NotebookActions.outputCleared.disconnect(this.onCleared, this);
  }

  // --- the kernel: messages are read from the IOPub stream itself, so that a page that is loaded while they arrive, or a second notebook
  // on the same kernel, gets them too; the target is registered so that no front end refuses the comm.

  private onKernel(): void {
    this.kernel?.iopubMessage.disconnect(this.onIOPub, this);
    this.kernel = this.panel.sessionContext.session?.kernel ?? null;
    this.forgetKernel();
    this.kernel?.registerCommTarget(target, () => undefined);
    this.kernel?.iopubMessage.connect(this.onIOPub, this);
    if (this.kernel) void this.catchUp(this.kernel).catch(() => undefined); // a kernel may end meanwhile
  }

  /** Fetches the counts from before this page was loaded. */
  private async catchUp(kernel: Kernel.IKernelConnection): Promise<void> {
    await kernel.info;
    await this.join(kernel, {});
  }

  /** Opens a comm, on which the kernel answers with all cells. Later updates arrive on the kernel's own comm. */
  private async join(kernel: Kernel.IKernelConnection, joining: Joining): Promise<void> {
    const { content } = await kernel.requestCommInfo({ target_name: target });
    if (content.status !== "ok" || kernel !== this.kernel || kernel.isDisposed || !kernel.handleComms) return;
    if (!Object.values(content.comms).some((comm) => comm.target_name === target)) return;
    const comm = kernel.createComm(target);
    comm.onMsg = () => void comm.close();
    comm.open({ ...joining });
  }

  /** Clears all counts, in the notebook and in its kernel. */
  async clear(): Promise<void> {
    for (const id of [...this.known.keys()]) {
      this.known.delete(id);
      this.keep(id);
      this.draw(id);
    }
    if (this.kernel) await this.join(this.kernel, { clear: true }).catch(() => undefined);
  }

  /** Marks all counts as those of an earlier kernel. */
  private forgetKernel(): void {
    this.scale = null;
    for (const [id, known] of this.known) this.known.set(id, { ...known, live: false, earlier: known.live || known.earlier });
    this.drawAll();
  }

  private onIOPub(_: unknown, { header, content }: KernelMessage.IIOPubMessage): void {
    if (header.msg_type !== "comm_open" && header.msg_type !== "comm_msg") return;
    const message = asMessage((content as KernelMessage.ICommMsgMsg["content"]).data);
    if (message) this.take(message, false);
  }

  /** A kernel that died or was restarted finishes no run: the counts so far remain. */
  private onStatus(): void {
    const status = this.panel.sessionContext.session?.kernel?.status;
    if (status !== "busy" && status !== "starting" && status !== "unknown") this.finish();
    if (status === "restarting" || status === "autorestarting") this.forgetKernel();
  }

  private finish(): void {
    for (const [id, known] of this.known) {
      if (!known.running) continue;
      this.known.set(id, { ...known, running: false });
      this.keep(id);
      this.draw(id);
    }
  }

  private take(message: CoverageMessage, stored: boolean): void {
    if (!stored && message.scale) this.rescale(message.scale);
    const mostKept = this.mostKept();
    for (const coverage of message.cells) {
      const id = this.idOf(coverage, stored);
      if (!id) continue;
      if (isMarked(coverage)) this.known.set(id, { coverage, running: message.running, live: !stored || (this.known.get(id)?.live ?? false) });
      else this.known.delete(id);
      if (!message.running) this.keep(id);
      this.draw(id);
    }
    if (this.mostKept() !== mostKept) this.drawAll();
    if (!message.running && !stored) this.finish();
  }

  /** Returns the cell that a message refers to. The text identifies it where ids do not: after a run without a front end, and in files
   * without ids. */
  private idOf(coverage: CellCoverage, stored: boolean): string | null {
    const models = [...(this.panel.content.model?.cells ?? [])];
    if (coverage.cell_id !== null && models.some((model) => model.id === coverage.cell_id)) return coverage.cell_id;
    if (coverage.cell_id !== null && !stored) return null;
    return models.find((model) => isCode(model) && digest(model.sharedModel.source) === coverage.digest)?.id ?? null;
  }

  // --- cells

  private modelOf(id: string): ICellModel | null {
    for (const model of this.panel.content.model?.cells ?? []) if (model.id === id) return model;
    return null;
  }

  private onModel(): void {
    this.panel.content.model?.cells.changed.connect(this.onCells, this);
    this.readAll();
  }

  private onCells(): void {
    this.readAll();
  }

  /** Reads the coverage of new cells from their metadata, then from outputs. */
  private readAll(): void {
    if (this.disposed) return;
    const fresh = [...(this.panel.content.model?.cells ?? [])].filter((model) => isCode(model) && !this.watched.has(model));
    for (const model of fresh as ICodeCellModel[]) {
      this.watched.add(model);
      model.outputs.changed.connect((outputs, change) => {
        if (!outputs.isDisposed && !this.disposed) this.takeOutputs(change.newValues);
      });
      const kept = unkeep((model.getMetadata(metadataKey) as { coverage?: unknown } | undefined)?.coverage, model.id);
      if (kept && !this.known.has(model.id)) this.known.set(model.id, { coverage: kept, running: false, live: false });
      this.draw(model.id);
    }
    for (const model of fresh as ICodeCellModel[]) {
      for (let i = 0; i < model.outputs.length; ++i) this.readOutput(model.outputs.get(i));
    }
  }

  /** Reads a stored output. It has less data than the metadata of the cell, which wins unless it belongs to another text. */
  private readOutput(output: IOutputModel): void {
    for (const coverage of asMessage(output.data[mime])?.cells ?? []) {
      const id = this.idOf(coverage, true);
      const model = id ? this.modelOf(id) : null;
      if (!id || !model || !isMarked(coverage)) continue;
      const known = this.known.get(id);
      if (known && (known.running || digest(model.sharedModel.source) !== coverage.digest || known.coverage.digest === coverage.digest)) continue;
      this.known.set(id, { coverage, running: false, live: false });
      this.draw(id);
    }
  }

  private takeOutputs(outputs: readonly IOutputModel[]): void {
    for (const output of outputs) {
      const message = asMessage(output.data[mime]);
      if (message) this.take(message, true);
    }
  }

  private onScheduled(_: unknown, { notebook, cell }: { notebook: unknown; cell: { model: ICellModel } }): void {
    if (notebook === this.panel.content) this.sent.set(cell.model.id, digest(cell.model.sharedModel.source));
  }

  /** Drops the marks of a cell that ran with another text: it has other kernels now. */
  private onExecuted(_: unknown, { notebook, cell }: { notebook: unknown; cell: { model: ICellModel } }): void {
    const id = cell.model?.id;
    if (notebook !== this.panel.content || !id) return;
    const known = this.known.get(id);
    const sent = this.sent.get(id);
    this.sent.delete(id);
    if (!known || !sent || known.coverage.digest === sent) return;
    this.known.delete(id);
    this.keep(id);
    this.draw(id);
  }

  /** Clearing the outputs of a cell also clears its stored counts. */
  private onCleared(_: unknown, { notebook, cell }: { notebook: unknown; cell: { model: ICellModel } }): void {
    const id = cell.model?.id;
    if (notebook !== this.panel.content || !id || !this.known.delete(id)) return;
    this.keep(id);
    this.draw(id);
  }

  /** Stores the coverage in the metadata of the cell, so that it is saved with the notebook. */
  private keep(id: string): void {
    const model = this.modelOf(id);
    if (!model || this.panel.content.model?.readOnly) return;
    const { coverage: before, ...others } = (model.getMetadata(metadataKey) ?? {}) as Record<string, unknown>;
    const known = this.known.get(id);
    const after = known && keep(known.coverage);
    if (JSON.stringify(before) === JSON.stringify(after)) return;
    model.sharedModel.transact(() => {
      if (after) model.setMetadata(metadataKey, { ...others, coverage: after });
      else if (Object.keys(others).length) model.setMetadata(metadataKey, others);
      else model.deleteMetadata(metadataKey);
      if (after && model.sharedModel.source.startsWith("%%qd_kernel")) model.setMetadata(magicsKey, "python");
    }, false); // not a change to undo
  }

  // --- drawing: once per frame, for any number of messages

  private onCellShown(_: unknown, cell: { model: ICellModel | null }): void {
    if (cell.model && this.known.has(cell.model.id)) this.draw(cell.model.id);
  }

  private drawAll(): void {
    for (const id of this.known.keys()) this.draw(id);
  }

  private draw(id: string): void {
    this.pending.add(id);
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      const ids = [...this.pending];
      this.pending.clear();
      if (this.disposed || this.panel.isDisposed) return;
      for (const cell of this.panel.content.widgets) {
        if (!ids.includes(cell.model.id)) continue;
        if (cell.editor instanceof CodeMirrorEditor) this.drawIn(cell.editor, cell.model.id);
        else if (this.known.has(cell.model.id)) void cell.ready.then(() => cell.isDisposed || this.draw(cell.model.id));
      }
    });
  }

  private rescale(scale: Scale): void {
    if (this.scale && JSON.stringify(scale) === JSON.stringify(this.scale)) return;
    this.scale = scale;
    this.drawAll();
  }

  /** Returns the scale for a cell: the counts of one kernel share a scale, and so do those that remain of earlier kernels. */
  private scaleFor(known: Known): Scale {
    if (known.live && this.scale) return this.scale;
    return scaleOf([...this.known.values()].filter(({ live }) => live === known.live).flatMap(({ coverage }) => coverage.lines));
  }

  private mostKept(): number {
    return Math.max(0, ...[...this.known.values()].flatMap(({ coverage }) => coverage.kept.map(({ bytes }) => bytes)));
  }

  private drawIn(editor: CodeMirrorEditor, id: string): void {
    const known = this.choices.visible ? this.known.get(id) : undefined;
    if (!known) return show(editor.editor, null);
    const { coverage, running, earlier = false } = known;
    show(editor.editor, {
      coverage, running, earlier, quantity: this.choices.quantity, scale: this.scaleFor(known), mostKept: this.mostKept(), next: () => void this.choices.next(),
    });
  }
}
