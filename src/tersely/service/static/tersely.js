/**
 * tersely for any site: <script src="https://…/tersely.js" defer></script>, then
 * <textarea data-tersely></textarea>. Boxes that come later are found too.
 *
 * data-tersely-url    where the service is; where this script came from, if not given
 * data-tersely-token  the service's access token, if it asks for one
 *
 * For programs: `await tersely.attach(box, {url, token})` gives a Suggester with `detach()`.
 */
(() => {
  const home = new URL(".", document.currentScript.src).href;
  const attached = new WeakMap();
  const modules = import(`${home}suggest/suggester.js`);
  const service = import(`${home}suggest/service.js`);

  function addStyles(root) {
    const place = root === document ? document.head : root;
    if (place.querySelector("link[data-tersely-styles]")) return;
    const link = document.createElement("link");
    Object.assign(link, { rel: "stylesheet", crossOrigin: "anonymous" });
    link.href = `${home}styles/suggestions.css`;
    link.dataset.terselyStyles = "";
    place.append(link);
  }

  async function attach(box, { url = home, token = null } = {}) {
    if (attached.has(box)) return attached.get(box);
    addStyles(box.getRootNode());
    const made = Promise.all([modules, service]).then(
      ([{ Suggester }, { Service }]) => new Suggester(box, new Service(url, token)),
    );
    attached.set(box, made);
    return made;
  }

  function attachWithin(node) {
    const boxes = [...node.querySelectorAll("[data-tersely]")];
    if (node.matches?.("[data-tersely]")) boxes.push(node);
    for (const box of boxes) {
      const { terselyUrl: url, terselyToken: token } = box.dataset;
      attach(box, { url, token });
    }
  }

  function watch() {
    attachWithin(document);
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes) {
        for (const node of addedNodes) if (node instanceof Element) attachWithin(node);
      }
    }).observe(document.documentElement, { childList: true, subtree: true });
  }

  window.tersely = Object.freeze({ attach });
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", watch);
  else watch();
})();
