/** Browser storage; where it is forbidden, nothing is stored and nothing fails. */

/** @param {"localStorage" | "sessionStorage"} storage */
export function readItem(storage, name) {
  try {
    return window[storage].getItem(`tersely.${name}`);
  } catch {
    return null;
  }
}

/** @param {"localStorage" | "sessionStorage"} storage */
export function writeItem(storage, name, value) {
  try {
    window[storage].setItem(`tersely.${name}`, value);
  } catch {
    // Storage is full or forbidden.
  }
}
