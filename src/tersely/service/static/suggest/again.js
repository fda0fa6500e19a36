/** The button under a sentence just accepted: it was not the one, bring the keywords back. */

import { make } from "./elements.js";
import { floatBeside, lower, raise } from "./placing.js";

export class AgainButton {
  #rows = null;

  constructor(onPress) {
    const key = make("kbd", { "aria-hidden": "true" }, "Esc");
    const attributes = { class: "tersely-again", type: "button", popover: "manual" };
    this.element = make("button", attributes, "Not it? Bring the keywords back ", key);
    this.element.setAttribute("aria-keyshortcuts", "Escape");
    this.element.hidden = true;
    this.element.addEventListener("pointerdown", (event) => event.preventDefault());
    this.element.addEventListener("click", onPress);
  }

  show(rows) {
    this.#rows = rows;
    raise(this.element);
    this.place();
  }

  hide() {
    lower(this.element);
  }

  place() {
    if (!this.element.hidden) floatBeside(this.element, this.#rows());
  }
}
