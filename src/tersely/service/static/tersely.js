/**
 * The widget for other sites: <script src="https://…/tersely.js" defer></script>, then
 * <textarea data-tersely></textarea>. Text boxes added later are found too.
 *
 * data-tersely-url    URL of the service; by default where this script was loaded from
 * data-tersely-token  access token, if the service requires one
 *
 * For programs: `await tersely.attach(box, {url, token})` returns a Suggester with `detach()`.
 */
(() => {
  const baseUrl = new URL(".", document.currentScript.src).href;
  const suggesters = new WeakMap(); // text box → promise of its Suggester
  const suggesterModule = import(`${baseUrl}widget/suggester.js`);
  const apiModule = import(`${baseUrl}widget/api.js`);

  function addStyles(root) {
    const parent = root === document ? document.head : root;
    if (parent.querySelector("link[data-tersely-styles]")) return;
    const link = document.createElement("link");
    Object.assign(link, { rel: "stylesheet", crossOrigin: "anonymous" });
    link.href = `${baseUrl}styles/suggestions.css`;
    link.dataset.terselyStyles = "";
    parent.append(link);
  }

  async function attach(box, { url = baseUrl, token = null } = {}) {
    if (suggesters.has(box)) return suggesters.get(box);
    addStyles(box.getRootNode());
    const suggester = Promise.all([suggesterModule, apiModule]).then(
      ([{ Suggester }, { ApiClient }]) => new Suggester(box, new ApiClient(url, token)),
    );
    suggesters.set(box, suggester);
    return suggester;
  }

  function attachWithin(node) {
    const boxes = [...node.querySelectorAll("[data-tersely]")];
    if (node.matches?.("[data-tersely]")) boxes.push(node);
    for (const box of boxes) {
      const { terselyUrl: url, terselyToken: token } = box.dataset;
      attach(box, { url, token });
    }
  }

  function attachToAll() {
    attachWithin(document);
    new MutationObserver((mutations) => {
      for (const { addedNodes } of mutations) {
        for (const node of addedNodes) if (node instanceof Element) attachWithin(node);
      }
    }).observe(document.documentElement, { childList: true, subtree: true });
  }

  window.tersely = Object.freeze({ attach });
  if (document.readyState === "loading") {
    document.addEventListener("DOMContentLoaded", attachToAll);
  } else {
    attachToAll();
  }
})();
