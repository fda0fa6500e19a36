/**
 * Keystrokes typed, and keystrokes saved.
 *
 * Typed: every key that changed the text or chose a suggestion. Saved: the letters that
 * suggestions added, less the keys it took to choose them. A sentence sent back or undone is
 * taken off again. Only the sums are kept, never the text.
 */

import { read, write } from "./storage.js";

const UNDOABLE = 200;

/** How many keys an edit took; an input method repeats what it `composed` so far. */
export function keysOf({ inputType, data }, composed = 0) {
  const letters = [...(data ?? "")].length;
  if (inputType === "insertCompositionText") return Math.abs(letters - composed);
  return inputType === "insertText" ? letters : 1; // else a line break, a deletion, a paste
}

export class Totals {
  #parts;
  #sums = { typed: 0, gained: 0, chosen: 0 };
  #edits = []; // {before, after, isUndone}: texts around each suggestion, for undo
  #text;
  #composed = 0;

  /** @param parts the elements {typed, saved, share, gauge, reset} */
  constructor(box, suggester, parts) {
    this.#parts = parts;
    this.#text = box.value;
    this.#load();
    box.addEventListener("input", (event) => {
      if (!suggester.isReplacing) this.#edited(event, box.value);
    });
    box.addEventListener("compositionend", () => (this.#composed = 0));
    box.addEventListener("tersely:key", () => this.#add({ typed: 1, chosen: 1 }));
    box.addEventListener("tersely:accept", () => this.#suggested(box.value));
    box.addEventListener("tersely:back", () => this.#suggested(box.value));
    parts.reset.addEventListener("click", () => this.#reset());
    this.#show();
  }

  #edited(event, text) {
    if (event.inputType === "historyUndo") this.#takeBack(text);
    if (event.inputType === "historyRedo") this.#putBack(text);
    this.#add({ typed: keysOf(event, this.#composed) });
    if (event.isComposing) this.#composed = [...(event.data ?? "")].length;
    this.#text = text;
  }

  #suggested(text) {
    this.#edits.push({ before: this.#text, after: text, isUndone: false });
    if (this.#edits.length > UNDOABLE) this.#edits.shift();
    this.#add({ gained: text.length - this.#text.length });
    this.#text = text;
  }

  #takeBack(text) {
    const edit = this.#edits.findLast((one) => !one.isUndone && one.before === text);
    if (!edit) return;
    edit.isUndone = true;
    this.#add({ gained: edit.before.length - edit.after.length });
  }

  #putBack(text) {
    const edit = this.#edits.find((one) => one.isUndone && one.after === text);
    if (!edit) return;
    edit.isUndone = false;
    this.#add({ gained: edit.after.length - edit.before.length });
  }

  #add(amounts) {
    for (const [name, amount] of Object.entries(amounts)) this.#sums[name] += amount;
    write("localStorage", "totals", JSON.stringify(this.#sums));
    this.#show();
  }

  #reset() {
    this.#edits = [];
    this.#sums = { typed: 0, gained: 0, chosen: 0 };
    this.#add({});
  }

  #load() {
    const kept = JSON.parse(read("localStorage", "totals") ?? "{}");
    for (const name of Object.keys(this.#sums)) {
      if (Number.isFinite(kept?.[name])) this.#sums[name] = kept[name];
    }
  }

  #show() {
    const { typed, gained, chosen } = this.#sums;
    const saved = gained - chosen;
    const share = saved > 0 ? saved / (saved + typed) : 0;
    this.#parts.typed.textContent = typed.toLocaleString();
    this.#parts.saved.textContent = saved.toLocaleString();
    this.#parts.share.textContent = saved > 0 ? `${Math.round(100 * share)} %` : "–";
    this.#parts.gauge.style.width = `${100 * share}%`;
  }
}
