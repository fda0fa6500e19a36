/** Operations on a text box: replace text so that it can be undone, and measure text. */

/** The styles that decide where the text of a box is laid out. */
const LAYOUT_STYLES = [
  "boxSizing", "direction", "fontFamily", "fontFeatureSettings", "fontKerning", "fontSize",
  "fontStretch", "fontStyle", "fontVariant", "fontVariationSettings", "fontWeight",
  "letterSpacing", "lineHeight", "paddingBottom", "paddingLeft", "paddingRight", "paddingTop",
  "tabSize", "textAlign", "textIndent", "textTransform", "wordBreak", "wordSpacing",
];

/**
 * Replace a range of the text and put the caret after it, as typing would.
 *
 * `execCommand` is deprecated, but no other way keeps the undo history in every browser. Where
 * it is refused, the text is set directly and the input event is dispatched.
 */
export function replaceRange(box, start, end, text) {
  const expected = box.value.slice(0, start) + text + box.value.slice(end);
  box.focus({ preventScroll: true });
  box.setSelectionRange(start, end);
  const command = text === "" ? "delete" : "insertText";
  if (box.ownerDocument.execCommand(command, false, text) && box.value === expected) return;
  box.setRangeText(text, start, box.value.length - (expected.length - start - text.length), "end");
  box.dispatchEvent(
    new InputEvent("input", { bubbles: true, inputType: "insertReplacementText", data: text }),
  );
}

/**
 * Return the rectangle of a range of the text: {top, bottom, left, width} in the viewport.
 *
 * A text box has no API for the positions of its characters, so a hidden copy is measured.
 */
export function measureRange(box, start, end) {
  const boxRect = box.getBoundingClientRect();
  const style = getComputedStyle(box);
  const left = boxRect.left + box.clientLeft + Number.parseFloat(style.paddingLeft);
  const padding = Number.parseFloat(style.paddingLeft) + Number.parseFloat(style.paddingRight);
  const width = box.clientWidth - padding;
  if (box.localName !== "textarea") {
    return { top: boxRect.top, bottom: boxRect.bottom, left, width };
  }
  const copy = createHiddenCopy(box, style);
  const range = document.createRange();
  const text = copy.firstChild;
  range.setStart(text, start);
  range.setEnd(text, Math.min(end + 1, text.length)); // include the zero-width space
  const copyRect = copy.getBoundingClientRect();
  const rangeRect = range.getBoundingClientRect();
  copy.remove();
  const offset = boxRect.top + box.clientTop - box.scrollTop - copyRect.top;
  return { top: rangeRect.top + offset, bottom: rangeRect.bottom + offset, left, width };
}

function createHiddenCopy(box, style) {
  const copy = document.createElement("div");
  for (const name of LAYOUT_STYLES) copy.style[name] = style[name];
  Object.assign(copy.style, {
    position: "absolute",
    insetInlineStart: "0",
    insetBlockStart: "0",
    visibility: "hidden",
    pointerEvents: "none",
    whiteSpace: "pre-wrap",
    overflowWrap: "break-word",
    width: `${box.clientWidth}px`,
    boxSizing: "border-box",
    border: "0",
  });
  copy.setAttribute("aria-hidden", "true");
  copy.append(`${box.value}\u200b`); // the zero-width space gives an empty last line its height
  document.body.append(copy);
  return copy;
}
