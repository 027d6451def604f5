// Elements of a page. They are updated in place, so that focus, selection and scroll position persist.

export function element<K extends keyof HTMLElementTagNameMap>(tag: K, className = "", text = ""): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return made;
}

export function say(node: HTMLElement, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}

export function toggle(label: string, flip: () => void): HTMLButtonElement {
  const button = element("button", "", label);
  button.type = "button";
  button.addEventListener("click", flip);
  return button;
}

let groups = 0;

/** Makes a choice of one of several, as radio buttons. */
export function choice<V extends string>(legend: string, options: readonly (readonly [V, string])[], choose: (value: V) => void) {
  const root = element("fieldset", "qd-choice");
  root.append(element("legend", "qd-hidden", legend));
  const name = `qd-choice-${++groups}`;
  const inputs = new Map<V, HTMLInputElement>();
  for (const [value, text] of options) {
    const label = element("label");
    const input = element("input");
    Object.assign(input, { type: "radio", name, value });
    input.addEventListener("change", () => choose(value));
    inputs.set(value, input);
    label.append(input, element("span", "", text));
    root.append(label);
  }
  return { root, inputs };
}
