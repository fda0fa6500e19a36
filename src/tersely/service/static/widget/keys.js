/**
 * Key bindings of the suggestion list. Every other key keeps its meaning: digits, Tab, Enter
 * without a selected suggestion, arrows without a list.
 */

const DIGIT = /^Digit([1-9])$/;

/**
 * Return the action of a key, or null.
 *
 * @param {KeyboardEvent} event
 * @param {{isOpen: boolean, selected: number, count: number, isAtLineEnd: boolean,
 *   canUndo: boolean}} state
 * @returns {{name: "next" | "previous" | "accept" | "acceptWord" | "dismiss" | "undo",
 *   index?: number} | null}
 */
export function actionForKey(event, state) {
  if (event.isComposing || event.keyCode === 229) return null; // handled by the input method
  const { altKey, ctrlKey, metaKey, shiftKey } = event;
  if (altKey && !ctrlKey && !metaKey && !shiftKey) {
    const digit = DIGIT.exec(event.code); // not event.key: with Alt it may be "¡"
    const index = digit ? Number(digit[1]) - 1 : -1;
    return state.isOpen && index >= 0 && index < state.count ? { name: "accept", index } : null;
  }
  if (altKey || ctrlKey || metaKey || shiftKey) return null;
  if (!state.isOpen) return event.key === "Escape" && state.canUndo ? { name: "undo" } : null;
  switch (event.key) {
    case "ArrowDown":
      return { name: "next" };
    case "ArrowUp":
      return { name: "previous" };
    case "Enter":
      return state.selected >= 0 ? { name: "accept", index: state.selected } : null;
    case "ArrowRight":
      if (!state.isAtLineEnd) return null;
      return { name: "acceptWord", index: Math.max(state.selected, 0) };
    case "Escape":
      return { name: "dismiss" };
    default:
      return null;
  }
}
