/** The undo button under an accepted suggestion: it restores the keywords. */

import { createElement } from "./elements.js";
import { hidePopover, positionPopover, showPopover } from "./popover.js";

export class UndoButton {
  #getRect = null;

  /** @param {() => void} onClick */
  constructor(onClick) {
    const key = createElement("kbd", { "aria-hidden": "true" }, "Esc");
    const attributes = { class: "tersely-undo", type: "button", popover: "manual" };
    this.element = createElement("button", attributes, "Undo: bring the keywords back ", key);
    this.element.setAttribute("aria-keyshortcuts", "Escape");
    this.element.hidden = true;
    // The text box keeps the focus.
    this.element.addEventListener("pointerdown", (event) => event.preventDefault());
    this.element.addEventListener("click", onClick);
  }

  /** @param getRect returns the rectangle of the sentence, see text_box.js */
  show(getRect) {
    this.#getRect = getRect;
    showPopover(this.element);
    this.reposition();
  }

  hide() {
    hidePopover(this.element);
  }

  reposition() {
    if (!this.element.hidden) positionPopover(this.element, this.#getRect());
  }
}
