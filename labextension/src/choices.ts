import type { ISettingRegistry } from "@jupyterlab/settingregistry";
import { ISignal, Signal } from "@lumino/signaling";
import { quantities, type Quantity } from "../../widgets/heatmap/scale";

/** The user's choice of what to show, in all notebooks; stored in the settings. */
export class Choices {
  visible = true;
  quantity: Quantity = "total";
  private readonly _changed = new Signal<Choices, void>(this);
  private settings: ISettingRegistry.ISettings | null = null;
  /** Own writes in progress: until they are done, the settings are older than the choice. */
  private writing = 0;
  private written: Promise<void> = Promise.resolve();

  get changed(): ISignal<Choices, void> {
    return this._changed;
  }

  /** Shows the choice at once; the promise resolves when it is stored. */
  set(wanted: { visible?: boolean; quantity?: Quantity }): Promise<void> {
    if (!this.take(wanted)) return this.written;
    if (!this.settings) return this.written;
    const settings = this.settings;
    const text = JSON.stringify({ ...settings.user, visible: this.visible, quantity: this.quantity });
    this.writing += 1;
    // One after the other; if settings cannot be written, the choice holds for this page.
    this.written = this.written.then(() => settings.save(text)).catch(() => undefined).then(() => { this.writing -= 1; });
    return this.written;
  }

  /** Switches from total to newest run to difference, and back to total. */
  next(): Promise<void> {
    return this.set({ quantity: quantities[(quantities.indexOf(this.quantity) + 1) % quantities.length], visible: true });
  }

  async follow(registry: ISettingRegistry, id: string): Promise<void> {
    try {
      this.settings = await registry.load(id);
    } catch {
      return;
    }
    const read = (settings: ISettingRegistry.ISettings) => {
      if (this.writing) return;
      const quantity = settings.get("quantity").composite as Quantity;
      this.take({ visible: settings.get("visible").composite !== false, quantity: quantities.includes(quantity) ? quantity : "total" });
    };
    read(this.settings);
    this.settings.changed.connect(read);
  }

  private take({ visible = this.visible, quantity = this.quantity }: { visible?: boolean; quantity?: Quantity }): boolean {
    if (visible === this.visible && quantity === this.quantity) return false;
    this.visible = visible;
    this.quantity = quantity;
    this._changed.emit();
    return true;
  }
}
