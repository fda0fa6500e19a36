/** Elements made from names and text; markup is never parsed. */

/**
 * @param tag the element's name
 * @param attributes `class`, `role`, `aria-…`: set as they are; a property where it starts with "."
 * @param children elements or strings
 */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith(".")) element[name.slice(1)] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}
