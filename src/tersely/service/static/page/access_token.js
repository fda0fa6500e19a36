/** The access token that a service on the network requires. */

import { readItem, writeItem } from "./storage.js";

/** Return the token entered before in this tab, or null. */
export function savedToken() {
  return readItem("sessionStorage", "token");
}

/** Open a dialog; resolve to the token entered, or null. */
export function promptForToken(dialog) {
  const field = dialog.querySelector("input");
  return new Promise((resolve) => {
    dialog.addEventListener(
      "close",
      () => {
        if (field.value) writeItem("sessionStorage", "token", field.value);
        resolve(field.value || null);
        field.value = "";
      },
      { once: true },
    );
    dialog.showModal();
  });
}
