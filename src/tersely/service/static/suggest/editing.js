/** Change text in a box the way typing does, so that Ctrl+Z takes it back. */

/**
 * Put text in place of a range, with the caret after it.
 *
 * `execCommand` is deprecated, but the only way that keeps the undo history in every browser;
 * where it is refused, the text is set and the event sent that it would have sent.
 */
export function replaceRange(box, start, end, text) {
  const wanted = box.value.slice(0, start) + text + box.value.slice(end);
  box.focus({ preventScroll: true });
  box.setSelectionRange(start, end);
  const command = text === "" ? "delete" : "insertText";
  if (box.ownerDocument.execCommand(command, false, text) && box.value === wanted) return;
  box.setRangeText(text, start, box.value.length - (wanted.length - start - text.length), "end");
  box.dispatchEvent(
    new InputEvent("input", { bubbles: true, inputType: "insertReplacementText", data: text }),
  );
}
