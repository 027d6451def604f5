// The adstack view as a widget: for front ends other than JupyterLab, which draws it itself.
import type { RenderProps } from "@anywidget/types";
import type { AdstackModel } from "../protocol/adstack";
import { element } from "../heatmap/dom";
import heatmap from "../heatmap/heatmap.css";
import css from "./adstack.css";
import { Adstack } from "./view";

const names = ["kernels", "said", "measuring", "running"] as const;

function render({ model, el }: RenderProps<AdstackModel>) {
  const adstack = new Adstack({
    get: (name) => model.get(name),
    listen: (callback) => {
      for (const name of names) model.on(`change:${name}`, callback);
      return () => { for (const name of names) model.off(`change:${name}`, callback); };
    },
    live: () => true,
    send: (request) => model.send(request),
  });
  el.append(element("style", "", heatmap + css), adstack.root);
  return () => adstack.dispose();
}

export default { render };
