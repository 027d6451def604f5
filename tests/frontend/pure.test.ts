// The computations of the front end without a browser: digests of cells, the scale of heat, texts of marks and listings.
import { test } from "node:test";
import assert from "node:assert/strict";
import { digest } from "../../labextension/src/digest";
import { keptMarksOf, marksOf, short, signed as signedShort, staleWords, summary as ofCell, times } from "../../labextension/src/marks";
import { head, took } from "../../widgets/checkpoints/shown";
import type { Launch, Step } from "../../widgets/protocol/checkpoints";
import { amounts, ends, grouped, length, level, scaleOf, share, signed } from "../../widgets/heatmap/scale";
import { branches, copiesInWords, lacksNothing, shownLines, summary, type View } from "../../widgets/heatmap/shown";
import type { CellCoverage, LineCounts } from "../../widgets/protocol/coverage";
import type { Line, Listing } from "../../widgets/protocol/heatmap";

const counts = (number: number, count: number, more: Partial<LineCounts> = {}): LineCounts =>
  ({ number, count, newest: count, previous: null, launched: true, outcomes: {}, ...more });
const cell = (...lines: LineCounts[]): CellCoverage => ({ cell_id: "a", label: "cell 1", digest: "", lines, specialisations: [], kept: [] });
const listed = (...lines: LineCounts[]) =>
  ({ lines: lines as unknown as Line[], specialisations: [] }) as unknown as Listing;
const all: View = { quantity: "total", specialisation: "", shares: false, onlyNever: false };

test("the digest is FNV-1a of 64 bits over UTF-8", () => {
  assert.equal(digest(""), "cbf29ce484222325");
  assert.equal(digest("a"), "af63dc4c8601ec8c"); // published test vectors
  assert.equal(digest("foobar"), "85944171f73967e8");
  const slowly = (text: string) => {
    let hash = 0xcbf29ce484222325n;
    for (const byte of new TextEncoder().encode(text)) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn;
    return hash.toString(16).padStart(16, "0");
  };
  for (const text of ["%%qd_kernel\n", "\u00e4\u20ac\u{1f600}", "x".repeat(1000)]) assert.equal(digest(text), slowly(text));
});

test("a tint grows with the count, from 0 to 60", () => {
  assert.equal(level(0, 100), 0);
  assert.equal(level(100, 100), 60);
  assert.equal(level(200, 100), 60);
  const ladder = [1, 10, 100, 1000, 10000].map((count) => level(count, 10000));
  assert.deepEqual([...ladder].sort((a, b) => a - b), ladder);
  assert.ok(ladder[0] >= 6);
  assert.equal(level(5, 0), 60, "a scale that knows of nothing");
});

test("a bar is the share itself", () => {
  assert.equal(length(0, 10), 0);
  assert.equal(length(5, 10), 50);
  assert.equal(length(1, 3), 33.3);
  assert.equal(length(20, 10), 100);
});

test("amounts of a line without an earlier run do not differ", () => {
  assert.deepEqual(amounts({ count: 7, newest: 3, previous: null }), { total: 7, newest: 3, difference: 0 });
  assert.deepEqual(amounts({ count: null, newest: 0, previous: 4 }), { total: 0, newest: 0, difference: -4 });
  assert.deepEqual(scaleOf([counts(1, 5), counts(2, 9, { newest: 2, previous: 8 })]), { total: 9, newest: 5, difference: 6 });
  assert.deepEqual(scaleOf([]), { total: 0, newest: 0, difference: 0 });
});

test("numbers in words", () => {
  assert.equal(grouped(1234567), "1,234,567");
  assert.deepEqual([999, 1200, 34000, 5600000, 999.6, 9950].map(short), ["999", "1.2k", "34k", "5.6M", "1k", "10k"]);
  assert.ok([1, 999, 1000, 123456, 7e8, 3e12, 1e15].every((n) => short(n).length <= 4));
  assert.deepEqual([0, 1, 2000].map(times), ["never", "once", "2,000 times"]);
  assert.deepEqual([340, -1200, 0].map(signedShort), ["+340", "\u22121.2k", "\u00b10"]);
  assert.deepEqual([1234, -56, 0].map(signed), ["+1,234", "\u221256", "\u00b10"]);
  assert.deepEqual([share(100, 100), share(1, 3), share(0.52, 100), share(0, 0)], ["100 %", "33 %", "0.52 %", "0 %"]);
});

test("branches that went one way only", () => {
  assert.deepEqual(branches(3, { taken: 0, not_taken: 3 }), ["never true"]);
  assert.deepEqual(branches(3, { taken: 1, not_taken: 2 }), []);
  assert.deepEqual(branches(3, { entered: 3, broken: 3, exhausted: 0 }), ["only left by break"]);
  assert.deepEqual(branches(3, { broken: 2, exhausted: 1 }), []);
  assert.deepEqual(branches(0, { taken: 0 }), [], "what never ran says nothing of its branches");
  assert.deepEqual(branches(null, { taken: 0 }), []);
  assert.deepEqual(copiesInWords([1, 0, 2]), ["copy 2 of 3 never ran"]);
  assert.deepEqual(copiesInWords([0, 0, 2, 0]), ["copies 1, 2 and 4 of 4 never ran"]);
  assert.deepEqual(copiesInWords([0, 0]), [], "the line never ran at all");
  assert.deepEqual(copiesInWords([1, 0, 0, 0, 0, 0]), ["5 of 6 copies never ran"]);
});

