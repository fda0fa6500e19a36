/**
 * A text box that completes keywords. This is where keys, answers, the list and the text meet;
 * each of them is told in a file of its own.
 *
 * What happens is told by events on the box, for pages that want to count or remember:
 * `tersely:accept` {keywords, text, whole}, `tersely:back` {keywords, text}, `tersely:key`,
 * `tersely:trouble` {trouble}.
 */

import { AgainButton } from "./again.js";
import { Announcer, countOf } from "./announcer.js";
import { Answers } from "./answers.js";
import { chosen } from "./choosing.js";
import { replaceRange } from "./editing.js";
import { intentOf } from "./keys.js";
import { lineAt, writingAt } from "./line.js";
import { SuggestionList } from "./list.js";
import { rowsOf } from "./placing.js";
import { alignment, tidySpans, withNextWord } from "./words.js";

const SHOWN = 3;
const LIMITS = { keywords: 32, characters: 200, n: 10 };
const LATIN = /^[\p{Script=Latin}\p{N}\p{P}\s]*$/u;

export class Suggester {
  static #made = 0;
  #box;
  #limits = LIMITS;
  #answers;
  #list;
  #again;
  #announcer = new Announcer();
  #stop = new AbortController();
  #model = null;
  #writing = null; // what stands at the caret, see line.js
  #shown = []; // the suggestions in the list
  #active = -1;
  #accepted = null; // the sentence accepted last: {start, text, keywords}
  #rejected = new Set(); // sentences sent back, not to be offered again for the same keywords
  #replacing = false;

