/**
 * Where on the screen a piece of a text box stands, and how to float something beside it.
 *
 * A text box does not tell where its letters are, so the same text is laid out in a hidden copy.
 */

const COPIED = [
  "boxSizing", "direction", "fontFamily", "fontFeatureSettings", "fontKerning", "fontSize",
  "fontStretch", "fontStyle", "fontVariant", "fontVariationSettings", "fontWeight",
  "letterSpacing", "lineHeight", "paddingBottom", "paddingLeft", "paddingRight", "paddingTop",
  "tabSize", "textAlign", "textIndent", "textTransform", "wordBreak", "wordSpacing",
];
const GAP = 6;
const MARGIN = 8;

/** The rows that a range of the box covers: {top, bottom, left, width} in the viewport. */
export function rowsOf(box, start, end) {
  const frame = box.getBoundingClientRect();
  const style = getComputedStyle(box);
  const left = frame.left + box.clientLeft + Number.parseFloat(style.paddingLeft);
  const padding = Number.parseFloat(style.paddingLeft) + Number.parseFloat(style.paddingRight);
  const width = box.clientWidth - padding;
  if (box.localName !== "textarea") return { top: frame.top, bottom: frame.bottom, left, width };
  const copy = copyOf(box, style);
  const range = document.createRange();
  const letters = copy.firstChild;
  range.setStart(letters, start);
  range.setEnd(letters, Math.min(end + 1, letters.length)); // the blank put after the last row
  const origin = copy.getBoundingClientRect();
  const rows = range.getBoundingClientRect();
  copy.remove();
  const shift = frame.top + box.clientTop - box.scrollTop - origin.top;
  return { top: rows.top + shift, bottom: rows.bottom + shift, left, width };
}

function copyOf(box, style) {
  const copy = document.createElement("div");
  for (const name of COPIED) copy.style[name] = style[name];
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
  copy.append(`${box.value}\u200b`); // a row exists only where a letter is
  document.body.append(copy);
  return copy;
}

/** Float an element under these rows, or above them where there is no room below. */
export function floatBeside(element, rows) {
  const view = window.visualViewport ?? { height: innerHeight, width: innerWidth, offsetTop: 0 };
  const inset = Number.parseFloat(getComputedStyle(element).getPropertyValue("--tersely-inset")) || 0;
  const room = view.width - 2 * MARGIN;
  element.style.maxWidth = `${Math.min(rows.width + 2 * inset, room)}px`;
  const { width, height } = element.getBoundingClientRect();
  const bottom = view.offsetTop + view.height - MARGIN;
  const fitsBelow = rows.bottom + GAP + height <= bottom || rows.top - GAP - height < MARGIN;
  const top = fitsBelow ? rows.bottom + GAP : rows.top - GAP - height;
  const left = Math.max(MARGIN, Math.min(rows.left - inset, view.width - width - MARGIN));
  Object.assign(element.style, { top: `${Math.round(top)}px`, left: `${Math.round(left)}px` });
}

/** Show an element over everything, whatever the site's stacking and clipping. */
export function raise(element) {
  if (element.matches(":popover-open")) return;
  element.hidden = false;
  element.showPopover?.();
}

/** And take it away. */
export function lower(element) {
  if (element.matches(":popover-open")) element.hidePopover();
  element.hidden = true;
}
