/** Announcements for screen readers, debounced so that not every key is announced. */

import { createElement } from "./elements.js";

const DEBOUNCE_MS = 350;

export class Announcer {
  #timer = 0;

  constructor() {
    const attributes = { class: "tersely-announcer", role: "status", "aria-live": "polite" };
    this.element = createElement("div", attributes);
  }

  announce(text) {
    clearTimeout(this.#timer);
    if (text === this.element.textContent) return;
    this.#timer = setTimeout(() => (this.element.textContent = text), DEBOUNCE_MS);
  }

  /** Announce how many suggestions there are, and the key that selects one. */
  announceCount(count) {
    const noun = count === 1 ? "suggestion" : "suggestions";
    this.announce(count === 0 ? "No suggestions." : `${count} ${noun}. Down arrow to choose.`);
  }
}
