/** Client of the REST service: JSON over fetch, and errors with a time to retry after. */

const NETWORK_RETRY_SECONDS = 2;
const MAX_RETRY_SECONDS = 30;

/** A failed request; `retryAfter` is in seconds, or null if a retry cannot help. */
export class ServiceError extends Error {
  constructor(message, { status = 0, code = "", retryAfter = null } = {}) {
    super(message);
    Object.assign(this, { name: "ServiceError", status, code, retryAfter });
  }
}

export class ApiClient {
  /**
   * @param {string | URL} url of the service
   * @param {string | null} token access token, if the service requires one
   */
  constructor(url, token = null) {
    this.url = new URL(url);
    if (!this.url.pathname.endsWith("/")) this.url.pathname += "/";
    this.token = token;
  }

  complete(request, signal) {
    return this.#request("POST", "v1/complete", { body: { model: null, ...request }, signal });
  }

  keywords(sentence, budget, signal) {
    return this.#request("POST", "v1/keywords", { body: { sentence, budget }, signal });
  }

  models() {
    return this.#request("GET", "v1/models");
  }

  settings() {
    return this.#request("GET", "v1/settings");
  }

  setMemoryOn(on) {
    return this.#request("PUT", "v1/memory", { body: { on } });
  }

  rememberedSentences(search, limit) {
    const query = new URLSearchParams({ search, limit });
    return this.#request("GET", `v1/memory?${query}`);
  }

  remember(text) {
    return this.#request("POST", "v1/memory", { body: { text } });
  }

  forget(text) {
    return this.#request("DELETE", "v1/memory", { body: { text } });
  }

  forgetAll() {
    return this.#request("DELETE", "v1/memory", { body: { all: true } });
  }

  async exportMemory() {
    return (await this.#fetch("GET", "v1/memory/export")).blob();
  }

  async #request(method, path, options) {
    const response = await this.#fetch(method, path, options);
    const text = await response.text();
    return text === "" ? null : JSON.parse(text);
  }

  async #fetch(method, path, { body, signal } = {}) {
    const headers = { Accept: "application/json" };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    if (this.token) headers.Authorization = `Bearer ${this.token}`;
    const options = { method, headers, signal, body: body && JSON.stringify(body) };
    let response;
    try {
      response = await fetch(new URL(path, this.url), { ...options, credentials: "same-origin" });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      const retryAfter = NETWORK_RETRY_SECONDS;
      throw new ServiceError("The service cannot be reached.", { retryAfter });
    }
    if (!response.ok) throw await readError(response);
    return response;
  }
}

async function readError(response) {
  const { error } = await response.json().catch(() => ({}));
  const seconds = Number.parseInt(response.headers.get("Retry-After") ?? "", 10);
  const isTemporary = response.status === 429 || response.status >= 500;
  const retryAfter = Math.min(Math.max(seconds || NETWORK_RETRY_SECONDS, 1), MAX_RETRY_SECONDS);
  return new ServiceError(error?.message ?? `The service answered with ${response.status}.`, {
    status: response.status,
    code: error?.code ?? "",
    retryAfter: isTemporary ? retryAfter : null,
  });
}
