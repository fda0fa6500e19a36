/** Light or dark: as the system says, until a person chooses. */

import { write } from "./storage.js";

export function switchAppearance(button) {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.appearance ?? (system.matches ? "dark" : "light")) === "dark";
  const show = () => button.setAttribute("aria-pressed", String(isDark()));
  button.addEventListener("click", () => {
    root.dataset.appearance = isDark() ? "light" : "dark";
    write("localStorage", "appearance", root.dataset.appearance);
    show();
  });
  system.addEventListener("change", show);
  show();
}
