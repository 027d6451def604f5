import { JupyterFrontEnd, JupyterFrontEndPlugin } from "@jupyterlab/application";
import { ICommandPalette } from "@jupyterlab/apputils";
import { CodeMirrorEditor, EditorExtensionRegistry, IEditorExtensionRegistry } from "@jupyterlab/codemirror";
import { INotebookTracker, type NotebookPanel } from "@jupyterlab/notebook";
import { IRenderMimeRegistry } from "@jupyterlab/rendermime";
import { ISettingRegistry } from "@jupyterlab/settingregistry";
import { marksSlot, overview, said } from "./gutter";
import { quantities, type Quantity } from "../../widgets/heatmap/scale";
import { adstackFactory } from "./adstack";
import { Choices } from "./choices";
import { heatmapFactory, LiveListings } from "./listing";
import { NotebookMarks } from "./notebook";
import { ProgressLines } from "./progress";
import { stepperFactory } from "./stepper";
import { announce, tip } from "./tip";

const id = "quadrants-jupyter:plugin";
const category = "Quadrants";
const rank = -20; // before widgets, which disappear with their kernel

const quantityNames: Record<Quantity, string> = {
  total: "all runs",
  newest: "newest run",
  difference: "difference to the run before",
};

/** Announces, and shows, the marks of the line with the cursor. */
function readLine(tracker: INotebookTracker): void {
  const editor = tracker.activeCell?.editor;
  if (!(editor instanceof CodeMirrorEditor)) return announce("No cell is open");
  const view = editor.editor;
  const all = overview(view);
  if (!all) return announce("No line of this cell is marked");
  const position = view.state.selection.main.head;
  const line = view.state.doc.lineAt(position);
  const words = said(view, position);
  if (words) tip.show(view, line.from, () => said(view, line.from));
  announce(words ? `Line ${line.number}: ${words.join(". ")}` : `Line ${line.number} is not counted. In this cell, ${all}`);
}

type AllMarks = Map<NotebookPanel, NotebookMarks>;

function addCommands(app: JupyterFrontEnd, tracker: INotebookTracker, marks: AllMarks, choices: Choices,
                     palette: ICommandPalette | null): void {
  const commands: [string, Parameters<typeof app.commands.addCommand>[1]][] = [
    ["quadrants:toggle-marks", {
      label: "Show Line Counts of Kernels",
      isToggled: () => choices.visible,
      execute: () => {
        const kept = choices.set({ visible: !choices.visible });
        announce(choices.visible ? "Line counts are shown" : "Line counts are hidden");
        return kept;
      },
    }],
    ["quadrants:next-quantity", {
      label: "Line Counts: Total, Newest Run or Difference",
      caption: "Switches to the next of the three",
      execute: () => {
        const kept = choices.next();
        announce(`Line counts: ${quantityNames[choices.quantity]}`);
        return kept;
      },
    }],
    ["quadrants:read-line", {
      label: "Line Counts: Read the Current Line",
      execute: () => readLine(tracker),
    }],
    ["quadrants:clear-counts", {
      label: "Clear Line Counts",
      caption: "Clears all counts of this notebook and of its kernel",
      isEnabled: () => tracker.currentWidget !== null,
      execute: () => {
        const panel = tracker.currentWidget;
        announce("Line counts are cleared");
        return panel && marks.get(panel)?.clear();
      },
    }],
  ];
  for (const [command, options] of commands) {
    app.commands.addCommand(command, options);
    palette?.addItem({ command, category });
  }
  app.commands.addCommand("quadrants:show-quantity", {
    label: ({ quantity }) => `Line Counts: ${quantityNames[quantity as Quantity] ?? ""}`,
    isToggled: ({ quantity }) => quantity === choices.quantity,
    execute: ({ quantity }) => (quantities as readonly unknown[]).includes(quantity) && choices.set({ quantity: quantity as Quantity }),
  });
  choices.changed.connect(() => app.commands.notifyCommandChanged());
}

const plugin: JupyterFrontEndPlugin<void> = {
  id,
  description: "Marks in the gutter of a cell how often each line of its kernels ran.",
  autoStart: true,
  requires: [INotebookTracker, IEditorExtensionRegistry],
  optional: [ICommandPalette, ISettingRegistry, IRenderMimeRegistry],
  activate: (app, tracker: INotebookTracker, editors: IEditorExtensionRegistry, palette: ICommandPalette | null,
             settings: ISettingRegistry | null, rendermime: IRenderMimeRegistry | null) => {
    editors.addExtension({
      name: "quadrants:marks",
      factory: () => EditorExtensionRegistry.createImmutableExtension(marksSlot),
    });
    const choices = new Choices();
    if (settings) void choices.follow(settings, id);
    const all: AllMarks = new Map();
    addCommands(app, tracker, all, choices, palette);
    const draw = (registry: IRenderMimeRegistry, listings: LiveListings | null) => {
      [heatmapFactory, adstackFactory].forEach((factory) => registry.addFactory(factory(listings), rank));
      registry.addFactory(stepperFactory(listings, registry), rank);
    };
    if (rendermime) draw(rendermime, null); // outputs outside notebooks: as they were stored
    const attach = (panel: NotebookPanel) => {
      const marks = new NotebookMarks(panel, choices);
      const listings = new LiveListings(panel.sessionContext);
      const progress = new ProgressLines(panel);
      draw(panel.content.rendermime, listings);
      all.set(panel, marks);
      panel.disposed.connect(() => {
        all.delete(panel);
        marks.dispose();
        listings.dispose();
        progress.dispose();
      });
    };
    tracker.forEach(attach);
    tracker.widgetAdded.connect((_, panel) => attach(panel));
  },
};

export default plugin;
