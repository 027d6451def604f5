// The checkpoint stepper as a widget.
import type { RenderProps } from "@anywidget/types";
import { element } from "../heatmap/dom";
import type { CheckpointsModel } from "../protocol/checkpoints";
import css from "./checkpoints.css";
import { Stepper } from "./view";

function render({ model, el }: RenderProps<CheckpointsModel>) {
  const stepper = new Stepper({ launch: () => model.get("data"), send: (move) => model.send(move) });
  const update = () => stepper.update();
  model.on("change:data", update);
  el.append(element("style", "", css), stepper.root);
  return () => model.off("change:data", update);
}

export default { render };
