/** Words of a suggestion: which of them were typed, and which comes next. */

const IN_WORD = /[\p{L}\p{N}]/u;
const EDGES = /^["“”‘'(]+|["“”’'),.?!…]+$/gu;

/**
 * Where the keywords stand in a sentence, in order, as [start, end] pairs; null if they do not.
 * Case is ignored; the last keyword may be the beginning of a word if it is unfinished.
 */
export function alignment(sentence, keywords, unfinished) {
  const hay = sentence.toLowerCase();
  if (hay.length !== sentence.length) return null; // places would shift (İ)
  const words = keywords.toLowerCase().split(/\s+/u).map((word) => word.replace(EDGES, ""));
  const wanted = words.filter(Boolean);
  const spans = [];
  let from = 0;
  for (const [number, word] of wanted.entries()) {
    const mayGoOn = unfinished && number === wanted.length - 1;
    const at = findWord(hay, word, from, mayGoOn);
    if (at === -1) return null;
    from = at + word.length;
    spans.push([at, from]);
  }
  return spans;
}

function findWord(hay, word, from, mayGoOn) {
  for (let at = hay.indexOf(word, from); at !== -1; at = hay.indexOf(word, at + 1)) {
    const begins = at === 0 || !IN_WORD.test(hay[at - 1]);
    const after = hay[at + word.length];
    if (begins && (mayGoOn || after === undefined || !IN_WORD.test(after))) return at;
  }
  return -1;
}

/** The service counts characters, JavaScript UTF-16 units: where each character begins. */
export function unitsOf(text) {
  const units = [0];
  for (const character of text) units.push(units.at(-1) + character.length);
  return units;
}

/** A service's spans as places in the text, in order and apart; those that are none fall out. */
export function tidySpans(spans, text) {
  const units = unitsOf(text);
  const placed = (spans ?? []).map(([start, end]) => [units[start], units[end]]);
  const inside = placed.filter(([start, end]) => start < end).sort(([a], [b]) => a - b);
  return inside.filter(([start], place) => place === 0 || start >= inside[place - 1][1]);
}

/** A text cut into pieces, each with whether it was typed. */
export function cut(text, spans) {
  const pieces = [];
  let from = 0;
  for (const [start, end] of spans) {
    if (from < start) pieces.push({ text: text.slice(from, start), typed: false });
    pieces.push({ text: text.slice(start, end), typed: true });
    from = end;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), typed: false });
  return pieces;
}

/**
 * The line after one more word of a suggestion: the suggestion up to its first word that was not
 * typed, then the keywords that come later in it. "late" and "I am late." give "I late".
 */
export function withNextWord({ text, spans }) {
  const covered = (place) => spans.some(([start, end]) => start <= place && place < end);
  for (const match of text.matchAll(/\S+/gu)) {
    const end = match.index + match[0].length;
    const places = Array.from({ length: match[0].length }, (_, step) => match.index + step);
    if (places.every(covered)) continue;
    const later = spans.filter(([start]) => start >= end);
    return [text.slice(0, end), ...later.map(([a, b]) => text.slice(a, b))].join(" ");
  }
  return text;
}
