/**
 * The list of suggestions: a listbox that floats under the current line.
 *
 * The focus stays in the text box, which refers to the selected option by
 * aria-activedescendant. That reference cannot cross into a shadow tree, so the list is in the
 * tree of the box and is isolated by its class names.
 */

import { splitAtSpans } from "./alignment.js";
import { createElement } from "./elements.js";
import { hidePopover, positionPopover, showPopover } from "./popover.js";

export class SuggestionList {
  #box;
  #id;
  #listbox;
  #getRect = null;

  /** @param {(index: number) => void} onClick receives the index of the clicked option */
  constructor(box, id, onClick) {
    this.#box = box;
    this.#id = id;
    const attributes = { class: "tersely-options", role: "listbox", id: `${id}-list` };
    this.#listbox = createElement("ul", attributes);
    this.#listbox.setAttribute("aria-label", "Suggestions");
    this.element = createElement(
      "div",
      { class: "tersely-list", popover: "manual" },
      this.#listbox,
      createKeyHints(),
    );
    this.element.hidden = true;
    // The box keeps the focus and the caret.
    this.element.addEventListener("pointerdown", (event) => event.preventDefault());
    this.element.addEventListener("click", (event) => {
      const option = event.target.closest("[role=option]");
      if (option) onClick([...this.#listbox.children].indexOf(option));
    });
  }

  get isOpen() {
    return !this.element.hidden;
  }

  /** @param getRect returns the rectangle of the current line, see text_box.js */
  show(suggestions, selected, getRect) {
    this.#getRect = getRect;
    this.#listbox.replaceChildren(
      ...suggestions.map((suggestion, index) => this.#createOption(suggestion, index)),
    );
    this.#box.setAttribute("aria-controls", this.#listbox.id);
    showPopover(this.element);
    this.select(selected);
    this.reposition();
  }

  /** Mark an option as selected; -1 selects none. */
  select(selected) {
    for (const [index, option] of [...this.#listbox.children].entries()) {
      option.setAttribute("aria-selected", String(index === selected));
    }
    if (selected < 0) this.#box.removeAttribute("aria-activedescendant");
    else this.#box.setAttribute("aria-activedescendant", this.#optionId(selected));
  }

  hide() {
    if (!this.isOpen) return;
    hidePopover(this.element);
    this.#listbox.replaceChildren();
    this.#box.removeAttribute("aria-controls");
    this.#box.removeAttribute("aria-activedescendant");
  }

  /** Follow the current line after scrolling or resizing. */
  reposition() {
    if (this.isOpen) positionPopover(this.element, this.#getRect());
  }

  #optionId(index) {
    return `${this.#id}-option-${index}`;
  }

  #createOption(suggestion, index) {
    const pieces = splitAtSpans(suggestion.text, suggestion.spans).map((piece) =>
      piece.isKeyword ? createElement("mark", { class: "tersely-keyword" }, piece.text) : piece.text,
    );
    const numberAttributes = { class: "tersely-number", "aria-hidden": "true" };
    const number = createElement("span", numberAttributes, String(index + 1));
    const sentence = createElement("span", { class: "tersely-sentence" }, ...pieces);
    const attributes = { class: "tersely-option", role: "option", id: this.#optionId(index) };
    return createElement("li", attributes, number, sentence, ...createNotes(suggestion));
  }
}

/** Notes on corrected spelling and on the source of a suggestion. */
function createNotes({ source, corrected }) {
  const texts = (corrected ?? []).map(({ typed, read }) => `${typed} read as ${read}`);
  if (source === "memory") texts.push("remembered");
  return texts.map((text) => createElement("span", { class: "tersely-note" }, text));
}

function createKeyHints() {
  const hints = [["↓", "choose"], ["Alt 1–3", "accept"], ["→", "one word"], ["Esc", "dismiss"]];
  const elements = hints.map(([key, effect]) =>
    createElement("span", {}, createElement("kbd", {}, key), ` ${effect}`),
  );
  return createElement("div", { class: "tersely-hints", "aria-hidden": "true" }, ...elements);
}
