/**
 * Loads completions for the latest request only.
 *
 * A new request aborts the previous one, and a response is delivered only if its request is
 * still the latest. Responses are cached, so that deleting a character needs no request. The
 * first request after a pause is sent at once; within a burst of keys, requests are debounced.
 */

const CACHE_SIZE = 300;
const DEBOUNCE_MS = 45;

export class CompletionLoader {
  #api;
  #onResponse;
  #onError;
  #cache = new Map();
  #latestId = 0;
  #controller = null;
  #timer = 0;
  #lastRequestTime = -Infinity;

  /**
   * @param {import("./api.js").ApiClient} api
   * @param {{onResponse: Function, onError: Function}} callbacks `onError` receives a
   *   ServiceError, and null when a response follows an error
   */
  constructor(api, { onResponse, onError }) {
    this.#api = api;
    this.#onResponse = onResponse;
    this.#onError = onError;
  }

  load(request) {
    this.cancel();
    const key = JSON.stringify(request);
    const cached = this.#cache.get(key);
    const isBurst = performance.now() - this.#lastRequestTime < DEBOUNCE_MS;
    this.#lastRequestTime = performance.now();
    if (cached) {
      this.#store(key, cached);
      this.#onResponse(cached);
    } else if (isBurst) {
      this.#timer = setTimeout(() => this.#send(request, key), DEBOUNCE_MS);
    } else {
      this.#send(request, key);
    }
  }

  /** Abort the pending request; its response is not delivered. */
  cancel() {
    this.#latestId += 1;
    this.#controller?.abort();
    this.#controller = null;
    clearTimeout(this.#timer);
  }

  /** Clear the cache; call this after a change of the memory or the model. */
  clearCache() {
    this.#cache.clear();
  }

  async #send(request, key) {
    const id = this.#latestId;
    this.#controller = new AbortController();
    try {
      const response = await this.#api.complete(request, this.#controller.signal);
      if (id !== this.#latestId) return;
      this.#store(key, response);
      this.#onError(null);
      this.#onResponse(response);
    } catch (error) {
      if (id !== this.#latestId || error.name === "AbortError") return;
      this.#onError(error);
      if (!error.retryAfter) return;
      this.#timer = setTimeout(() => this.#send(request, key), error.retryAfter * 1000);
    }
  }

  #store(key, response) {
    this.#cache.delete(key);
    this.#cache.set(key, response); // a Map keeps insertion order: the oldest entry is first
    if (this.#cache.size > CACHE_SIZE) this.#cache.delete(this.#cache.keys().next().value);
  }
}
