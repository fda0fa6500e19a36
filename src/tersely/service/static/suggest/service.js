/** The service, as its API tells: JSON over fetch, and errors that say when to try again. */

const NETWORK_RETRY_SECONDS = 2;

/** What went wrong, in a sentence for people; `retryAfter` in seconds where trying again may help. */
export class Trouble extends Error {
  constructor(message, { status = 0, code = "", retryAfter = null } = {}) {
    super(message);
    Object.assign(this, { name: "Trouble", status, code, retryAfter });
  }
}

export class Service {
  /** @param url where the service is; @param token its access token, if it asks for one */
  constructor(url, token = null) {
    this.url = new URL(url);
    if (!this.url.pathname.endsWith("/")) this.url.pathname += "/";
    this.token = token;
  }

  complete(question, signal) {
    return this.#ask("POST", "v1/complete", { body: { model: null, ...question }, signal });
  }

  keywords(sentence, budget, signal) {
    return this.#ask("POST", "v1/keywords", { body: { sentence, budget }, signal });
  }

  models() {
    return this.#ask("GET", "v1/models");
  }

  settings() {
    return this.#ask("GET", "v1/settings");
  }

  switchMemory(on) {
    return this.#ask("PUT", "v1/memory", { body: { on } });
  }

  remembered(search, limit, signal) {
    const query = new URLSearchParams({ search, limit });
    return this.#ask("GET", `v1/memory?${query}`, { signal });
  }

  remember(text) {
    return this.#ask("POST", "v1/memory", { body: { text } });
  }

  forget(text) {
    return this.#ask("DELETE", "v1/memory", { body: { text } });
  }

  forgetAll() {
    return this.#ask("DELETE", "v1/memory", { body: { all: true } });
  }

  async exportMemory() {
    return (await this.#fetch("GET", "v1/memory/export")).blob();
  }

  async #ask(method, path, options) {
    const response = await this.#fetch(method, path, options);
    const text = await response.text();
    return text === "" ? null : JSON.parse(text);
  }

  async #fetch(method, path, { body, signal } = {}) {
    const headers = { Accept: "application/json" };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    if (this.token) headers.Authorization = `Bearer ${this.token}`;
    const request = { method, headers, signal, body: body && JSON.stringify(body) };
    let response;
    try {
      response = await fetch(new URL(path, this.url), { ...request, credentials: "same-origin" });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new Trouble("The service cannot be reached.", { retryAfter: NETWORK_RETRY_SECONDS });
    }
    if (!response.ok) throw await troubleOf(response);
    return response;
  }
}

async function troubleOf(response) {
  const { error } = await response.json().catch(() => ({}));
  const wait = Number.parseInt(response.headers.get("Retry-After") ?? "", 10);
  const mayPass = response.status === 429 || response.status >= 500;
  return new Trouble(error?.message ?? `The service answered with ${response.status}.`, {
    status: response.status,
    code: error?.code ?? "",
    retryAfter: mayPass ? Math.min(Math.max(wait || NETWORK_RETRY_SECONDS, 1), 30) : null,
  });
}
