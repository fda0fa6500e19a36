/** Creates elements from names and text; no markup is parsed. */

/**
 * @param {string} tag
 * @param {Object<string, string>} attributes
 * @param {...(Node | string)} children
 */
export function createElement(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}
