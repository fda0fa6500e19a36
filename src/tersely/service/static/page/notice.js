/** One calm line at the foot of the page, while something is not as it should be. */

import { Trouble } from "../suggest/service.js";

export class Notice {
  #element;
  #timer = 0;

  constructor(element) {
    this.#element = element;
  }

  /** Say it until it is over. */
  say(text) {
    clearTimeout(this.#timer);
    this.#element.textContent = text;
  }

  /** Say it for a while. */
  mention(text) {
    this.say(text);
    this.#timer = setTimeout(() => this.clear(), 4000);
  }

  clear() {
    this.say("");
  }

  /** What a service's trouble means to a person; null when it is over. */
  tell(trouble) {
    if (trouble === null) return this.clear();
    if (!(trouble instanceof Trouble)) {
      console.error(trouble);
      return this.say("Something went wrong here. Your text is safe.");
    }
    const again = trouble.retryAfter ? ` Trying again in ${trouble.retryAfter} s.` : "";
    return this.say(`${trouble.message}${again} Your text is safe.`);
  }
}
