// Stepped launches in outputs: widgets while their models exist, else the page that the output stores.
import type { IRenderMime, IRenderMimeRegistry } from "@jupyterlab/rendermime";
import { PanelLayout, Widget } from "@lumino/widgets";
import type { LiveListings } from "./listing";

export const checkpointsMime = "application/vnd.quadrants.checkpoints+json";
const widgetMime = "application/vnd.jupyter.widget-view+json";

class StepperRenderer extends Widget implements IRenderMime.IRenderer {
  private model: IRenderMime.IMimeModel | null = null;
  private shown: { mime: string; id: string | null; renderer: IRenderMime.IRenderer } | null = null;
  private readonly content = new PanelLayout(); // attaches its widgets once this is on the page, which cells out of view are not

  constructor(private readonly live: LiveListings | null, private readonly rendermime: IRenderMimeRegistry) {
    super();
    this.addClass("qd-stepper");
    this.layout = this.content;
    live?.changed.connect(this.onChange, this);
  }

  dispose(): void {
    this.live?.changed.disconnect(this.onChange, this);
    this.shown?.renderer.dispose();
    this.shown = null;
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
    if (this.shown?.mime === mime && this.shown.id === id && mime === widgetMime) return; // it follows its model, and retains its focus
    const renderer = this.rendermime.createRenderer(mime);
    this.shown = { mime, id, renderer };
    await renderer.renderModel(model);
    if (this.shown?.renderer !== renderer) return renderer.dispose(); // something newer is shown, or this was disposed
    for (const earlier of [...this.content.widgets]) earlier.dispose();
    this.content.addWidget(renderer);
  }
}

/** `rendermime` renders the content of the output. */
export function stepperFactory(live: LiveListings | null, rendermime: IRenderMimeRegistry): IRenderMime.IRendererFactory {
  return { safe: true, mimeTypes: [checkpointsMime], createRenderer: () => new StepperRenderer(live, rendermime) };
}
