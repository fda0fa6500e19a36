/**
 * Which words of a sentence would have been enough: every word shaded by how likely the model
 * would keep it, those to type underlined, and a slider for how many that may be.
 */

import { make } from "../suggest/elements.js";
import { unitsOf } from "../suggest/words.js";

const REST_MS = 120;

export class EnoughPanel {
  #service;
  #parts;
  #onTrouble;
  #written = ""; // the sentence in the text; what is in the panel's own field goes first
  #budget = null; // as the model would choose
  #asked = "";
  #turn = 0;
  #controller = null;
  #timer = 0;

  /** The most characters the service takes. */
  longest = 200;

  /** @param parts the elements {field, shaded, summary, slider, share, free} */
  constructor(service, parts, onTrouble) {
    this.#service = service;
    this.#parts = parts;
    this.#onTrouble = onTrouble;
    parts.field.addEventListener("input", () => this.#soon());
    parts.slider.addEventListener("input", () => this.#choose(Number(parts.slider.value) / 100));
    parts.free.addEventListener("click", () => {
      this.#choose(null);
      parts.slider.focus();
    });
  }

  /** Look at the sentence that was just written, unless a person put another one here. */
  follow(sentence) {
    this.#written = sentence;
    if (this.#parts.field.value.trim() === "") this.#soon();
  }

  #choose(budget) {
    this.#budget = budget;
    this.#parts.free.hidden = budget === null;
    if (budget !== null) this.#parts.share.textContent = `${Math.round(100 * budget)} %`;
    this.#soon();
  }

  #soon() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#look(), REST_MS);
  }

  async #look() {
    const sentence = this.#parts.field.value.trim() || this.#written;
    const question = JSON.stringify([sentence, this.#budget]);
    if (question === this.#asked) return;
    this.#asked = question;
    const turn = (this.#turn += 1);
    this.#controller?.abort();
    this.#controller = new AbortController();
    if (sentence === "") return this.#say("");
    if ([...sentence].length > this.longest) {
      return this.#say(`Only sentences of up to ${this.longest} characters can be looked at.`);
    }
    try {
      const answer = await this.#service.keywords(sentence, this.#budget, this.#controller.signal);
      if (turn === this.#turn) this.#show(sentence, answer);
    } catch (error) {
      if (turn !== this.#turn || error.name === "AbortError") return;
      this.#asked = "";
      this.#onTrouble(error);
      if (error.retryAfter) this.#timer = setTimeout(() => this.#look(), 1000 * error.retryAfter);
    }
  }

  #say(text) {
    this.#parts.shaded.hidden = true;
    this.#parts.summary.textContent = text;
  }

  #show(sentence, { keywords, tokens, typed_characters: typed, sentence_characters: all }) {
    this.#parts.shaded.hidden = false;
    this.#parts.shaded.replaceChildren(...shadedPieces(sentence, tokens));
    const saved = all > 0 ? Math.round(100 * (1 - typed / all)) : 0;
    const words = make("strong", {}, keywords.join(" ") || "nothing");
    this.#parts.summary.replaceChildren(words, ` ${typed} of ${all} characters, ${saved} % saved`);
    if (this.#budget !== null) return;
    const spoken = tokens.filter((token) => token.end > token.start);
    const share = spoken.filter((token) => token.typed).length / Math.max(spoken.length, 1);
    this.#parts.slider.value = String(Math.round(100 * share));
    this.#parts.share.textContent = "as the model would";
  }
}

/** The sentence as it stands, its tokens shaded; what no token covers stays plain. */
function shadedPieces(sentence, tokens) {
  const pieces = [];
  const units = unitsOf(sentence);
  let from = 0;
  for (const { start: first, end: after, keep, typed } of tokens) {
    const [start, end] = [units[first], units[after]];
    if (!(from <= start && start < end)) continue; // <shift> takes no room
    if (from < start) pieces.push(sentence.slice(from, start));
    const token = make("span", { class: typed ? "token token-typed" : "token" });
    token.textContent = sentence.slice(start, end);
    token.title = `kept with ${Math.round(100 * keep)} %`;
    token.style.setProperty("--keep", String(keep));
    pieces.push(token);
    from = end;
  }
  pieces.push(sentence.slice(from));
  return pieces;
}
