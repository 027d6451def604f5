// Listings in outputs. They are drawn from the data stored in the output, so that they survive their kernel. One that follows executions
// also takes the updates that the kernel sends to its model while cells run.
import type { ISessionContext } from "@jupyterlab/apputils";
import type { IRenderMime } from "@jupyterlab/rendermime";
import { KernelMessage, type Kernel } from "@jupyterlab/services";
import type { JSONObject } from "@lumino/coreutils";
import { Signal } from "@lumino/signaling";
import { Widget } from "@lumino/widgets";
import { Heatmap, type Kept, type Model } from "../../widgets/heatmap/view";
import type { HeatmapModel, HeatmapOutput } from "../../widgets/protocol/heatmap";

export const heatmapMime = "application/vnd.quadrants.heatmap+json";
export const widgetMime = "application/vnd.jupyter.widget-view+json";
const widgetTarget = "jupyter.widget";

type State = HeatmapModel & Kept;
type Event = "change:listings" | "change:running";

/** The data of one output. */
class StoredModel implements Model {
  private readonly callbacks = new Map<Event, Set<() => void>>();

  constructor(private readonly state: State) {}

  get<K extends keyof State>(name: K): State[K] {
    return this.state[name];
  }

  set<K extends keyof State>(name: K, value: State[K]): void {
    this.state[name] = value;
  }

  on(event: Event, callback: () => void): void {
    this.callbacks.set(event, (this.callbacks.get(event) ?? new Set()).add(callback));
  }

  off(event: Event, callback: () => void): void {
    this.callbacks.get(event)?.delete(callback);
  }

  take(state: Partial<HeatmapModel>): void {
    Object.assign(this.state, state);
    for (const event of ["change:listings", "change:running"] as const) {
      if (event.slice(7) in state) this.callbacks.get(event)?.forEach((callback) => callback());
    }
  }
}

export interface Update {
  model: string;
  state: Record<string, unknown>;
}

/** Tracks the widget models of a notebook's kernel: which of them exist, and the updates that the kernel sends to them. */
export class LiveListings {
  readonly updated = new Signal<LiveListings, Update>(this);
  readonly changed = new Signal<LiveListings, void>(this);
  private readonly models = new Set<string>();
  private kernel: Kernel.IKernelConnection | null = null;

  constructor(private readonly context: ISessionContext) {
    context.kernelChanged.connect(this.onKernel, this);
    context.statusChanged.connect(this.onStatus, this);
    this.onKernel();
  }

  dispose(): void {
    this.kernel?.iopubMessage.disconnect(this.onIOPub, this);
    Signal.clearData(this);
  }

  has(model: string | null): boolean {
    return model !== null && this.models.has(model);
  }

  /** Sends a custom message to a model, as its own view would. */
  send(model: string, content: JSONObject): void {
    if (!this.kernel) return;
    const { clientId, username } = this.kernel;
    this.kernel.sendShellMessage(KernelMessage.createMessage<KernelMessage.ICommMsgMsg<"shell">>({
      msgType: "comm_msg", channel: "shell", session: clientId, username,
      content: { comm_id: model, data: { method: "custom", content } },
    }), false, true);
  }

  private onKernel(): void {
    this.kernel?.iopubMessage.disconnect(this.onIOPub, this);
    this.kernel = this.context.session?.kernel ?? null;
    this.forget();
    this.kernel?.iopubMessage.connect(this.onIOPub, this);
    if (this.kernel) void this.ask(this.kernel).catch(() => undefined); // a kernel may end meanwhile
  }

  private onStatus(): void {
    const status = this.kernel?.status;
    if (status === "restarting" || status === "autorestarting" || status === "dead") this.forget();
  }

  private forget(): void {
    this.models.clear();
    this.changed.emit();
  }

  private async ask(kernel: Kernel.IKernelConnection): Promise<void> {
    await kernel.info;
    const { content } = await kernel.requestCommInfo({ target_name: widgetTarget });
    if (content.status !== "ok" || kernel !== this.kernel) return;
    for (const id of Object.keys(content.comms)) this.models.add(id);
    this.changed.emit();
  }

