/**
 * Which sentences are worth remembering, and when.
 *
 * An accepted sentence counts once the writing goes on: it may still be sent back or undone.
 * A sentence written in full counts when its line is ended.
 */

import { isSentence, lineAt, piecesOf } from "../suggest/line.js";

export class Remembering {
  #box;
  #onSentence;
  #waiting = null;
  #last = null;

  /** @param onSentence is called with each sentence to remember */
  constructor(box, suggester, onSentence) {
    this.#box = box;
    this.#onSentence = onSentence;
    box.addEventListener("tersely:accept", ({ detail }) => {
      this.#settle();
      if (detail.whole) this.#waiting = detail.text;
    });
    box.addEventListener("tersely:back", () => (this.#waiting = null));
    box.addEventListener("input", (event) => {
      if (suggester.isReplacing) return;
      this.#settle();
      if (event.inputType === "insertLineBreak") this.#lineEnded();
    });
    box.addEventListener("blur", () => this.#settle());
    document.addEventListener("visibilitychange", () => this.#settle());
  }

  /** The writing went on: what was accepted and still stands is meant. */
  #settle() {
    const text = this.#waiting;
    this.#waiting = null;
    if (text !== null && this.#box.value.includes(text)) this.#keep(text);
  }

  #lineEnded() {
    const { value, selectionEnd } = this.#box;
    const line = lineAt(value, selectionEnd - 1);
    for (const [start, end] of piecesOf(value, line)) {
      const piece = value.slice(start, end).trim();
      if (isSentence(piece) && piece !== this.#last) this.#keep(piece);
    }
  }

  #keep(text) {
    this.#last = text;
    this.#onSentence(text);
  }
}
