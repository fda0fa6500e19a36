/** What a screen reader should say, once the keys rest: nobody wants to hear every letter's count. */

import { make } from "./elements.js";

const REST_MS = 350;

export class Announcer {
  #timer = 0;

  constructor() {
    this.element = make("div", { class: "tersely-spoken", role: "status", "aria-live": "polite" });
  }

  say(text) {
    clearTimeout(this.#timer);
    if (text === this.element.textContent) return;
    this.#timer = setTimeout(() => (this.element.textContent = text), REST_MS);
  }
}

/** How many suggestions there are, and how to come to them. */
export function countOf(suggestions) {
  if (suggestions.length === 0) return "No suggestions.";
  const noun = suggestions.length === 1 ? "suggestion" : "suggestions";
  return `${suggestions.length} ${noun}. Down arrow to choose.`;
}
