// The progress of a cell, which the kernel process reports to JupyterLab on a comm of target "quadrants.progress": for cells in which a
// compilation or a launch takes longer than a second, at most four times a second, and once more when the cell ends. The Python side of the
// same shapes is quadrants_jupyter/progress.py; tests/kernel/test_progress.py checks that both name the same members.

export interface Progress {
  what: "compiling" | "running";
  /** The name that users know: "step", "Model.step", "step.grad". */
  kernel: string;
  /** "3 of 12 tasks", "task 2 of 5, line 7", "iteration 12, line 9"; may be empty. */
  place: string;
  /** The completed share of the tasks to compile, or of the running task: 0 to 1; null if it is unknown. */
  share: number | null;
  /** Whole seconds since it began. */
  seconds: number;
}

export interface ProgressMessage {
  version: 1;
  cell_id: string;
  /** The cell is still running. */
  running: boolean;
  /** null: the cell waits for nothing at the moment. */
  progress: Progress | null;
}
