import { JupyterFrontEnd, JupyterFrontEndPlugin } from "@jupyterlab/application";
import { ICommandPalette } from "@jupyterlab/apputils";
import { CodeMirrorEditor, EditorExtensionRegistry, IEditorExtensionRegistry } from "@jupyterlab/codemirror";
import { INotebookTracker } from "@jupyterlab/notebook";
import { ISettingRegistry } from "@jupyterlab/settingregistry";
import { marksSlot, overview, said } from "./gutter";
import { quantities, Quantity } from "./marks";
import { NotebookMarks } from "./notebook";
import { Choices } from "./choices";
import { announce, tip } from "./tip";

const id = "quadrants-jupyter:plugin";
const category = "Quadrants";

const quantityNames: Record<Quantity, string> = {
  total: "all runs together",
  newest: "newest run",
  difference: "difference to the run before",
};

/** Says, and shows, what is marked on the line of the cursor. */
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

function addCommands(app: JupyterFrontEnd, tracker: INotebookTracker, choices: Choices, palette: ICommandPalette | null): void {
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
        const next = quantities[(quantities.indexOf(choices.quantity) + 1) % quantities.length];
        const kept = choices.set({ quantity: next, visible: true });
        announce(`Line counts: ${quantityNames[next]}`);
        return kept;
      },
    }],
    ["quadrants:read-line", {
      label: "Line Counts: Read the Current Line",
      execute: () => readLine(tracker),
    }],
  ];
  for (const [command, options] of commands) {
    app.commands.addCommand(command, options);
    palette?.addItem({ command, category });
  }
  choices.changed.connect(() => app.commands.notifyCommandChanged("quadrants:toggle-marks"));
}

const plugin: JupyterFrontEndPlugin<void> = {
  id,
  description: "Marks in the gutter of a cell how often each line of its kernels ran.",
  autoStart: true,
  requires: [INotebookTracker, IEditorExtensionRegistry],
  optional: [ICommandPalette, ISettingRegistry],
  activate: (app, tracker: INotebookTracker, editors: IEditorExtensionRegistry, palette: ICommandPalette | null,
             settings: ISettingRegistry | null) => {
    editors.addExtension({
      name: "quadrants:marks",
      factory: () => EditorExtensionRegistry.createImmutableExtension(marksSlot),
    });
    const choices = new Choices();
    if (settings) void choices.follow(settings, id);
    addCommands(app, tracker, choices, palette);
    const attach = (panel: Parameters<Parameters<typeof tracker.forEach>[0]>[0]) => {
      const marks = new NotebookMarks(panel, choices);
      panel.disposed.connect(() => marks.dispose());
    };
    tracker.forEach(attach);
    tracker.widgetAdded.connect((_, panel) => attach(panel));
  },
};

export default plugin;
