/** The memory panel: what is remembered, and how to look at it, search it, forget it, take it along. */

import { make } from "../suggest/elements.js";

const LISTED = 100;
const REST_MS = 150;

export class MemoryPanel {
  #service;
  #parts;
  #hooks;
  #isOn = false;
  #turn = 0;
  #timer = 0;

  /**
   * @param parts the elements {toggle, about, body, search, list, count, save, forgetAll, dialog}
   * @param hooks {onChange, onTrouble, onDone}
   */
  constructor(service, parts, hooks) {
    this.#service = service;
    this.#parts = parts;
    this.#hooks = hooks;
    parts.toggle.addEventListener("click", () => this.#try(() => this.#switch(!this.#isOn)));
    parts.search.addEventListener("input", () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#try(() => this.#list()), REST_MS);
    });
    parts.save.addEventListener("click", () => this.#try(() => this.#export()));
    parts.forgetAll.addEventListener("click", () => parts.dialog.showModal());
    parts.dialog.addEventListener("close", () => {
      if (parts.dialog.returnValue === "forget") this.#try(() => this.#forgetAll());
      parts.dialog.returnValue = "";
    });
  }

  /** Show what the service says of its memory. */
  start({ available, on }) {
    this.#parts.toggle.disabled = !available;
    this.#setOn(available && on);
    if (!available) {
      this.#parts.about.textContent = "Only offered by a service that nobody else can reach.";
    } else if (on) {
      this.#try(() => this.#list());
    }
  }

  /** Remember a sentence, if that is switched on. */
  remember(text) {
    if (!this.#isOn) return;
    this.#try(async () => {
      await this.#service.remember(text);
      await this.#changed();
    });
  }

  async #try(work) {
    try {
      await work();
    } catch (error) {
      this.#hooks.onTrouble(error);
    }
  }

  async #switch(on) {
    await this.#service.switchMemory(on);
    this.#setOn(on);
    await this.#changed();
  }

  #setOn(on) {
    this.#isOn = on;
    this.#parts.toggle.setAttribute("aria-checked", String(on));
    this.#parts.body.hidden = !on;
    this.#parts.about.textContent = on
      ? "On: sentences you accept or finish are kept in one file on this computer."
      : "Off: nothing you write is kept.";
  }

  async #changed() {
    this.#hooks.onChange();
    if (this.#isOn) await this.#list();
  }

  async #list() {
    const turn = (this.#turn += 1);
    const answer = await this.#service.remembered(this.#parts.search.value, LISTED);
    if (turn !== this.#turn) return;
    this.#parts.list.replaceChildren(...answer.sentences.map((one) => this.#row(one)));
    const shown = answer.sentences.length;
    this.#parts.count.textContent = countOf(shown, answer.total);
    this.#parts.forgetAll.disabled = this.#parts.save.disabled = answer.total === 0;
  }

  #row({ text, times }) {
    const forget = make("button", { class: "plain", type: "button" }, "Forget");
    forget.setAttribute("aria-label", `Forget: ${text}`);
    forget.addEventListener("click", () =>
      this.#try(async () => {
        await this.#service.forget(text);
        await this.#changed();
        this.#parts.search.focus(); // the button that had the focus is gone
      }),
    );
    const used = times > 1 ? [make("span", { class: "quiet" }, ` ×${times}`)] : [];
    return make("li", {}, make("span", {}, text, ...used), forget);
  }

  async #forgetAll() {
    await this.#service.forgetAll();
    await this.#changed();
    this.#hooks.onDone("Everything remembered is forgotten.");
  }

  async #export() {
    const url = URL.createObjectURL(await this.#service.exportMemory());
    make("a", { href: url, download: "tersely-memory.txt" }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  }
}

function countOf(shown, total) {
  if (total === 0) return "Nothing is remembered yet.";
  if (shown === 0) return "None with these words.";
  return shown === total ? `${total} remembered` : `${shown} of ${total}`;
}
