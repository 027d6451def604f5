// Messages of the kernel side to the heatmap widget. The Python side of the same shapes is jupyter/quadrants_jupyter/heatmap.py;
// tests/kernel/test_live.py checks that both name the same members.
import type { Scale, SpecialisationCounts } from "./coverage";

/** The outcome of a condition or a loop: a condition was true (taken) or false (not_taken); a loop was entered, ran no iteration
 * (zero_trips), or ran to its end (exhausted, reported for loops that were left by break); a break left its loop (broken). */
export type Outcome = "taken" | "not_taken" | "entered" | "zero_trips" | "broken" | "exhausted";

export interface Line {
  /** 1-based, in the cell or file. */
  number: number;
  text: string;
  /** The number of times that the statement on this line ran, of several the one that ran most often; null if there is none. */
  count: number | null;
  /** The part of `count` in the newest run, and in the run before it; null if there was none. See coverage.ts. */
  newest: number;
  previous: number | null;
  /** See coverage.ts. */
  launched: boolean;
  /** The number of times that the line was run again to compute gradients; not part of `count`. null: no gradients were computed. */
  backward: number | null;
  outcomes: Partial<Record<Outcome, number>>;
}

/** One kernel or func, or one cell. */
export interface Listing {
  title: string;
  lines: Line[];
  /** Counts of these lines. */
  specialisations: SpecialisationCounts[];
}

/** Traits of the widget's model. */
export interface HeatmapModel {
  listings: Listing[];
  /** The listing is updated while cells run. */
  follows: boolean;
  /** A cell is running, and more updates follow. */
  running: boolean;
  scale: Scale;
}

/** The data that an output stores, as the MIME type "application/vnd.quadrants.heatmap+json": the listing as it was when it was
 * displayed, or, if it follows executions, at the end of the last cell that changed it. */
export interface HeatmapOutput extends Omit<HeatmapModel, "running"> {
  version: 1;
}
