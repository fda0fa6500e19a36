/** The text outlives a reload of its tab, and nothing else: it is kept nowhere but here. */

import { read, write } from "./storage.js";

export function keepDraft(box) {
  box.value = read("sessionStorage", "draft") ?? "";
  const keep = () => write("sessionStorage", "draft", box.value);
  box.addEventListener("change", keep);
  window.addEventListener("pagehide", keep);
  document.addEventListener("visibilitychange", keep);
}

/** Where the browser cannot fit a box to its text, do it. */
export function fitToText(box) {
  if (CSS.supports("field-sizing", "content")) return;
  const fit = () => {
    box.style.height = "auto";
    box.style.height = `${box.scrollHeight}px`;
  };
  box.addEventListener("input", fit);
  fit();
}
