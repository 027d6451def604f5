// Coverage of the kernels of cells, as the kernel process tells it to JupyterLab: as a comm of target "quadrants.coverage" while
// cells run, and as the MIME type "application/vnd.quadrants.coverage+json" in outputs, which are kept with the notebook.
// The Python side of the same shapes is quadrants/_live/coverage.py; tests/kernel/test_live.py checks that both name the
// same members. The inspector shows files by the same shapes (inspector.ts). The kernel opens the comm at the first cell with kernels that has an id; a page that comes later may open one too, and is told
// all cells at once; with {"clear": true} in the data with which it opens the comm it has all counts forgotten first. A message has
// the cells whose counts changed since the message before, the last one of a cell's execution all cells that it changed. Between
// cells, callbacks, threads and tasks may count.
import type { Outcome } from "./heatmap";

export interface LineCounts {
  /** 1-based, in the cell as its editor shows it. */
  number: number;
  /** How often the statement on this line ran, or the body of a loop that stands beside its head, in all specialisations and static copies together. */
  count: number;
  /** How much of `count` is of the newest run: the newest execution (of a cell or a callback, or the time between two of them)
   * in which any kernel of this cell ran. */
  newest: number;
  /** The same of the run before it; null if there was none. */
  previous: number | null;
  /** Any kernel that has this line was launched, and no launch that goes on may yet count the line. If false, a count of 0 does not mean that the line never ran. */
  launched: boolean;
  outcomes: Partial<Record<Outcome, number>>;
}

/** Counts of one specialisation of one kernel, for those who want them apart. */
export interface SpecialisationCounts {
  /** The kernel, and the types and values that it was made for: "clip(x: f32[:], n=3)" */
  name: string;
  lines: { number: number; count: number; copies: number[]; outcomes: Partial<Record<Outcome, number>> }[];
}

/** Counts of the busiest line of all cells that the kernel process knows, for each number that can be shown: one scale of heat for
 * all gutters and listings. */
export interface Scale {
  total: number;
  newest: number;
  /** Without its sign. */
  difference: number;
}

/** A value that a line computes and a gradient keeps for its way back through a loop. */
export interface KeptValue {
  /** Of which gradient. */
  kernel: string;
  /** Source text of the variable; "" if it is not known. */
  name: string;
  type: string;
  /** Of one round on a thread: all its components, and the lanes that run side by side. */
  bytes: number;
  /** How many entries there were at the last launch. */
  trips: number;
  /** Line of the loop, counted as `number` of KeptLine. */
  loop: number;
  /** "keep", or "every k-th". */
  choice: string;
}

/** What gradients keep of a line, as of their last launches. */
export interface KeptLine {
  /** 1-based, in the cell as its editor shows it. */
  number: number;
  /** The most that one thread keeps at once. */
  bytes: number;
  of: KeptValue[];
}

export interface CellCoverage {
  /** The front end's id of the cell; null where it sent none. */
  cell_id: string | null;
  /** "cell 4" */
  label: string;
  /** 64-bit FNV-1a of the cell's text in UTF-8 when it ran, 16 hexadecimal digits: other text means that the marks are stale. */
  digest: string;
  /** Empty as long as nothing of the cell ran: it was defined anew, or the counts were cleared. What kernels counted whose cell has
   * other ones by now is left out, in funcs of other cells too. */
  lines: LineCounts[];
  specialisations: SpecialisationCounts[];
  /** Also of cells that are not counted. */
  kept: KeptLine[];
}

export interface CoverageMessage {
  version: 1;
  /** Whether a kernel is running, so that more is to come. */
  running: boolean;
  scale: Scale;
  cells: CellCoverage[];
}

/** The data with which a page opens a comm. */
export interface Joining {
  clear?: true;
}
