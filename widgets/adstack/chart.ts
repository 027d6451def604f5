// Time against memory: a point for each measured budget. The same as picture() of jupyter/quadrants_jupyter/adstack.py.
import type { Measurement } from "../protocol/adstack";
import { grouped } from "../heatmap/scale";
import { milliseconds, partName } from "./budget";

export const size = { width: 420, height: 200, left: 70, bottom: 40, top: 30, right: 90 };

/** Returns the position of each point, and the ends of the axes. */
export function placed(found: readonly Measurement[]) {
  const { width, height, left, bottom, top, right } = size;
  const most = Math.max(...found.map(({ measured }) => measured)) || 1;
  const longest = Math.max(...found.map(({ seconds }) => seconds)) || 1;
  const points = found.map(({ measured, seconds, part }) => ({
    x: left + ((width - left - right) * measured) / most,
    y: height - bottom - ((height - bottom - top) * seconds) / longest,
    name: partName(part),
  }));
  return { points, most, longest };
}

/** Returns how far the names of points are moved down, so that they do not overlap. */
export function spread(points: readonly { x: number; y: number }[]): number[] {
  const moved = points.map(() => 0);
  const order = points.map((_, at) => at).sort((a, b) => points[a].y - points[b].y);
  order.forEach((at, rank) => {
    for (const other of order.slice(0, rank)) {
      if (Math.abs(points[at].x - points[other].x) > size.right) continue;
      const gap = points[at].y - (points[other].y + moved[other]);
      if (gap < 13) moved[at] = Math.max(moved[at], 13 - gap);
    }
  });
  return moved;
}

function made(tag: string, attributes: Record<string, string | number>, text = ""): SVGElement {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  if (text) node.textContent = text;
  return node;
}

export function chart(found: readonly Measurement[]): SVGElement {
  const { width, height, left, bottom, top, right } = size;
  const { points, most, longest } = placed(found);
  const floor = height - bottom, end = width - right;
  const root = made("svg", { class: "qd-chart", width, height, viewBox: `0 0 ${width} ${height}`, role: "img" });
  root.setAttribute("aria-label", "time against memory; the table below has the same data");
  const moved = spread(points);
  root.append(
    made("path", { class: "qd-axes", d: `M${left},${top}V${floor}H${end}` }),
    made("polyline", { class: "qd-curve", points: points.map(({ x, y }) => `${x},${y}`).join(" ") }),
    ...points.flatMap(({ x, y, name }, at) => [
      made("circle", { class: "qd-point", cx: x, cy: y, r: 4 }), made("text", { x: x + 8, y: y + moved[at] }, name)]),
    made("text", { x: end, y: floor + 16, "text-anchor": "middle" }, grouped(most)),
    made("text", { x: (left + end) / 2, y: floor + 32, "text-anchor": "middle" }, "bytes of one iteration"),
    made("text", { x: left, y: top - 12, "text-anchor": "middle" }, "time of a launch"),
    made("text", { x: left - 6, y: top + 4, "text-anchor": "end" }, milliseconds(longest)),
    made("text", { x: left, y: floor + 16, "text-anchor": "middle" }, "0"),
    made("text", { x: left - 6, y: floor + 4, "text-anchor": "end" }, "0"),
  );
  return root;
}
