/** A line at the bottom of the page for errors and confirmations. */

import { ServiceError } from "../widget/api.js";

const CONFIRMATION_MS = 4000;

export class Notice {
  #element;
  #timer = 0;

  constructor(element) {
    this.#element = element;
  }

  /** Show a text until the next one. */
  show(text) {
    clearTimeout(this.#timer);
    this.#element.textContent = text;
  }

  /** Show a text for a few seconds. */
  showBriefly(text) {
    this.show(text);
    this.#timer = setTimeout(() => this.clear(), CONFIRMATION_MS);
  }

  clear() {
    this.show("");
  }

  /** Show an error; null clears the notice. */
  showError(error) {
    if (error === null) return this.clear();
    if (!(error instanceof ServiceError)) {
      console.error(error);
      return this.show("Something went wrong here. Your text is safe.");
    }
    const retry = error.retryAfter ? ` Trying again in ${error.retryAfter} s.` : "";
    return this.show(`${error.message}${retry} Your text is safe.`);
  }
}
