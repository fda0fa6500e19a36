/* Before anything is drawn: the appearance chosen last time. See appearance.js. */
{
  let chosen = null;
  try {
    chosen = localStorage.getItem("tersely.appearance");
  } catch {
    // Storage may be forbidden; then the system's appearance holds.
  }
  if (chosen === "dark" || chosen === "light") document.documentElement.dataset.appearance = chosen;
}
