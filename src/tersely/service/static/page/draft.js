/** The draft in the editor: it survives a reload of its tab and is stored nowhere else. */

import { readItem, writeItem } from "./storage.js";

/** Restore the saved draft and save it on changes. */
export function persistDraft(box) {
  box.value = readItem("sessionStorage", "draft") ?? "";
  const save = () => writeItem("sessionStorage", "draft", box.value);
  box.addEventListener("change", save);
  window.addEventListener("pagehide", save);
  document.addEventListener("visibilitychange", save);
}

/** Grow a text box with its text, in browsers without `field-sizing`. */
export function growWithText(box) {
  if (CSS.supports("field-sizing", "content")) return;
  const resize = () => {
    box.style.height = "auto";
    box.style.height = `${box.scrollHeight}px`;
  };
  box.addEventListener("input", resize);
  resize();
}
