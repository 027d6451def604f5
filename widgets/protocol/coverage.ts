// Coverage of the kernels of cells, as the kernel process tells it to JupyterLab: as a comm of target "quadrants.coverage" while
// cells run, and as the MIME type "application/vnd.quadrants.coverage+json" in outputs, which are kept with the notebook.
// The Python side of the same shapes is jupyter/quadrants_jupyter/live.py; tests/kernel/test_live.py checks that both name the
// same members. The kernel opens the comm at the first cell with kernels; a page that comes later may open one too, and is told
// all cells at once. A message while a cell runs has the cells whose counts grew since the message before, the last one of an
// execution all cells that it changed.
import type { Outcome } from "./heatmap";

export interface LineCounts {
  /** 1-based, in the cell as its editor shows it. */
  number: number;
  /** How often the statement on this line ran, in all specialisations and static copies together. */
  count: number;
  /** How much of `count` is of the newest run: the newest cell execution in which any kernel of this cell ran. */
  newest: number;
  /** The same of the run before it; null if there was none. */
  previous: number | null;
  outcomes: Partial<Record<Outcome, number>>;
}

/** Counts of one specialisation of one kernel, for those who want them apart. */
export interface SpecialisationCounts {
  /** "clip, specialisation 2" */
  name: string;
  lines: { number: number; count: number; copies: number[] }[];
}

export interface CellCoverage {
  /** The front end's id of the cell; null where it sent none. */
  cell_id: string | null;
  /** "cell 4" */
  label: string;
  /** 64-bit FNV-1a of the cell's text in UTF-8 when it ran, 16 hexadecimal digits: other text means that the marks are stale. */
  digest: string;
  /** Empty as long as nothing of the cell ran: it was defined anew, or the counts were cleared. */
  lines: LineCounts[];
  specialisations: SpecialisationCounts[];
}

export interface CoverageMessage {
  version: 1;
  /** Whether a kernel is running, so that more is to come. */
  running: boolean;
  cells: CellCoverage[];
}
