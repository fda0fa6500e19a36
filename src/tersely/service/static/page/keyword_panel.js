/**
 * The panel that shows which words of a sentence are enough: each word is shaded by its keep
 * probability, the words to type are underlined, and a slider sets the budget.
 */

import { codeUnitOffsets } from "../widget/alignment.js";
import { createElement } from "../widget/elements.js";

const DEBOUNCE_MS = 120;

export class KeywordPanel {
  #api;
  #elements;
  #onError;
  #editorSentence = ""; // shown unless the panel's own field has a sentence
  #budget = null; // null: the model chooses
  #lastRequest = "";
  #latestId = 0;
  #controller = null;
  #timer = 0;

  /** The most characters that the service accepts. */
  maxCharacters = 200;

  /** @param elements {field, shaded, summary, slider, share, reset} */
  constructor(api, elements, onError) {
    this.#api = api;
    this.#elements = elements;
    this.#onError = onError;
    elements.field.addEventListener("input", () => this.#schedule());
    elements.slider.addEventListener("input", () =>
      this.#setBudget(Number(elements.slider.value) / 100),
    );
    elements.reset.addEventListener("click", () => {
      this.#setBudget(null);
      elements.slider.focus();
    });
  }

  /** Show the sentence of the editor, unless the user has entered another one here. */
  showEditorSentence(sentence) {
    this.#editorSentence = sentence;
    if (this.#elements.field.value.trim() === "") this.#schedule();
  }

  #setBudget(budget) {
    this.#budget = budget;
    this.#elements.reset.hidden = budget === null;
    if (budget !== null) this.#elements.share.textContent = `${Math.round(100 * budget)} %`;
    this.#schedule();
  }

  #schedule() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#load(), DEBOUNCE_MS);
  }

  async #load() {
    const sentence = this.#elements.field.value.trim() || this.#editorSentence;
    const request = JSON.stringify([sentence, this.#budget]);
    if (request === this.#lastRequest) return;
    this.#lastRequest = request;
    const id = (this.#latestId += 1);
    this.#controller?.abort();
    this.#controller = new AbortController();
    if (sentence === "") return this.#showMessage("");
    if ([...sentence].length > this.maxCharacters) {
      const message = `Only sentences of up to ${this.maxCharacters} characters can be shortened to keywords.`;
      return this.#showMessage(message);
    }
    try {
      const response = await this.#api.keywords(sentence, this.#budget, this.#controller.signal);
      if (id === this.#latestId) this.#render(sentence, response);
    } catch (error) {
      if (id !== this.#latestId || error.name === "AbortError") return;
      this.#lastRequest = "";
      this.#onError(error);
      if (error.retryAfter) this.#timer = setTimeout(() => this.#load(), 1000 * error.retryAfter);
    }
  }

  #showMessage(text) {
    this.#elements.shaded.hidden = true;
    this.#elements.summary.textContent = text;
  }

  #render(sentence, response) {
    const { keywords, tokens } = response;
    const { typed_characters: typed, sentence_characters: total } = response;
    this.#elements.shaded.hidden = false;
    this.#elements.shaded.replaceChildren(...shadeTokens(sentence, tokens));
    const saved = total > 0 ? Math.round(100 * (1 - typed / total)) : 0;
    this.#elements.summary.replaceChildren(
      createElement("strong", {}, keywords.join(" ") || "nothing"),
      ` ${typed} of ${total} characters, ${saved} % saved`,
    );
    if (this.#budget !== null) return;
    const visible = tokens.filter((token) => token.end > token.start);
    const share = visible.filter((token) => token.typed).length / Math.max(visible.length, 1);
    this.#elements.slider.value = String(Math.round(100 * share));
    this.#elements.share.textContent = "as the model would";
  }
}

/** Return the pieces of a sentence: shaded tokens, and the plain text between them. */
function shadeTokens(sentence, tokens) {
  const pieces = [];
  const offsets = codeUnitOffsets(sentence);
  let offset = 0;
  for (const token of tokens) {
    const [start, end] = [offsets[token.start], offsets[token.end]];
    if (!(offset <= start && start < end)) continue; // <shift> has no characters
    if (offset < start) pieces.push(sentence.slice(offset, start));
    const element = createElement("span", { class: token.typed ? "token token-typed" : "token" });
    element.textContent = sentence.slice(start, end);
    element.title = `kept with ${Math.round(100 * token.keep)} %`;
    element.style.setProperty("--keep", String(token.keep));
    pieces.push(element);
    offset = end;
  }
  pieces.push(sentence.slice(offset));
  return pieces;
}
