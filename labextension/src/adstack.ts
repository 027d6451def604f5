// Adstack views in outputs. They are drawn from the data stored in the output, so that they survive their kernel. While their model exists,
// they take its updates and send it the requests of the user.
import type { IRenderMime } from "@jupyterlab/rendermime";
import { Widget } from "@lumino/widgets";
import { Adstack, type Model } from "../../widgets/adstack/view";
import type { AdstackModel, AdstackOutput, Request } from "../../widgets/protocol/adstack";
import { widgetMime, type LiveListings, type Update } from "./listing";

export const adstackMime = "application/vnd.quadrants.adstack+json";

function isKernel(value: unknown): boolean {
  const kernel = value as Partial<AdstackModel["kernels"][number]> | null;
  return typeof kernel?.name === "string" && Array.isArray(kernel.measurements) && Array.isArray(kernel.tasks)
    && kernel.tasks.every((task) => Array.isArray(task?.loops) && task.loops.every((loop) => Array.isArray(loop?.variables)));
}

function asOutput(value: unknown): AdstackOutput | null {
  const output = value as Partial<AdstackOutput> | null | undefined;
  return output?.version === 1 && Array.isArray(output.kernels) && output.kernels.every(isKernel) ? (output as AdstackOutput) : null;
}

class AdstackRenderer extends Widget implements IRenderMime.IRenderer, Model {
  private adstack: Adstack | null = null;
  private state: AdstackModel = { kernels: [], said: "", measuring: "", running: "" };
  private callback: () => void = () => undefined;
  private modelId: string | null = null;

  constructor(private readonly kernel: LiveListings | null) {
    super();
    this.addClass("qd-listing");
    kernel?.updated.connect(this.onUpdate, this);
    kernel?.changed.connect(this.onChange, this);
  }

  dispose(): void {
    this.adstack?.dispose();
    this.kernel?.updated.disconnect(this.onUpdate, this);
    this.kernel?.changed.disconnect(this.onChange, this);
    super.dispose();
  }

  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    const output = asOutput(model.data[adstackMime]);
    this.modelId = (model.data[widgetMime] as { model_id?: string } | undefined)?.model_id ?? null;
    if (!output?.kernels.length) {
      this.adstack?.dispose();
      this.adstack = null;
      const text = String(model.data["text/plain"] ?? "a view that this version cannot read");
      return this.node.replaceChildren(Object.assign(document.createElement("pre"), { textContent: text }));
    }
    this.state = { kernels: output.kernels, said: output.said, measuring: "", running: "" };
    if (this.adstack) return this.callback();
    this.adstack = new Adstack(this);
    this.node.replaceChildren(this.adstack.root);
  }

  get<K extends keyof AdstackModel>(name: K): AdstackModel[K] {
    return this.state[name];
  }

  listen(callback: () => void): () => void {
    this.callback = callback;
    return () => { this.callback = () => undefined; };
  }

  live(): boolean {
    return !!this.kernel?.has(this.modelId);
  }

  send(request: Request): void {
    if (this.modelId !== null) this.kernel?.send(this.modelId, request);
  }

  private onChange(): void {
    if (!this.live()) this.state = { ...this.state, measuring: "", running: "" };
    this.callback();
  }

  private onUpdate(_: LiveListings, { model, state }: Update): void {
    if (model !== this.modelId) return;
    const { kernels, said, measuring, running } = state as Partial<AdstackModel>;
    if (Array.isArray(kernels) && kernels.every(isKernel)) this.state.kernels = kernels;
    if (typeof said === "string") this.state.said = said;
    if (typeof measuring === "string") this.state.measuring = measuring;
    if (typeof running === "string") this.state.running = running;
    this.callback();
  }
}

export function adstackFactory(kernel: LiveListings | null): IRenderMime.IRendererFactory {
  return { safe: true, mimeTypes: [adstackMime], createRenderer: () => new AdstackRenderer(kernel) };
}
