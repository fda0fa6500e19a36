/** Access: a service that others can reach asks for its token. */

import { read, write } from "./storage.js";

/** The token given in the address (`#token=…`), or typed before in this tab. */
export function knownToken() {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given) {
    write("sessionStorage", "token", given);
    history.replaceState(null, "", location.pathname + location.search); // not for the history
  }
  return given ?? read("sessionStorage", "token");
}

/** Ask for it. */
export function askForToken(dialog) {
  const field = dialog.querySelector("input");
  return new Promise((resolve) => {
    dialog.addEventListener(
      "close",
      () => {
        if (field.value) write("sessionStorage", "token", field.value);
        resolve(field.value || null);
        field.value = "";
      },
      { once: true },
    );
    dialog.showModal();
  });
}