  private onIOPub(_: unknown, { header, content }: KernelMessage.IIOPubMessage): void {
    const type = header.msg_type;
    if (type !== "comm_open" && type !== "comm_close" && type !== "comm_msg") return;
    const { comm_id: model, data } = content as KernelMessage.ICommMsgMsg["content"];
    if (type === "comm_open" && (content as KernelMessage.ICommOpenMsg["content"]).target_name === widgetTarget) {
      this.models.add(model);
      this.changed.emit();
    } else if (type === "comm_close" && this.models.delete(model)) {
      this.changed.emit();
    } else if (type === "comm_msg" && data?.method === "update") {
      this.updated.emit({ model, state: (data.state ?? {}) as Update["state"] });
    }
  }
}

function isListing(value: unknown): boolean {
  const listing = value as Partial<HeatmapModel["listings"][number]> | null;
  const whole = (line: { text?: unknown; outcomes?: unknown } | null) => typeof line?.text === "string" && !!line.outcomes;
  return typeof listing?.title === "string" && Array.isArray(listing.lines) && listing.lines.every(whole)
    && Array.isArray(listing.specialisations) && listing.specialisations.every((one) => Array.isArray(one?.lines));
}

function asOutput(value: unknown): HeatmapOutput | null {
  const output = value as Partial<HeatmapOutput> | null | undefined;
  return output?.version === 1 && Array.isArray(output.listings) && output.listings.every(isListing) ? (output as HeatmapOutput) : null;
}

class ListingRenderer extends Widget implements IRenderMime.IRenderer {
  private heatmap: Heatmap | null = null;
  private stored: StoredModel | null = null;
  private output: HeatmapOutput | null = null;
  private modelId: string | null = null;

  constructor(private readonly live: LiveListings | null) {
    super();
    this.addClass("qd-listing");
    live?.updated.connect(this.onUpdate, this);
    live?.changed.connect(this.onChange, this);
  }

  dispose(): void {
    this.heatmap?.dispose();
    this.live?.updated.disconnect(this.onUpdate, this);
    this.live?.changed.disconnect(this.onChange, this);
    super.dispose();
  }

  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    this.output = asOutput(model.data[heatmapMime]);
    this.modelId = (model.data[widgetMime] as { model_id?: string } | undefined)?.model_id ?? null;
    if (!this.output) return this.say(String(model.data["text/plain"] ?? "a listing that this version cannot read"));
    const { listings, scale } = this.output;
    if (this.stored) return this.stored.take({ listings, scale, follows: this.follows(), running: false });
    this.stored = new StoredModel({ listings, scale, follows: this.follows(), running: false });
    this.heatmap = new Heatmap(this.stored);
    this.node.replaceChildren(this.heatmap.root);
  }

  /** True while its model exists, if it follows executions. */
  private follows(): boolean {
    return !!this.output?.follows && !!this.live?.has(this.modelId);
  }

  private say(text: string): void {
    this.heatmap?.dispose();
    this.heatmap = this.stored = null;
    this.node.replaceChildren(Object.assign(document.createElement("pre"), { textContent: text }));
  }

  private onChange(): void {
    if (this.output?.follows) this.stored?.take({ follows: this.follows(), running: this.follows() && this.stored.get("running") });
  }

  private onUpdate(_: LiveListings, { model, state }: Update): void {
    if (model !== this.modelId || !this.output?.follows) return;
    const { listings, running, scale } = state as Partial<HeatmapModel>;
    const news: Partial<HeatmapModel> = {};
    if (Array.isArray(listings) && listings.every(isListing)) news.listings = listings;
    if (scale) news.scale = scale;
    if (running !== undefined) news.running = running;
    this.stored?.take(news);
  }
}

export function heatmapFactory(live: LiveListings | null): IRenderMime.IRendererFactory {
  return { safe: true, mimeTypes: [heatmapMime], createRenderer: () => new ListingRenderer(live) };
}
