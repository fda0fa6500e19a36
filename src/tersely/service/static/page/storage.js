/** Small things kept by the browser; where that is forbidden, nothing is kept and nothing breaks. */

export function read(store, name) {
  try {
    return window[store].getItem(`tersely.${name}`);
  } catch {
    return null;
  }
}

export function write(store, name, value) {
  try {
    window[store].setItem(`tersely.${name}`, value);
  } catch {
    // full, or forbidden
  }
}
