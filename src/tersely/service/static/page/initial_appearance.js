/* Sets the saved appearance before the page is drawn, so that it does not flash. */
{
  let saved = null;
  try {
    saved = localStorage.getItem("tersely.appearance");
  } catch {
    // Storage may be forbidden; the appearance of the system applies then.
  }
  if (saved === "dark" || saved === "light") document.documentElement.dataset.appearance = saved;
}
