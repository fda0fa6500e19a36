/**
 * The list of suggestions: a listbox that floats under the line being written.
 *
 * The focus stays in the text box, which points at the active option (aria-activedescendant).
 * That reference cannot cross into a shadow tree, so the list stands in the box's own tree and
 * keeps to itself by its class names.
 */

import { make } from "./elements.js";
import { floatBeside, lower, raise } from "./placing.js";
import { cut } from "./words.js";

export class SuggestionList {
  #box;
  #id;
  #options;
  #rows = null;

  /** @param onChoose is called with the number of the option that was clicked */
  constructor(box, id, onChoose) {
    this.#box = box;
    this.#id = id;
    this.#options = make("ul", { class: "tersely-options", role: "listbox", id: `${id}-list` });
    this.#options.setAttribute("aria-label", "Suggestions");
    this.element = make("div", { class: "tersely-list", popover: "manual" }, this.#options, hints());
    this.element.hidden = true;
    // The box keeps the focus, and with it the caret.
    this.element.addEventListener("pointerdown", (event) => event.preventDefault());
    this.element.addEventListener("click", (event) => {
      const option = event.target.closest("[role=option]");
      if (option) onChoose([...this.#options.children].indexOf(option));
    });
  }

  get isOpen() {
    return !this.element.hidden;
  }

  /** @param rows tells where the line stands, when it is needed */
  show(suggestions, active, rows) {
    this.#rows = rows;
    this.#options.replaceChildren(...suggestions.map((one, at) => this.#option(one, at)));
    this.#box.setAttribute("aria-controls", this.#options.id);
    raise(this.element);
    this.activate(active);
    this.place();
  }

  activate(active) {
    for (const [at, option] of [...this.#options.children].entries()) {
      option.setAttribute("aria-selected", String(at === active));
    }
    if (active < 0) this.#box.removeAttribute("aria-activedescendant");
    else this.#box.setAttribute("aria-activedescendant", this.#optionId(active));
  }

  hide() {
    if (!this.isOpen) return;
    lower(this.element);
    this.#options.replaceChildren();
    this.#box.removeAttribute("aria-controls");
    this.#box.removeAttribute("aria-activedescendant");
  }

  /** Stand under the line again: the page was scrolled, or the window changed. */
  place() {
    if (this.isOpen) floatBeside(this.element, this.#rows());
  }

  #optionId(at) {
    return `${this.#id}-option-${at}`;
  }

  #option(suggestion, at) {
    const pieces = cut(suggestion.text, suggestion.spans).map((piece) =>
      piece.typed ? make("mark", { class: "tersely-typed" }, piece.text) : piece.text,
    );
    const number = make("span", { class: "tersely-number", "aria-hidden": "true" }, String(at + 1));
    const sentence = make("span", { class: "tersely-sentence" }, ...pieces);
    const attributes = { class: "tersely-option", role: "option", id: this.#optionId(at) };
    return make("li", attributes, number, sentence, ...notes(suggestion));
  }
}

/** What a person should know of a suggestion beside its words. */
function notes({ source, corrected }) {
  const texts = (corrected ?? []).map(({ typed, read }) => `${typed} read as ${read}`);
  if (source === "memory") texts.push("remembered");
  return texts.map((text) => make("span", { class: "tersely-note" }, text));
}

function hints() {
  const keys = [["↓", "choose"], ["Alt 1–3", "accept"], ["→", "one word"], ["Esc", "dismiss"]];
  const pairs = keys.map(([key, does]) => make("span", {}, make("kbd", {}, key), ` ${does}`));
  return make("div", { class: "tersely-hints", "aria-hidden": "true" }, ...pairs);
}
