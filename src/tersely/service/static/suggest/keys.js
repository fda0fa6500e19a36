/**
 * What a key means while there is something to choose. Everything else stays what it is:
 * digits, Tab, Enter without a chosen suggestion, arrows without a list.
 */

const DIGIT = /^Digit([1-9])$/;

/**
 * @param event the keydown
 * @param state {open, active, count, atLineEnd, canGoBack}
 * @returns {do: "next" | "previous" | "accept" | "word" | "dismiss" | "back", at?} or null
 */
export function intentOf(event, state) {
  if (event.isComposing || event.keyCode === 229) return null; // the input method's own key
  const { altKey, ctrlKey, metaKey, shiftKey } = event;
  if (altKey && !ctrlKey && !metaKey && !shiftKey) {
    const digit = DIGIT.exec(event.code); // not event.key: with Alt it may be "¡"
    const at = digit ? Number(digit[1]) - 1 : -1;
    return state.open && at >= 0 && at < state.count ? { do: "accept", at } : null;
  }
  if (altKey || ctrlKey || metaKey || shiftKey) return null;
  if (!state.open) return event.key === "Escape" && state.canGoBack ? { do: "back" } : null;
  switch (event.key) {
    case "ArrowDown":
      return { do: "next" };
    case "ArrowUp":
      return { do: "previous" };
    case "Enter":
      return state.active >= 0 ? { do: "accept", at: state.active } : null;
    case "ArrowRight":
      return state.atLineEnd ? { do: "word", at: Math.max(state.active, 0) } : null;
    case "Escape":
      return { do: "dismiss" };
    default:
      return null;
  }
}
