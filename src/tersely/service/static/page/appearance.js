/** The light or dark appearance: that of the system until the user chooses one. */

import { writeItem } from "./storage.js";

export function setUpAppearanceButton(button) {
  const root = document.documentElement;
  const systemDark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () =>
    (root.dataset.appearance ?? (systemDark.matches ? "dark" : "light")) === "dark";
  const update = () => button.setAttribute("aria-pressed", String(isDark()));
  button.addEventListener("click", () => {
    root.dataset.appearance = isDark() ? "light" : "dark";
    writeItem("localStorage", "appearance", root.dataset.appearance);
    update();
  });
  systemDark.addEventListener("change", update);
  update();
}