  constructor(box, service) {
    this.#box = box;
    this.#answers = new Answers(service, {
      onAnswer: (answer) => this.#receive(answer),
      onTrouble: (trouble) => this.#tell("trouble", { trouble }),
    });
    const id = `tersely-${(Suggester.#made += 1)}`;
    this.#list = new SuggestionList(box, id, (at) => this.#press({ do: "accept", at }));
    this.#again = new AgainButton(() => this.#press({ do: "back" }));
    box.after(this.#list.element, this.#again.element, this.#announcer.element);
    this.#describe();
    this.#listen();
  }

  /** Use another model from now on. */
  set model(name) {
    this.#model = name;
    this.forgetAnswers();
  }

  /** The service's own limits: {keywords, characters, n}. */
  set limits(limits) {
    this.#limits = { ...LIMITS, ...limits };
  }

  /** Whether the text is being changed by a suggestion, not by typing. */
  get isReplacing() {
    return this.#replacing;
  }

  /** Answers kept so far may not hold any more. */
  forgetAnswers() {
    this.#answers.forget();
  }

  /** Leave the box as it was found. */
  detach() {
    this.#close();
    this.#stop.abort();
    for (const part of [this.#list, this.#again, this.#announcer]) part.element.remove();
    for (const name of ["autocomplete", "haspopup"]) this.#box.removeAttribute(`aria-${name}`);
  }

  #describe() {
    this.#box.setAttribute("aria-autocomplete", "list");
    this.#box.setAttribute("aria-haspopup", "listbox");
    // Sentences come with their capitals; keywords need none.
    if (!this.#box.hasAttribute("autocapitalize")) this.#box.setAttribute("autocapitalize", "off");
  }

  #listen() {
    const { signal } = this.#stop;
    const box = this.#box;
    box.addEventListener("keydown", (event) => this.#onKey(event), { signal });
    box.addEventListener("input", (event) => this.#onInput(event), { signal });
    box.addEventListener("compositionend", () => this.#refresh(), { signal });
    box.addEventListener("compositionstart", () => this.#close(), { signal });
    box.addEventListener("blur", (event) => this.#onBlur(event), { signal });
    document.addEventListener("selectionchange", () => this.#onCaret(), { signal });
    const place = () => requestAnimationFrame(() => (this.#list.place(), this.#again.place()));
    window.addEventListener("scroll", place, { signal, capture: true, passive: true });
    window.addEventListener("resize", place, { signal, passive: true });
    window.visualViewport?.addEventListener("resize", place, { signal, passive: true });
  }

  #onKey(event) {
    const intent = intentOf(event, {
      open: this.#list.isOpen,
      active: this.#active,
      count: this.#shown.length,
      atLineEnd: this.#isAtLineEnd(),
      canGoBack: this.#canGoBack(),
    });
    if (!intent) return;
    event.preventDefault();
    event.stopPropagation();
    this.#press(intent);
  }

  #press(intent) {
    this.#tell("key", { intent: intent.do });
    switch (intent.do) {
      case "next":
        return this.#move(1);
      case "previous":
        return this.#move(-1);
      case "accept":
        return this.#accept(this.#shown[intent.at]);
      case "word":
        return this.#acceptWord(this.#shown[intent.at]);
      case "dismiss":
        return this.#close();
      default:
        return this.#goBack();
    }
  }

  #onInput(event) {
    if (this.#replacing) return;
    this.#again.hide();
    // Input methods of phones compose every Latin word; others must be left to finish.
    const composing = event.isComposing;
    if (composing && !(matchMedia("(pointer: coarse)").matches && LATIN.test(event.data ?? ""))) {
      return;
    }
    if (event.inputType === "historyUndo") this.#collapse();
    this.#refresh();
  }

  /** Undo selects the keywords it brings back; one wants to go on after them. */
  #collapse() {
    const { selectionStart, selectionEnd } = this.#box;
    if (selectionStart === this.#accepted?.start) {
      this.#box.setSelectionRange(selectionEnd, selectionEnd);
    }
  }

  #onBlur(event) {
    if (event.relatedTarget === this.#again.element) return;
    this.#close();
    this.#again.hide();
  }

  #onCaret() {
    if (!this.#writing || this.#replacing) return;
    const { selectionStart, selectionEnd } = this.#box;
    const { start, end } = this.#writing;
    if (selectionStart < start || selectionEnd > end) this.#close();
  }

  /** Look at the text, narrow what is shown to what still fits it, and ask for more. */
  #refresh() {
    const { value, selectionStart, selectionEnd } = this.#box;
    const collapsed = selectionStart === selectionEnd;
    const before = this.#writing;
    this.#writing = collapsed ? writingAt(value, selectionEnd, this.#limits) : null;
    if (this.#writing?.start !== before?.start) this.#rejected.clear();
    if (!this.#writing || this.#isAccepted()) return this.#close();
    const { keywords, unfinished, context } = this.#writing;
    this.#active = -1;
    this.#shown = this.#shown.flatMap((one) => {
      const spans = alignment(one.text, keywords, unfinished);
      return spans ? [{ ...one, spans, corrected: [] }] : [];
    });
    if (this.#shown.length > 0) this.#draw();
    else this.#list.hide();
    const n = Math.min(SHOWN + this.#rejected.size, this.#limits.n);
    const question = { keywords, n, prefix: unfinished, context, corrections: true };
    this.#answers.ask(this.#model === null ? question : { ...question, model: this.#model });
  }

  #receive({ suggestions }) {
    const told = suggestions.map((one) => {
      const text = one.text.replace(/\s+/gu, " ").trim();
      const spans = text === one.text ? tidySpans(one.spans, text) : [];
      return { ...one, text, spans };
    });
    this.#shown = chosen(told.filter(({ text }) => !this.#rejected.has(text)), SHOWN);
    this.#active = -1;
    if (this.#shown.length > 0) this.#draw();
    else this.#list.hide();
    this.#announcer.say(countOf(this.#shown));
  }

  #draw() {
    this.#list.show(this.#shown, this.#active, () => this.#rows(this.#writing));
  }

  #rows({ start, end }) {
    return rowsOf(this.#box, start, end);
  }

  /** Through the list and back to the text, around and around. */
  #move(step) {
    const places = this.#shown.length + 1;
    this.#active = ((this.#active + 1 + step + places) % places) - 1;
    this.#list.activate(this.#active);
  }

  #accept({ text }) {
    const { start, end, keywords } = this.#writing;
    this.#close();
    this.#replace(start, end, text);
    this.#accepted = { start, text, keywords };
    this.#again.show(() => this.#rows({ start, end: start + text.length }));
    this.#announcer.say(`Accepted: ${text} Escape brings the keywords back.`);
    this.#tell("accept", { keywords, text, whole: true });
  }

  #acceptWord(suggestion) {
    const { start, end, keywords, unfinished } = this.#writing;
    // Words on the line count as typed even where the service marked others.
    const spans = alignment(suggestion.text, keywords, unfinished) ?? suggestion.spans;
    const text = withNextWord({ ...suggestion, spans });
    if (text === suggestion.text) return this.#accept(suggestion);
    this.#shown = [suggestion, ...this.#shown.filter((one) => one !== suggestion)];
    this.#replace(start, end, text);
    this.#tell("accept", { keywords, text, whole: false });
    return this.#refresh();
  }

  /** The guess was wrong: the keywords stand there again, ready for one more. */
  #goBack() {
    const { start, text, keywords } = this.#accepted;
    this.#accepted = null;
    this.#again.hide();
    this.#replace(start, start + text.length, `${keywords} `);
    const rejected = new Set([...this.#rejected, text]);
    this.#tell("back", { keywords, text });
    this.#writing = { start };
    this.#rejected = rejected;
    this.#refresh();
  }

  #replace(start, end, text) {
    this.#replacing = true;
    try {
      replaceRange(this.#box, start, end, text);
    } finally {
      this.#replacing = false;
    }
  }

  #close() {
    this.#answers.cancel();
    this.#list.hide();
    this.#writing = null;
    this.#shown = [];
    this.#active = -1;
    this.#announcer.say("");
  }

  #isAtLineEnd() {
    const { value, selectionStart, selectionEnd } = this.#box;
    return selectionStart === selectionEnd && lineAt(value, selectionEnd).end === selectionEnd;
  }

  /** Only while the accepted sentence still stands, and the caret is on its line. */
  #canGoBack() {
    if (!this.#accepted) return false;
    const { start, text } = this.#accepted;
    const { value, selectionEnd } = this.#box;
    const line = lineAt(value, selectionEnd);
    return value.startsWith(text, start) && line.start <= start && start < line.end;
  }

  #isAccepted() {
    const { start, end } = this.#writing;
    return this.#accepted?.text === this.#box.value.slice(start, end).trim();
  }

  #tell(name, detail) {
    this.#box.dispatchEvent(new CustomEvent(`tersely:${name}`, { bubbles: true, detail }));
  }
}
