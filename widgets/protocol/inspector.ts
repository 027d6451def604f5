// Messages of a program to the inspector's window, and requests of the window: each is an object on one line of JSON, whose `kind` names
// its type. The C++ structs of the window are generated from this file, coverage.ts, adstack.ts and checkpoints.ts by the build
// (inspector/generate.py); the Python side is quadrants/_live and quadrants/_inspect. tests/inspector/test_inspect_window.py and
// tests/python/tools/test_inspect.py check that all three name the same members.
import type { Task } from "./adstack";
import type { Step } from "./checkpoints";
import type { LineCounts, AdstackLine, Scale, SpecialisationCounts } from "./coverage";

// --- messages of the program --------------------------------------------------------------------------------------------

/** A file with kernels or funcs; the members are as for a cell in coverage.ts. */
export interface FileListing {
  /** Its path. */
  file: string;
  label: string;
  /** The digest of its text, which changes with the text. */
  digest: string;
  /** null: unchanged since the last message. */
  text: string | null;
  lines: LineCounts[];
  specialisations: SpecialisationCounts[];
  kept: AdstackLine[];
}

/** The files whose counts changed. */
export interface ListingsMessage {
  kind: "listings";
  scale: Scale;
  listings: FileListing[];
}

/** Times of all runs of one task of one kernel, in microseconds. */
export interface TaskTimes {
  kernel: string;
  task: string;
  file: string;
  line: number;
  runs: number;
  shortest: number;
  longest: number;
  total: number;
  /** Only runs since the message before. */
  newest_runs: number;
  newest_total: number;
}

export interface PhaseTime {
  name: string;
  microseconds: number;
}

/** One compilation of a kernel. */
export interface Compilation {
  kernel: string;
  file: string;
  line: number;
  microseconds: number;
  /** The numbers of tasks that were compiled now, were known to this process, came from the cache on disk. */
  compiled: number;
  memory: number;
  disk: number;
  /** Phases of the kernel and all its tasks, in order. */
  phases: PhaseTime[];
}

export interface TasksMessage {
  kind: "tasks";
  tasks: TaskTimes[];
  /** Compilations since the message before. */
  compilations: Compilation[];
}

/** The values that a gradient stores for the backward pass through its loops. */
export interface Gradient {
  name: string;
  file: string;
  tasks: Task[];
}

export interface AdstackMessage {
  kind: "adstack";
  gradients: Gradient[];
}

/** A step as in checkpoints.ts: a level has the iterations and a checkpoint the state of the newest launch that followed flags; a task has its
 * runs in all launches and their mean time. */
export interface PlacedStep {
  step: Step;
  /** The line of a task; 0 for other steps. */
  line: number;
}

/** A kernel with graph=True, as it was compiled last. */
export interface Graph {
  name: string;
  file: string;
  /** Launches that followed flags. */
  launches: number;
  /** A launch is in progress. */
  running: boolean;
  /** Name of the checkpoint that ended the newest launch. */
  yielded: string | null;
  steps: PlacedStep[];
}

export interface GraphMessage {
  kind: "graph";
  graphs: Graph[];
}

/** A field or an array that can be shown. */
export interface View {
  id: number;
  name: string;
  dtype: string;
  shape: number[];
  /** Extents of an element; [] for a number. */
  element: number[];
  /** Its program has ended. */
  gone: boolean;
}

export interface ViewsMessage {
  kind: "views";
  views: View[];
}

/** Samples of a view, one f32 each, in memory `memory` from byte `at` on: sample (x, y) is number x * height + y. */
export interface PictureMessage {
  kind: "picture";
  view: number;
  memory: number;
  at: number;
  width: number;
  height: number;
  /** Elements of the view along x and y. */
  columns: number;
  rows: number;
  /** The requested component, -1 for the magnitude, -2 for all of them side by side if the view has one axis; the index along all axes
   * but the first two. */
  component: number;
  slice: number[];
  /** The first element; from it on, each element is a sample. []: all elements, thinned. */
  first: number[];
  /** Number of the picture. */
  number: number;
  /** A launch was in progress: parts are from before it, parts from after it. */
  during_launch: boolean;
}

/** A number that the window may set. */
export interface Parameter {
  name: string;
  value: number;
  lowest: number;
  highest: number;
  whole: boolean;
}

export interface ParametersMessage {
  kind: "parameters";
  parameters: Parameter[];
}

/** New values of a curve; `first`: the number of the first one. null: not a finite number. */
export interface Series {
  name: string;
  first: number;
  values: (number | null)[];
}

export interface SeriesMessage {
  kind: "series";
  series: Series[];
}

export interface LogLine {
  what: "print" | "warning" | "note";
  text: string;
}

export interface LogMessage {
  kind: "log";
  lines: LogLine[];
}

export interface StateMessage {
  kind: "state";
  program: string;
  process: number;
  device: string;
  paused: boolean;
  /** The number of launches that were stepped. */
  stepped: number;
  /** An answer to the last request, in words; "" if there is nothing to say. */
  said: string;
}

// --- requests of the window ---------------------------------------------------------------------------------------------

export interface WantedView {
  id: number;
  /** The maximal number of samples along each axis. */
  width: number;
  height: number;
  component: number;
  slice: number[];
  first: number[];
}

/** The visible panes and views; data of others is not collected. */
export interface WantRequest {
  kind: "want";
  panes: string[];
  views: WantedView[];
}

/** The picture was shown; the next one may be sent. */
export interface ShownRequest {
  kind: "shown";
  view: number;
}

export interface SetRequest {
  kind: "set";
  name: string;
  value: number;
}

export interface EditRequest {
  kind: "edit";
  view: number;
  index: number[];
  component: number;
  value: string;
}

/** pause, step (one launch), resume, stop (as Ctrl-C), mark (counts of the newest run begin), clear (all counts). */
export interface DoRequest {
  kind: "do";
  what: "pause" | "step" | "resume" | "stop" | "mark" | "clear";
}

/** Requests a report in this file. */
export interface SaveRequest {
  kind: "save";
  path: string;
}
