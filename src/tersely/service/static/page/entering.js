/** Access: a service that others can reach asks for its token. */

import { read, write } from "./storage.js";

/** The token typed before in this tab. */
export function tokenOfThisTab() {
  return read("sessionStorage", "token");
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
