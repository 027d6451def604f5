// Launches in steps in outputs: as widgets while their models are there, else as the page that the output keeps.
import type { IRenderMime, IRenderMimeRegistry } from "@jupyterlab/rendermime";
import { Widget } from "@lumino/widgets";
import type { LiveListings } from "./listing";

export const checkpointsMime = "application/vnd.quadrants.checkpoints+json";
const widgetMime = "application/vnd.jupyter.widget-view+json";

class StepperRenderer extends Widget implements IRenderMime.IRenderer {
  private model: IRenderMime.IMimeModel | null = null;
  private shown: { mime: string; id: string | null; renderer: IRenderMime.IRenderer } | null = null;

  constructor(private readonly live: LiveListings | null, private readonly rendermime: IRenderMimeRegistry) {
    super();
    this.addClass("qd-stepper");
    live?.changed.connect(this.onChange, this);
  }

  dispose(): void {
    this.live?.changed.disconnect(this.onChange, this);
    this.shown?.renderer.dispose();
    super.dispose();
  }

  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    this.model = model;
    await this.draw();
  }

  private onChange(): void {
    void this.draw();
  }

  private async draw(): Promise<void> {
    const model = this.model;
    if (!model) return;
    const id = (model.data[widgetMime] as { model_id?: string } | undefined)?.model_id ?? null;
    const known = this.rendermime.mimeTypes;
    const mime = this.live?.has(id) && known.includes(widgetMime) ? widgetMime : "text/html";
    if (this.shown?.mime === mime && this.shown.id === id && mime === widgetMime) return; // it follows its model, and keeps its focus
    const renderer = this.rendermime.createRenderer(mime);
    const before = this.shown;
    this.shown = { mime, id, renderer };
    await renderer.renderModel(model);
    if (this.shown?.renderer !== renderer) return renderer.dispose();
    if (before) {
      Widget.detach(before.renderer);
      before.renderer.dispose();
    }
    Widget.attach(renderer, this.node);
  }
}

/** `rendermime` draws what is in the output. */
export function stepperFactory(live: LiveListings | null, rendermime: IRenderMimeRegistry): IRenderMime.IRendererFactory {
  return { safe: true, mimeTypes: [checkpointsMime], createRenderer: () => new StepperRenderer(live, rendermime) };
}
