// Coverage of the kernels of cells, which the kernel process reports to JupyterLab: on a comm of target "quadrants.coverage" while cells
// run, and as the MIME type "application/vnd.quadrants.coverage+json" in outputs, which are saved with the notebook. The Python side of the
// same shapes is quadrants/_live/coverage.py; tests/kernel/test_live.py checks that both name the same members. The inspector shows files
// by the same shapes (inspector.ts). The kernel opens the comm at the first cell with kernels that has an id. A page that is loaded later
// may open one too, and receives all cells at once; with {"clear": true} in the data of its open message all counts are cleared first. A
// message has the cells whose counts changed since the message before; the last one of a cell's execution has all cells that it changed.
// Between cells, callbacks, threads and tasks may count.
import type { Outcome } from "./heatmap";

export interface LineCounts {
  /** 1-based, in the cell as its editor shows it. */
  number: number;
  /** The executions of the statement on this line, or of the loop body whose head is on it, in all specialisations and static copies together. */
  count: number;
  /** The part of `count` in the newest run: the newest execution (of a cell or a callback, or the time between two of them) in which any
   * kernel of this cell ran. */
  newest: number;
  /** The same for the run before it; null if there was none. */
  previous: number | null;
  /** A kernel with this line was launched, and no launch in progress may still count the line. If false, a count of 0 does not mean that
   * the line never ran. */
  launched: boolean;
  outcomes: Partial<Record<Outcome, number>>;
}

/** Counts of one specialisation of one kernel, to show them separately. */
export interface SpecialisationCounts {
  /** The kernel, and the types and values that it was made for: "clip(x: f32[:], n=3)" */
  name: string;
  lines: { number: number; count: number; copies: number[]; outcomes: Partial<Record<Outcome, number>> }[];
}

/** Counts of the busiest line of all cells that the kernel process knows, for each number that can be shown: one heat scale for all
 * gutters and listings. */
export interface Scale {
  total: number;
  newest: number;
  /** The absolute value. */
  difference: number;
}

/** A value that a line computes and a gradient stores for the backward pass through a loop. */
export interface AdstackValue {
  /** The kernel whose gradient stores it. */
  kernel: string;
  /** Source text of the variable; "" if it is not known. */
  name: string;
  type: string;
  /** Bytes of one iteration on a thread: all components of the value, and the lanes that run side by side. */
  bytes: number;
  /** The number of entries at the last launch. */
  trips: number;
  /** Line of the loop, counted as `number` of AdstackLine. */
  loop: number;
  /** "keep", or "every k-th". */
  choice: string;
}

/** The values of a line that gradients store, as of their last launches. */
export interface AdstackLine {
  /** 1-based, in the cell as its editor shows it. */
  number: number;
  /** The most that one thread stores at once. */
  bytes: number;
  of: AdstackValue[];
}

export interface CellCoverage {
  /** The front end's id of the cell; null if it sent none. */
  cell_id: string | null;
  /** "cell 4" */
  label: string;
  /** 64-bit FNV-1a of the cell's text in UTF-8 when it ran, 16 hexadecimal digits: if the text has another digest, the marks are stale. */
  digest: string;
  /** Empty until something of the cell has run since it was redefined, or since the counts were cleared. Counts of kernels that their
   * cell no longer defines are left out, also in funcs of other cells. */
  lines: LineCounts[];
  specialisations: SpecialisationCounts[];
  /** Present also for cells that are not counted. */
  kept: AdstackLine[];
}

export interface CoverageMessage {
  version: 1;
  /** A kernel is running, so that more messages follow. */
  running: boolean;
  scale: Scale;
  cells: CellCoverage[];
}

/** The data with which a page opens a comm. */
export interface Joining {
  clear?: true;
}
