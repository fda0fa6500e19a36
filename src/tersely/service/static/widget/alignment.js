/** Spans of keywords in a suggestion, for highlighting and for accepting single words. */

const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;
const QUOTES_AND_MARKS = /^["“”‘'(]+|["“”’'),.?!…]+$/gu;

/**
 * Find the keywords in a sentence, in order and ignoring case.
 *
 * @param {boolean} isPrefix whether the last keyword may be the beginning of a word
 * @returns {[number, number][] | null} spans as [start, end], or null if a keyword is missing
 */
export function alignKeywords(sentence, keywords, isPrefix) {
  const lowercase = sentence.toLowerCase();
  if (lowercase.length !== sentence.length) return null; // offsets would differ (İ)
  const words = keywords
    .toLowerCase()
    .split(/\s+/u)
    .map((word) => word.replace(QUOTES_AND_MARKS, ""))
    .filter(Boolean);
  const spans = [];
  let offset = 0;
  for (const [index, word] of words.entries()) {
    const mayBePrefix = isPrefix && index === words.length - 1;
    const start = findWord(lowercase, word, offset, mayBePrefix);
    if (start === -1) return null;
    offset = start + word.length;
    spans.push([start, offset]);
  }
  return spans;
}

function findWord(text, word, offset, mayBePrefix) {
  for (let at = text.indexOf(word, offset); at !== -1; at = text.indexOf(word, at + 1)) {
    const isWordStart = at === 0 || !LETTER_OR_DIGIT.test(text[at - 1]);
    const next = text[at + word.length];
    const isWordEnd = next === undefined || !LETTER_OR_DIGIT.test(next);
    if (isWordStart && (mayBePrefix || isWordEnd)) return at;
  }
  return -1;
}

/** Return the UTF-16 offset of each character: the service counts characters. */
export function codeUnitOffsets(text) {
  const offsets = [0];
  for (const character of text) offsets.push(offsets.at(-1) + character.length);
  return offsets;
}

/** Convert spans of the service to UTF-16 offsets, sorted; drop invalid and overlapping ones. */
export function normalizeSpans(spans, text) {
  const offsets = codeUnitOffsets(text);
  const converted = (spans ?? []).map(([start, end]) => [offsets[start], offsets[end]]);
  const valid = converted.filter(([start, end]) => start < end).sort(([a], [b]) => a - b);
  return valid.filter(([start], index) => index === 0 || start >= valid[index - 1][1]);
}

/** Split a text at spans into pieces {text, isKeyword}. */
export function splitAtSpans(text, spans) {
  const pieces = [];
  let offset = 0;
  for (const [start, end] of spans) {
    if (offset < start) pieces.push({ text: text.slice(offset, start), isKeyword: false });
    pieces.push({ text: text.slice(start, end), isKeyword: true });
    offset = end;
  }
  if (offset < text.length) pieces.push({ text: text.slice(offset), isKeyword: false });
  return pieces;
}

/**
 * Return the keywords with one more word of a suggestion: the suggestion up to its first word
 * that was not typed, then the later keywords. "late" and "I am late." give "I late".
 */
export function acceptNextWord({ text, spans }) {
  const isTyped = (offset) => spans.some(([start, end]) => start <= offset && offset < end);
  for (const match of text.matchAll(/\S+/gu)) {
    const end = match.index + match[0].length;
    const offsets = Array.from({ length: match[0].length }, (_, index) => match.index + index);
    if (offsets.every(isTyped)) continue;
    const later = spans.filter(([start]) => start >= end);
    return [text.slice(0, end), ...later.map(([start, stop]) => text.slice(start, stop))].join(" ");
  }
  return text;
}
