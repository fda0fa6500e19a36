/** The memory panel: lists, searches, forgets and exports remembered sentences. */

import { createElement } from "../widget/elements.js";

const MAX_LISTED = 100;
const DEBOUNCE_MS = 150;
const URL_LIFETIME_MS = 10_000;

export class MemoryPanel {
  #api;
  #elements;
  #callbacks;
  #isOn = false;
  #latestId = 0;
  #timer = 0;

  /**
   * @param elements {toggle, about, body, search, list, count, exportButton, forgetAll, dialog}
   * @param callbacks {onChange, onError, onForgottenAll}
   */
  constructor(api, elements, callbacks) {
    this.#api = api;
    this.#elements = elements;
    this.#callbacks = callbacks;
    elements.toggle.addEventListener("click", () => this.#run(() => this.#setOn(!this.#isOn)));
    elements.search.addEventListener("input", () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#run(() => this.#loadList()), DEBOUNCE_MS);
    });
    elements.exportButton.addEventListener("click", () => this.#run(() => this.#export()));
    elements.forgetAll.addEventListener("click", () => elements.dialog.showModal());
    elements.dialog.addEventListener("close", () => {
      if (elements.dialog.returnValue === "forget") this.#run(() => this.#forgetAll());
      elements.dialog.returnValue = "";
    });
  }

  /** Show the memory settings of the service. */
  start({ available, on }) {
    this.#elements.toggle.disabled = !available;
    this.#showState(available && on);
    if (!available) {
      this.#elements.about.textContent = "Only offered by a service that nobody else can reach.";
    } else if (on) {
      this.#run(() => this.#loadList());
    }
  }

  /** Remember a sentence, if the memory is on. */
  remember(sentence) {
    if (!this.#isOn) return;
    this.#run(async () => {
      await this.#api.remember(sentence);
      await this.#update();
    });
  }

  async #run(task) {
    try {
      await task();
    } catch (error) {
      this.#callbacks.onError(error);
    }
  }

  async #setOn(on) {
    await this.#api.setMemoryOn(on);
    this.#showState(on);
    await this.#update();
  }

  #showState(on) {
    this.#isOn = on;
    this.#elements.toggle.setAttribute("aria-checked", String(on));
    this.#elements.body.hidden = !on;
    this.#elements.about.textContent = on
      ? "On: sentences you accept or finish are kept in one file on this computer."
      : "Off: nothing you write is kept.";
  }

  async #update() {
    this.#callbacks.onChange();
    if (this.#isOn) await this.#loadList();
  }

  async #loadList() {
    const id = (this.#latestId += 1);
    const search = this.#elements.search.value;
    const { sentences, total } = await this.#api.rememberedSentences(search, MAX_LISTED);
    if (id !== this.#latestId) return;
    this.#elements.list.replaceChildren(
      ...sentences.map((sentence) => this.#createRow(sentence)),
    );
    this.#elements.count.textContent = formatCount(sentences.length, total);
    this.#elements.forgetAll.disabled = this.#elements.exportButton.disabled = total === 0;
  }

  #createRow({ text, times }) {
    const forget = createElement("button", { class: "text-button", type: "button" }, "Forget");
    forget.setAttribute("aria-label", `Forget: ${text}`);
    forget.addEventListener("click", () =>
      this.#run(async () => {
        await this.#api.forget(text);
        await this.#update();
        this.#elements.search.focus(); // the focused button has been removed
      }),
    );
    const count = times > 1 ? [createElement("span", { class: "secondary" }, ` ×${times}`)] : [];
    return createElement("li", {}, createElement("span", {}, text, ...count), forget);
  }

  async #forgetAll() {
    await this.#api.forgetAll();
    await this.#update();
    this.#callbacks.onForgottenAll();
  }

  async #export() {
    const url = URL.createObjectURL(await this.#api.exportMemory());
    createElement("a", { href: url, download: "tersely-memory.txt" }).click();
    setTimeout(() => URL.revokeObjectURL(url), URL_LIFETIME_MS);
  }
}

function formatCount(shown, total) {
  if (total === 0) return "Nothing is remembered yet.";
  if (shown === 0) return "None with these words.";
  return shown === total ? `${total} remembered` : `${shown} of ${total}`;
}
