/**
 * A text box that completes keywords: connects key bindings, completions, the list of
 * suggestions and the text of the box.
 *
 * It dispatches these events on the box: `tersely:accept` {keywords, text, whole},
 * `tersely:back` {keywords, text} when the keywords are restored, `tersely:key` {action} for
 * each key or click it handles, and `tersely:trouble` {trouble}, an error or null.
 */

import { acceptNextWord, alignKeywords, normalizeSpans } from "./alignment.js";
import { Announcer } from "./announcer.js";
import { CompletionLoader } from "./completion_loader.js";
import { actionForKey } from "./keys.js";
import { lineAt, queryAt } from "./query.js";
import { SuggestionList } from "./suggestion_list.js";
import { measureRange, replaceRange } from "./text_box.js";
import { UndoButton } from "./undo.js";

const MAX_SHOWN = 3;
const DEFAULT_LIMITS = { keywords: 32, characters: 200, n: 10 };
const LATIN = /^[\p{Script=Latin}\p{N}\p{P}\s]*$/u;

export class Suggester {
  static #count = 0;
  #box;
  #limits = DEFAULT_LIMITS;
  #loader;
  #list;
  #undoButton;
  #announcer = new Announcer();
  #listeners = new AbortController();
  #model = null;
  #query = null; // the query at the caret, see query.js
  #suggestions = []; // those in the list
  #selected = -1;
  #accepted = null; // the last accepted sentence: {start, text, keywords}
  #rejected = new Set(); // sentences undone for the current keywords; not suggested again
  #isReplacing = false;

