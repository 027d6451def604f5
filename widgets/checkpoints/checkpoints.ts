// The checkpoint stepper as a widget.
import type { RenderProps } from "@anywidget/types";
import { element } from "../heatmap/dom";
import type { CheckpointsModel, Running } from "../protocol/checkpoints";
import css from "./checkpoints.css";
import { Stepper } from "./view";

function render({ model, el }: RenderProps<CheckpointsModel>) {
  const stepper = new Stepper({ launch: () => model.get("data"), send: (move) => model.send(move) });
  const update = () => stepper.update();
  const running = (message: Running) => stepper.running(message.running);
  model.on("change:data", update);
  model.on("msg:custom", running);
  el.append(element("style", "", css), stepper.root);
  return () => {
    model.off("change:data", update);
    model.off("msg:custom", running);
  };
}

export default { render };
