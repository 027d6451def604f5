// The heatmap as a widget: for front ends other than JupyterLab, which draws it itself.
import type { AnyModel, RenderProps } from "@anywidget/types";
import type { HeatmapModel } from "../protocol/heatmap";
import { element } from "./dom";
import css from "./heatmap.css";
import { Heatmap, type Kept } from "./view";

function render({ model, el }: RenderProps<HeatmapModel>) {
  const heatmap = new Heatmap(model as AnyModel<HeatmapModel & Kept>);
  el.append(element("style", "", css), heatmap.root);
  requestAnimationFrame(() => heatmap.takeFocus());
  return () => heatmap.dispose();
}

export default { render };