  /**
   * @param {HTMLTextAreaElement | HTMLInputElement} box
   * @param {import("./api.js").ApiClient} api
   */
  constructor(box, api) {
    this.#box = box;
    this.#loader = new CompletionLoader(api, {
      onResponse: (response) => this.#showResponse(response),
      onError: (trouble) => this.#dispatch("trouble", { trouble }),
    });
    const id = `tersely-${(Suggester.#count += 1)}`;
    this.#list = new SuggestionList(box, id, (index) => this.#perform({ name: "accept", index }));
    this.#undoButton = new UndoButton(() => this.#perform({ name: "undo" }));
    box.after(this.#list.element, this.#undoButton.element, this.#announcer.element);
    this.#setAttributes();
    this.#addListeners();
  }

  /** The name of the model to use from now on. */
  set model(name) {
    this.#model = name;
    this.clearCache();
  }

  /** The limits of the service: {keywords, characters, n}. */
  set limits(limits) {
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
  }

  /** Whether the suggester, not the user, is changing the text. */
  get isReplacing() {
    return this.#isReplacing;
  }

  /** Clear cached completions; call this after a change of the memory. */
  clearCache() {
    this.#loader.clearCache();
  }

  /** Remove the list, the listeners and the attributes from the box. */
  detach() {
    this.#close();
    this.#listeners.abort();
    for (const part of [this.#list, this.#undoButton, this.#announcer]) part.element.remove();
    for (const name of ["autocomplete", "haspopup"]) this.#box.removeAttribute(`aria-${name}`);
  }

  #setAttributes() {
    this.#box.setAttribute("aria-autocomplete", "list");
    this.#box.setAttribute("aria-haspopup", "listbox");
    // Suggestions are capitalized; keywords need not be.
    if (!this.#box.hasAttribute("autocapitalize")) this.#box.setAttribute("autocapitalize", "off");
  }

  #addListeners() {
    const { signal } = this.#listeners;
    const box = this.#box;
    box.addEventListener("keydown", (event) => this.#onKeyDown(event), { signal });
    box.addEventListener("input", (event) => this.#onInput(event), { signal });
    box.addEventListener("compositionend", () => this.#update(), { signal });
    box.addEventListener("compositionstart", () => this.#close(), { signal });
    box.addEventListener("blur", (event) => this.#onBlur(event), { signal });
    document.addEventListener("selectionchange", () => this.#onSelectionChange(), { signal });
    const reposition = () =>
      requestAnimationFrame(() => (this.#list.reposition(), this.#undoButton.reposition()));
    window.addEventListener("scroll", reposition, { signal, capture: true, passive: true });
    window.addEventListener("resize", reposition, { signal, passive: true });
    window.visualViewport?.addEventListener("resize", reposition, { signal, passive: true });
  }

  #onKeyDown(event) {
    const action = actionForKey(event, {
      isOpen: this.#list.isOpen,
      selected: this.#selected,
      count: this.#suggestions.length,
      isAtLineEnd: this.#isAtLineEnd(),
      canUndo: this.#canUndo(),
    });
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    this.#perform(action);
  }

  #perform(action) {
    this.#dispatch("key", { action: action.name });
    switch (action.name) {
      case "next":
        return this.#moveSelection(1);
      case "previous":
        return this.#moveSelection(-1);
      case "accept":
        return this.#accept(this.#suggestions[action.index]);
      case "acceptWord":
        return this.#acceptWord(this.#suggestions[action.index]);
      case "dismiss":
        return this.#close();
      default:
        return this.#undo();
    }
  }

  #onInput(event) {
    if (this.#isReplacing) return;
    this.#undoButton.hide();
    // Phone keyboards compose every Latin word; other compositions must be finished first.
    const isPhoneInput =
      matchMedia("(pointer: coarse)").matches && LATIN.test(event.data ?? "");
    if (event.isComposing && !isPhoneInput) return;
    if (event.inputType === "historyUndo") this.#collapseSelection();
    this.#update();
  }

  /** Undo selects the keywords it restores; put the caret after them instead. */
  #collapseSelection() {
    const { selectionStart, selectionEnd } = this.#box;
    if (selectionStart === this.#accepted?.start) {
      this.#box.setSelectionRange(selectionEnd, selectionEnd);
    }
  }

  #onBlur(event) {
    if (event.relatedTarget === this.#undoButton.element) return;
    this.#close();
    this.#undoButton.hide();
  }

  #onSelectionChange() {
    if (!this.#query || this.#isReplacing) return;
    const { selectionStart, selectionEnd } = this.#box;
    const { start, end } = this.#query;
    if (selectionStart < start || selectionEnd > end) this.#close();
  }

  /** Read the query at the caret, keep the suggestions that still match, and load new ones. */
  #update() {
    const { value, selectionStart, selectionEnd } = this.#box;
    const previous = this.#query;
    const hasCaret = selectionStart === selectionEnd;
    this.#query = hasCaret ? queryAt(value, selectionEnd, this.#limits) : null;
    if (this.#query?.start !== previous?.start) this.#rejected.clear();
    if (!this.#query || this.#isAccepted()) return this.#close();
    const { keywords, isPrefix, context } = this.#query;
    const matching = this.#suggestions.flatMap((suggestion) => {
      const spans = alignKeywords(suggestion.text, keywords, isPrefix);
      return spans ? [{ ...suggestion, spans, corrected: [] }] : [];
    });
    this.#show(matching);
    const n = Math.min(MAX_SHOWN + this.#rejected.size, this.#limits.n);
    const request = { keywords, n, prefix: isPrefix, context, corrections: true };
    this.#loader.load(this.#model === null ? request : { ...request, model: this.#model });
  }

  #showResponse(response) {
    const suggestions = response.suggestions.map((suggestion) => {
      const text = suggestion.text.replace(/\s+/gu, " ").trim();
      const spans = text === suggestion.text ? normalizeSpans(suggestion.spans, text) : [];
      return { ...suggestion, text, spans };
    });
    this.#show(selectShown(suggestions.filter(({ text }) => !this.#rejected.has(text))));
    this.#announcer.announceCount(this.#suggestions.length);
  }

  #show(suggestions) {
    this.#suggestions = suggestions;
    this.#selected = -1;
    if (suggestions.length === 0) this.#list.hide();
    else this.#list.show(suggestions, this.#selected, () => this.#measure(this.#query));
  }

  #measure({ start, end }) {
    return measureRange(this.#box, start, end);
  }

  /** Move through the list; one position, -1, is the text box. */
  #moveSelection(step) {
    const positions = this.#suggestions.length + 1;
    this.#selected = ((this.#selected + 1 + step + positions) % positions) - 1;
    this.#list.select(this.#selected);
  }

  #accept({ text }) {
    const { start, end, keywords } = this.#query;
    this.#close();
    this.#replace(start, end, text);
    this.#accepted = { start, text, keywords };
    this.#undoButton.show(() => this.#measure({ start, end: start + text.length }));
    this.#announcer.announce(`Accepted: ${text} Escape brings the keywords back.`);
    this.#dispatch("accept", { keywords, text, whole: true });
  }

  #acceptWord(suggestion) {
    const { start, end, keywords, isPrefix } = this.#query;
    // The words on the line count as typed, even if the spans of the service mark others.
    const spans = alignKeywords(suggestion.text, keywords, isPrefix) ?? suggestion.spans;
    const text = acceptNextWord({ ...suggestion, spans });
    if (text === suggestion.text) return this.#accept(suggestion);
    const others = this.#suggestions.filter((other) => other !== suggestion);
    this.#suggestions = [suggestion, ...others];
    this.#replace(start, end, text);
    this.#dispatch("accept", { keywords, text, whole: false });
    return this.#update();
  }

  /** Replace the accepted sentence by its keywords, ready for another one. */
  #undo() {
    const { start, text, keywords } = this.#accepted;
    this.#accepted = null;
    this.#undoButton.hide();
    this.#replace(start, start + text.length, `${keywords} `);
    const rejected = new Set([...this.#rejected, text]);
    this.#dispatch("back", { keywords, text });
    this.#query = { start };
    this.#rejected = rejected;
    this.#update();
  }

  #replace(start, end, text) {
    this.#isReplacing = true;
    try {
      replaceRange(this.#box, start, end, text);
    } finally {
      this.#isReplacing = false;
    }
  }

  #close() {
    this.#loader.cancel();
    this.#list.hide();
    this.#query = null;
    this.#suggestions = [];
    this.#selected = -1;
    this.#announcer.announce("");
  }

  #isAtLineEnd() {
    const { value, selectionStart, selectionEnd } = this.#box;
    return selectionStart === selectionEnd && lineAt(value, selectionEnd).end === selectionEnd;
  }

  /** Whether the accepted sentence is unchanged and the caret is on its line. */
  #canUndo() {
    if (!this.#accepted) return false;
    const { start, text } = this.#accepted;
    const { value, selectionEnd } = this.#box;
    const line = lineAt(value, selectionEnd);
    return value.startsWith(text, start) && line.start <= start && start < line.end;
  }

  #isAccepted() {
    const { start, end } = this.#query;
    return this.#accepted?.text === this.#box.value.slice(start, end).trim();
  }

  #dispatch(name, detail) {
    this.#box.dispatchEvent(new CustomEvent(`tersely:${name}`, { bubbles: true, detail }));
  }
}

/** Return the suggestions to show; a corrected one, if any, takes the last place. */
function selectShown(suggestions) {
  const isCorrected = ({ corrected }) => (corrected ?? []).length > 0;
  const corrected = suggestions.find(isCorrected);
  const uncorrected = suggestions.filter((suggestion) => !isCorrected(suggestion));
  if (!corrected) return uncorrected.slice(0, MAX_SHOWN);
  return [...uncorrected.slice(0, MAX_SHOWN - 1), corrected];
}
