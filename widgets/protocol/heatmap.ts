// What the kernel side sends to the heatmap widget. The Python side of the same shapes is
// jupyter/quadrants_jupyter/heatmap.py; tests/widgets/protocol_test.py checks that both name the same members.

/** What a condition or a loop did: a condition was true (taken) or false (not_taken); a loop was entered, ran no iteration
 * (zero_trips), or was left by break (broken). */
export type Outcome = "taken" | "not_taken" | "entered" | "zero_trips" | "broken";

export interface Line {
  /** 1-based, in the cell or file. */
  number: number;
  text: string;
  /** How often the statement on this line ran; null if there is none. */
  count: number | null;
  outcomes: Partial<Record<Outcome, number>>;
}

/** One kernel or func, or one cell. */
export interface Listing {
  title: string;
  lines: Line[];
}

/** Traits of the widget's model. */
export interface HeatmapModel {
  listings: Listing[];
}