test("marks of a cell are in the order of its lines and say what is known", () => {
  const coverage = cell(counts(5, 0), counts(2, 100, { outcomes: { taken: 0, not_taken: 100 } }), counts(7, 0, { launched: false }));
  const marks = marksOf(coverage, "total", { total: 100, newest: 100, difference: 0 }, false);
  assert.deepEqual(marks.map((mark) => [mark.number, mark.kind, mark.text]), [[2, "ran", "100"], [5, "never", "never"], [7, "waiting", "\u2013"]]);
  assert.deepEqual(marks.map((mark) => mark.busiest), [true, false, false]);
  assert.deepEqual(marks[0].branches, ["never true"]);
  assert.ok(marks[0].words.includes("Ran 100 times") && marks[0].words.includes("Condition true: never"));
  assert.equal(ofCell(coverage, true), "1 of 3 lines ran, 1 not run yet, 1 branch went one way only, edited since");
  assert.ok(ofCell(coverage, false, true).endsWith(", from an earlier kernel") && ofCell(coverage, true, true).endsWith(", edited since"));
});

test("what gradients keep is said in bytes and in words", () => {
  const value = { kernel: "grow", name: "x", type: "f32", bytes: 4, trips: 2000, loop: 3, choice: "keep" };
  const coverage = { ...cell(counts(4, 2000)), kept: [{ number: 4, bytes: 8000, of: [value, { ...value, name: "", choice: "every 5-th" }] }] };
  const [mark] = keptMarksOf(coverage, 8000);
  assert.deepEqual([mark.number, mark.text, mark.level], [4, "8kB", 60]);
  assert.ok(mark.words[0].includes("8,000 bytes"));
  assert.ok(mark.words[1].includes("x (f32) for each of 2,000 iterations of the loop on line 3: 4 bytes per iteration"));
  assert.ok(mark.words[2].includes("keeps a value (f32) at each 5-th iteration"));
  assert.equal(ofCell(coverage, false), "1 of 1 lines ran, gradients keep values of 1 line");
});

test("marks of an edited cell name what they show", () => {
  const coverage = { ...cell(counts(4, 2000)), kept: [{ number: 4, bytes: 8000, of: [] }] };
  const count = marksOf(coverage, "total", scaleOf(coverage.lines), false);
  const size = keptMarksOf(coverage, 8000);
  assert.deepEqual([count, size, [...count, ...size]].map(staleWords), ["counts", "sizes", "counts and sizes"].map(
    (what) => `Edited since: the ${what} are for the text that ran`));
});

test("differences from the run before", () => {
  const coverage = cell(counts(1, 30, { newest: 20, previous: 10 }), counts(2, 30, { newest: 5, previous: 25 }), counts(3, 4, { newest: 4 }));
  const marks = marksOf(coverage, "difference", scaleOf(coverage.lines), false);
  assert.deepEqual(marks.map((mark) => [mark.kind, mark.text]), [["more", "+10"], ["less", "\u221220"], ["idle", "new"]]);
  assert.ok(marks[1].words.some((said) => said.includes("20 fewer than in the run before")));
});

test("a legend has both ends of its ramp", () => {
  assert.deepEqual(ends("total", 1200), ["once", "1,200, the busiest line of the notebook"]);
  assert.deepEqual(ends("difference", 1200), ["\u22121,200, less often", "+1,200, more often than in the run before"]);
});

test("what lacks nothing is complete, and what is not there is not", () => {
  const listing = listed(counts(1, 4), counts(2, 8));
  const scale = scaleOf(listing.lines);
  assert.ok(lacksNothing(shownLines(listing, all, scale)));
  const other: View = { ...all, specialisation: "another", onlyNever: true };
  assert.ok(!lacksNothing(shownLines(listing, other, scale)));
  assert.equal(summary(listing, shownLines(listing, other, scale), other), "not part of this specialisation");
  const uncalled = listed(counts(1, 0, { launched: false }));
  assert.deepEqual(shownLines(uncalled, all, scale).map((line) => [line.text, line.lacking]), [["\u2013", true]], "nobody called it");
});

test("a listing says how much of it ran", () => {
  const listing = listed(counts(1, 4), counts(2, 0), counts(3, 8, { outcomes: { entered: 0 } }));
  const shown = shownLines(listing, all, scaleOf(listing.lines));
  assert.deepEqual(shown.map((line) => line.text), ["4", "never", "8"]);
  assert.deepEqual(shown.map((line) => line.lacking), [false, true, true]);
  assert.equal(summary(listing, shown, all), "2 of 3 lines ran");
  const shares = shownLines(listing, { ...all, shares: true }, scaleOf(listing.lines));
  assert.deepEqual(shares.map((line) => line.text), ["50 %", "never", "100 %"]);
  const change: View = { ...all, quantity: "difference" };
  assert.equal(summary(listing, shownLines(listing, change, scaleOf(listing.lines)), change), "there was no run before");
});

test("a task has the time of its newest run, a launch that was cut short says how", () => {
  const step = (runs: number, microseconds: number | null) => ({ runs, microseconds }) as Step;
  assert.deepEqual([step(0, null), step(1, 12.3), step(11159, 166)].map(took), ["", "12 \u00b5s", "newest run 166 \u00b5s"]);
  const launch = (more: Partial<Launch>) => ({ yielded: null, labels: [], over: true, ended: "", ...more }) as unknown as Launch;
  assert.equal(head(launch({})), "at its end");
  assert.equal(head(launch({ ended: "interrupted in iteration 11,160" })), "interrupted in iteration 11,160");
  assert.equal(head(launch({ over: false })), "stopped");
});
