/**
 * Reports the sentences to remember.
 *
 * An accepted sentence is reported when the user continues to write, because it may still be
 * undone. A sentence typed in full is reported when its line ends.
 */

import { isSentence, lineAt, splitSentences } from "../widget/query.js";

export class SentenceRecorder {
  #box;
  #onSentence;
  #accepted = null; // an accepted sentence that may still be undone
  #lastReported = null;

  /** @param {(sentence: string) => void} onSentence receives each sentence to remember */
  constructor(box, suggester, onSentence) {
    this.#box = box;
    this.#onSentence = onSentence;
    box.addEventListener("tersely:accept", ({ detail }) => {
      this.#reportAccepted();
      if (detail.whole) this.#accepted = detail.text;
    });
    box.addEventListener("tersely:back", () => (this.#accepted = null));
    box.addEventListener("input", (event) => {
      if (suggester.isReplacing) return;
      this.#reportAccepted();
      if (event.inputType === "insertLineBreak") this.#reportLine();
    });
    box.addEventListener("blur", () => this.#reportAccepted());
    document.addEventListener("visibilitychange", () => this.#reportAccepted());
  }

  #reportAccepted() {
    const sentence = this.#accepted;
    this.#accepted = null;
    if (sentence !== null && this.#box.value.includes(sentence)) this.#report(sentence);
  }

  #reportLine() {
    const { value, selectionEnd } = this.#box;
    const line = lineAt(value, selectionEnd - 1);
    for (const [start, end] of splitSentences(value, line)) {
      const segment = value.slice(start, end).trim();
      if (isSentence(segment) && segment !== this.#lastReported) this.#report(segment);
    }
  }

  #report(sentence) {
    this.#lastReported = sentence;
    this.#onSentence(sentence);
  }
}
