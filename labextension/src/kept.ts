// The compact form of coverage that a cell stores in its metadata: {"quadrants": {"coverage": ...}}.
import type { CellCoverage, AdstackLine, AdstackValue } from "../../widgets/protocol/coverage";
import type { Outcome } from "../../widgets/protocol/heatmap";

export interface Kept {
  version: 1;
  label: string;
  digest: string;
  /** number; count, or null if no kernel with this line was launched; newest, previous, outcomes if there are any */
  lines: [number, number | null, number, number | null, Partial<Record<Outcome, number>>?][];
  /** name, [number, count] of each line; only if there are several */
  specialisations?: [string, [number, number][]][];
  /** number, bytes, values; only if gradients store any */
  kept?: [number, number, AdstackValue[]][];
}

export function keep(coverage: CellCoverage): Kept {
  const kept: Kept = {
    version: 1,
    label: coverage.label,
    digest: coverage.digest,
    lines: coverage.lines.map(({ number, count, newest, previous, launched, outcomes }) => {
      const shown = launched === false ? null : count;
      return Object.keys(outcomes).length ? [number, shown, newest, previous, { ...outcomes }] : [number, shown, newest, previous];
    }),
  };
  if (coverage.specialisations.length > 1) {
    kept.specialisations = coverage.specialisations.map((one) => [one.name, one.lines.map((line) => [line.number, line.count])]);
  }
  if (coverage.kept.length) kept.kept = coverage.kept.map(({ number, bytes, of }) => [number, bytes, of]);
  return kept;
}

/** Returns the lines with values that gradients store, if `value` is a list of such lines; else none. */
export function keptLines(value: unknown): AdstackLine[] {
  const isLine = (line: Partial<AdstackLine> | null) => typeof line?.number === "number" && typeof line.bytes === "number" && Array.isArray(line.of)
    && line.of.every((one) => typeof one?.choice === "string" && typeof one.bytes === "number" && typeof one.trips === "number");
  return Array.isArray(value) && value.every(isLine) ? (value as AdstackLine[]) : [];
}

function areRows<Row>(value: Row[] | undefined): value is Row[] {
  return Array.isArray(value) && value.every((row) => Array.isArray(row));
}

/** Returns the coverage that `keep` made `value` from; null for anything else that may be in the metadata. */
export function unkeep(value: unknown, cellId: string): CellCoverage | null {
  const kept = value as Partial<Kept> | null | undefined;
  if (kept?.version !== 1 || typeof kept.digest !== "string" || !areRows(kept.lines)) return null;
  return {
    cell_id: cellId,
    label: kept.label ?? "",
    digest: kept.digest,
    lines: kept.lines.map(([number, count, newest, previous, outcomes]) => ({
      number, count: count ?? 0, newest, previous, launched: count !== null, outcomes: outcomes ?? {},
    })),
    specialisations: (areRows(kept.specialisations) ? kept.specialisations : []).filter(([, lines]) => areRows(lines)).map(([name, lines]) => ({
      name,
      lines: lines.map(([number, count]) => ({ number, count, copies: [count], outcomes: {} })),
    })),
    kept: keptLines((areRows(kept.kept) ? kept.kept : []).map(([number, bytes, of]) => ({ number, bytes, of }))),
  };
}
