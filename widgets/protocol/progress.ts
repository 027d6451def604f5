// What a cell waits for, as the kernel process tells it to JupyterLab on a comm of target "quadrants.progress": of cells in which a
// compilation or a launch takes longer than a second, at most four times a second, and once more when the cell ends. The Python
// side of the same shapes is quadrants_jupyter/progress.py; tests/kernel/test_progress.py checks that both name the same members.

export interface Progress {
  what: "compiling" | "running";
  /** As people know it: "step", "Model.step", "step.grad". */
  kernel: string;
  /** "3 of 12 tasks", "task 2 of 5, line 7", "turn 12, line 9"; may be empty. */
  place: string;
  /** How much of the tasks to compile, or of the task that runs, is done: 0 to 1; null where that is not known. */
  share: number | null;
  /** Whole ones, since it began. */
  seconds: number;
}

export interface ProgressMessage {
  version: 1;
  cell_id: string;
  /** Whether the cell goes on. */
  running: boolean;
  /** null: nothing of the kind at the moment. */
  progress: Progress | null;
}
