// Messages of the kernel side to the adstack view, and requests of the view. The Python side of the same shapes is
// quadrants/_live/adstack.py and quadrants_jupyter/adstack.py; tests/kernel/test_adstack_view.py checks that both name the same members.

/** A variable whose value a loop stores in each iteration. */
export interface Variable {
  /** Source text where it is first assigned; "" if it is not known. */
  name: string;
  type: string;
  bytes: number;
  line: number;
}

export interface Loop {
  line: number;
  text: string;
  /** The number of loops around it that are run backward. */
  depth: number;
  /** The largest trip count at the last launch; null before it. */
  trips: number | null;
  /** "keep", or "every k-th". */
  choice: string;
  /** Bytes of one iteration; of all iterations. */
  slot_bytes: number;
  bytes: number;
  /** The reason why it stores no less, if the budget is exceeded; else "". */
  reason: string;
  variables: Variable[];
}

/** Bytes of one thread, by the trip counts of the loops and as measured; bytes of all threads. */
export interface Task {
  name: string;
  line: number;
  text: string;
  predicted: number;
  measured: number;
  total: number;
  /** Bytes of one iteration of the parallel loop, which a budget bounds; the number of iterations that a thread runs side by side, each
   * with as much. */
  of_one: number;
  lanes: number;
  /** The excess over the budget, in words; "" if it is not. */
  excess: string;
  loops: Loop[];
}

/** A gradient that was run with a budget. */
export interface Measurement {
  /** The budget is 1/`part` of the bytes without a budget; 1: there was none. */
  part: number;
  budget: number;
  seconds: number;
  /** Bytes of one iteration of the parallel loop, which do not depend on how many the processor runs side by side. */
  measured: number;
  choice: string;
}

export interface Kernel {
  name: string;
  /** Bytes of an iteration of the parallel loop; 0: none. */
  budget: number;
  /** Bytes of an iteration without a budget, as far as known. */
  whole: number;
  tasks: Task[];
  measurements: Measurement[];
}

/** Traits of the widget's model. */
export interface AdstackModel {
  kernels: Kernel[];
  /** The answer to the last request, in words. */
  said: string;
  /** Name of the kernel that is being measured; "": none. */
  measuring: string;
  /** Name of the kernel whose gradient runs, and whose figures are those so far; "": none. */
  running: string;
}

/** The data that an output stores, as the MIME type "application/vnd.quadrants.adstack+json". */
export interface AdstackOutput extends Omit<AdstackModel, "measuring" | "running"> {
  version: 1;
}

/** Requests of the page. */
export type Request = { do: "budget"; kernel: string; bytes: number } | { do: "measure"; kernel: string };
