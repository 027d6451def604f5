// What the kernel side sends to the adstack view, and what the view asks of it. The Python side of the same shapes is
// quadrants/_live/adstack.py and quadrants_jupyter/adstack.py; tests/kernel/test_adstack_view.py checks that both name the same members.

/** What a loop keeps of a variable in each round. */
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
  /** How many loops around it are run backward. */
  depth: number;
  /** The most rounds at the last launch; null before it. */
  trips: number | null;
  /** "keep", or "every k-th". */
  choice: string;
  /** Of a round; of all rounds. */
  slot_bytes: number;
  bytes: number;
  /** Why it keeps no less, where the budget is exceeded, else "". */
  reason: string;
  variables: Variable[];
}

/** Bytes of one thread, by the trips of the loops and as they were counted; of all threads. */
export interface Task {
  name: string;
  line: number;
  text: string;
  predicted: number;
  measured: number;
  total: number;
  /** Bytes of one iteration of the parallel loop, which a budget bounds; how many a thread runs side by side, each with as much. */
  of_one: number;
  lanes: number;
  /** What is kept beyond the budget, in words; "" if it is kept. */
  excess: string;
  loops: Loop[];
}

/** A gradient that was run with a budget. */
export interface Measurement {
  /** The budget is this part of what is kept without one; 1: there was none. */
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
  /** Bytes of an iteration without a budget, as far as is known. */
  whole: number;
  tasks: Task[];
  measurements: Measurement[];
}

/** Traits of the widget's model. */
export interface AdstackModel {
  kernels: Kernel[];
  /** What is to be said of the last request. */
  said: string;
  /** Name of the kernel that is being measured; "": none. */
  measuring: string;
  /** Name of the kernel whose gradient runs, whose figures are those so far; "": none. */
  running: string;
}

/** What an output keeps, as the MIME type "application/vnd.quadrants.adstack+json". */
export interface AdstackOutput extends Omit<AdstackModel, "measuring" | "running"> {
  version: 1;
}

/** What the page asks for. */
export type Request = { do: "budget"; kernel: string; bytes: number } | { do: "measure"; kernel: string };
