/**
 * Answers to the question asked last, and to no other.
 *
 * A new question aborts the one before it, and its number must still be the newest when the
 * answer comes. Answers are kept, so that going back a letter needs no request. The first key
 * after a rest asks at once; within a burst the question goes out when the fingers pause.
 */

const KEPT = 300;
const BURST_MS = 45;

export class Answers {
  #service;
  #onAnswer;
  #onTrouble;
  #kept = new Map();
  #turn = 0;
  #controller = null;
  #timer = 0;
  #lastAsked = -Infinity;

  /** @param onTrouble gets a Trouble, or null when an answer came after one */
  constructor(service, { onAnswer, onTrouble }) {
    this.#service = service;
    this.#onAnswer = onAnswer;
    this.#onTrouble = onTrouble;
  }

  ask(question) {
    this.cancel();
    const key = JSON.stringify(question);
    const known = this.#kept.get(key);
    const inBurst = performance.now() - this.#lastAsked < BURST_MS;
    this.#lastAsked = performance.now();
    if (known) {
      this.#keep(key, known);
      this.#onAnswer(known);
    } else if (inBurst) {
      this.#timer = setTimeout(() => this.#send(question, key), BURST_MS);
    } else {
      this.#send(question, key);
    }
  }

  /** Whatever is under way will not be heard of again. */
  cancel() {
    this.#turn += 1;
    this.#controller?.abort();
    this.#controller = null;
    clearTimeout(this.#timer);
  }

  /** What was kept may not hold any more: the memory has changed, or the model. */
  forget() {
    this.#kept.clear();
  }

  async #send(question, key) {
    const turn = this.#turn;
    this.#controller = new AbortController();
    try {
      const answer = await this.#service.complete(question, this.#controller.signal);
      if (turn !== this.#turn) return;
      this.#keep(key, answer);
      this.#onTrouble(null);
      this.#onAnswer(answer);
    } catch (error) {
      if (turn !== this.#turn || error.name === "AbortError") return;
      this.#onTrouble(error);
      if (!error.retryAfter) return;
      this.#timer = setTimeout(() => this.#send(question, key), error.retryAfter * 1000);
    }
  }

  #keep(key, answer) {
    this.#kept.delete(key);
    this.#kept.set(key, answer); // a Map remembers its order: the oldest is first
    if (this.#kept.size > KEPT) this.#kept.delete(this.#kept.keys().next().value);
  }
}
