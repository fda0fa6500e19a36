/**
 * The panel of keystrokes typed and saved.
 *
 * Typed: each key that changed the text or selected a suggestion. Saved: the characters that
 * suggestions added, minus the keys that selected them. An undone sentence is subtracted again.
 * Only the sums are stored, never the text.
 */

import { readItem, writeItem } from "./storage.js";

const MAX_EDITS = 200;

/** Return the number of keys of an edit; an input method repeats what it `composed` so far. */
function countKeys({ inputType, data }, composed) {
  const characters = [...(data ?? "")].length;
  if (inputType === "insertCompositionText") return Math.abs(characters - composed);
  return inputType === "insertText" ? characters : 1; // otherwise a line break, deletion or paste
}

export class KeystrokePanel {
  #elements;
  #sums = { typed: 0, gained: 0, chosen: 0 };
  #edits = []; // {before, after, isUndone}: the texts around each suggestion, to detect undo
  #text;
  #composed = 0;

  /** @param elements {typed, saved, share, gauge, reset} */
  constructor(box, suggester, elements) {
    this.#elements = elements;
    this.#text = box.value;
    this.#load();
    box.addEventListener("input", (event) => {
      if (!suggester.isReplacing) this.#countEdit(event, box.value);
    });
    box.addEventListener("compositionend", () => (this.#composed = 0));
    box.addEventListener("tersely:key", () => this.#add({ typed: 1, chosen: 1 }));
    box.addEventListener("tersely:accept", () => this.#countSuggestion(box.value));
    box.addEventListener("tersely:back", () => this.#countSuggestion(box.value));
    elements.reset.addEventListener("click", () => this.#reset());
    this.#render();
  }

  #countEdit(event, text) {
    if (event.inputType === "historyUndo") this.#countUndo(text);
    if (event.inputType === "historyRedo") this.#countRedo(text);
    this.#add({ typed: countKeys(event, this.#composed) });
    if (event.isComposing) this.#composed = [...(event.data ?? "")].length;
    this.#text = text;
  }

  #countSuggestion(text) {
    this.#edits.push({ before: this.#text, after: text, isUndone: false });
    if (this.#edits.length > MAX_EDITS) this.#edits.shift();
    this.#add({ gained: text.length - this.#text.length });
    this.#text = text;
  }

  #countUndo(text) {
    const edit = this.#edits.findLast(({ before, isUndone }) => !isUndone && before === text);
    if (!edit) return;
    edit.isUndone = true;
    this.#add({ gained: edit.before.length - edit.after.length });
  }

  #countRedo(text) {
    const edit = this.#edits.find(({ after, isUndone }) => isUndone && after === text);
    if (!edit) return;
    edit.isUndone = false;
    this.#add({ gained: edit.after.length - edit.before.length });
  }

  #add(amounts) {
    for (const [name, amount] of Object.entries(amounts)) this.#sums[name] += amount;
    writeItem("localStorage", "totals", JSON.stringify(this.#sums));
    this.#render();
  }

  #reset() {
    this.#edits = [];
    this.#sums = { typed: 0, gained: 0, chosen: 0 };
    this.#add({});
  }

  #load() {
    const saved = JSON.parse(readItem("localStorage", "totals") ?? "{}");
    for (const name of Object.keys(this.#sums)) {
      if (Number.isFinite(saved?.[name])) this.#sums[name] = saved[name];
    }
  }

  #render() {
    const { typed, gained, chosen } = this.#sums;
    const saved = gained - chosen;
    const share = saved > 0 ? saved / (saved + typed) : 0;
    this.#elements.typed.textContent = typed.toLocaleString();
    this.#elements.saved.textContent = saved.toLocaleString();
    this.#elements.share.textContent = saved > 0 ? `${Math.round(100 * share)} %` : "–";
    this.#elements.gauge.style.width = `${100 * share}%`;
  }
}
