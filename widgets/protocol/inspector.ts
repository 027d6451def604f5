// What a program tells the inspector's window, and what the window asks of it: each message is an object whose `kind` says which, on one
// line of JSON. The C++ structs of the window are made of this file, coverage.ts, adstack.ts and checkpoints.ts while the project is built
// (inspector/generate.py); the Python side is quadrants/_live and quadrants/_inspect. tests/inspector/test_inspect_window.py and
// tests/python/test_inspect.py check that all three name the same members.
import type { Task } from "./adstack";
import type { Step } from "./checkpoints";
import type { LineCounts, KeptLine, Scale, SpecialisationCounts } from "./coverage";

// --- what the program tells ---------------------------------------------------------------------------------------------

/** A file with kernels or funcs; members as of a cell in coverage.ts. */
export interface FileListing {
  /** Its path. */
  file: string;
  label: string;
  /** Of its text: another one means that the text changed. */
  digest: string;
  /** null: as it was told before. */
  text: string | null;
  lines: LineCounts[];
  specialisations: SpecialisationCounts[];
  kept: KeptLine[];
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
  /** Of the runs since the message before. */
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
  /** How many tasks were compiled now, were known to this process, came from the cache on disk. */
  compiled: number;
  memory: number;
  disk: number;
  /** Of the kernel and all its tasks, in order. */
  phases: PhaseTime[];
}

export interface TasksMessage {
  kind: "tasks";
  tasks: TaskTimes[];
  /** Those since the message before. */
  compilations: Compilation[];
}

/** What a gradient keeps for the way back through its loops. */
export interface Gradient {
  name: string;
  file: string;
  tasks: Task[];
}

export interface AdstackMessage {
  kind: "adstack";
  gradients: Gradient[];
}

/** A step as in checkpoints.ts: a level has the turns and a checkpoint the state of the newest launch that followed flags, a task its runs
 * in all launches and how long one took on average. */
export interface PlacedStep {
  step: Step;
  /** Of a task; 0 of what has none. */
  line: number;
}

/** A kernel with graph=True, as it was compiled last. */
export interface Graph {
  name: string;
  file: string;
  /** Launches that followed flags. */
  launches: number;
  /** One is under way. */
  running: boolean;
  /** Name of the checkpoint that ended the newest launch. */
  yielded: string | null;
  steps: PlacedStep[];
}

export interface GraphMessage {
  kind: "graph";
  graphs: Graph[];
}

/** A field or an array that may be looked at. */
export interface View {
  id: number;
  name: string;
  dtype: string;
  shape: number[];
  /** Extents of an element: [] of a number. */
  element: number[];
  /** Its program has ended. */
  gone: boolean;
}

export interface ViewsMessage {
  kind: "views";
  views: View[];
}

/** Samples of a view, one f32 each, as they lie in memory `memory` from byte `at` on: sample (x, y) is number x * height + y. */
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
  /** What was asked for: the component, -1 for the magnitude, -2 for all of them side by side, where the view has one axis; the index along all axes but the first two. */
  component: number;
  slice: number[];
  /** Elements from this one on, each a sample; []: all, thinned. */
  first: number[];
  /** Number of the picture. */
  number: number;
  /** A launch was under way: parts are of before it, parts of after it. */
  in_motion: boolean;
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

/** What was added to a curve; `first`: the number of its first new value. null: no finite number. */
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
  /** Launches are counted while somebody steps. */
  stepped: number;
  /** An answer to the last request, in words; "" if there is nothing to say. */
  said: string;
}

// --- what the window asks for -------------------------------------------------------------------------------------------

export interface WantedView {
  id: number;
  /** The most samples along each axis. */
  width: number;
  height: number;
  component: number;
  slice: number[];
  first: number[];
}

/** What is looked at: the rest is not taken. */
export interface WantRequest {
  kind: "want";
  panes: string[];
  views: WantedView[];
}

/** The picture was taken over; the next one may come. */
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

/** pause, step (one launch), resume, stop (as Ctrl-C), mark (counts of the newest run begin), clear (of all counts). */
export interface DoRequest {
  kind: "do";
  what: "pause" | "step" | "resume" | "stop" | "mark" | "clear";
}

/** A report is to be written to this file. */
export interface SaveRequest {
  kind: "save";
  path: string;
}
