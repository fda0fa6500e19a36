/**
 * Finds the keywords at the caret, and the sentences around them.
 *
 * The keywords are the current line without the complete sentences before them: after
 * "I will be late. " new keywords begin. These functions take text and do not touch the page.
 */

const SENTENCE_BREAK = /[.!?…]["'”’)\]]*\s+/gu;
const SENTENCE_START = /^["'“‘(\[]*[\p{Lu}\p{Lt}\p{Lo}\p{N}]/u;
const SENTENCE_END = /[.!?…]["'”’)\]]*$/u;
const FULL_STOP_END = /[.…]["'”’)\]]*$/u;
const ABBREVIATION_END = /(?:^|[\s(])(?:dr|mrs?|ms|st|no|vs|etc|e\.g|i\.e|a\.m|p\.m)\.\s*$/iu;
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

/** Return the start and end of the line with the caret. */
export function lineAt(text, caret) {
  const start = caret === 0 ? 0 : text.lastIndexOf("\n", caret - 1) + 1;
  const end = text.indexOf("\n", caret);
  return { start, end: end === -1 ? text.length : end };
}

/** Split a line into its sentences and the rest, as [start, end] offsets in the text. */
export function splitSentences(text, { start, end }) {
  const line = text.slice(start, end);
  const segments = [];
  let segmentStart = 0;
  for (const match of line.matchAll(SENTENCE_BREAK)) {
    const segmentEnd = match.index + match[0].length;
    const segment = line.slice(segmentStart, segmentEnd);
    if (SENTENCE_START.test(segment) && !ABBREVIATION_END.test(segment)) {
      segments.push([start + segmentStart, start + segmentEnd]);
      segmentStart = segmentEnd;
    }
  }
  segments.push([start + segmentStart, end]);
  return segments;
}

/** Whether a segment starts with a capital and ends with a full stop: not keywords. */
export function isSentence(segment) {
  const trimmed = segment.trim();
  return SENTENCE_START.test(trimmed) && FULL_STOP_END.test(trimmed);
}

/**
 * Return the query at the caret, or null if there is nothing to complete.
 *
 * @param {{characters: number, keywords: number}} limits of the service
 * @returns {{start: number, end: number, keywords: string, isPrefix: boolean, context: string}
 *   | null} `isPrefix`: the last word may be unfinished; `context`: the text before
 */
export function queryAt(text, caret, limits) {
  const [start, end] = splitSentences(text, lineAt(text, caret)).findLast(
    ([segmentStart, segmentEnd], index) =>
      index === 0 || (segmentStart <= caret && caret <= segmentEnd),
  );
  const segment = text.slice(start, end);
  const words = segment.split(/\s+/u).filter(Boolean);
  const keywords = words.join(" ");
  if (!LETTER_OR_DIGIT.test(keywords) || isSentence(keywords)) return null;
  if (keywords.length > limits.characters || words.length > limits.keywords) return null;
  const isPrefix = caret === end && /\S$/u.test(segment);
  return { start, end, keywords, isPrefix, context: contextBefore(text, start, limits.characters) };
}

/**
 * Return the last words before an offset, up to a number of characters.
 *
 * White space becomes one space, or one line break: the service takes a line break as the end of a
 * sentence.
 */
function contextBefore(text, offset, maxCharacters) {
  const before = text
    .slice(0, offset)
    .replace(/\s+/gu, (space) => (space.includes("\n") ? "\n" : " "))
    .replace(/^\s| $/gu, "");
  if (before.length <= maxCharacters) return before;
  return before.slice(-maxCharacters).replace(/^\S*\s/u, "");
}

/** Return the last sentence that begins at or before the caret, or an empty string. */
export function sentenceAt(text, caret) {
  for (let offset = caret; ; ) {
    const line = lineAt(text, offset);
    const segments = splitSentences(text, line)
      .filter(([start]) => start <= offset)
      .map(([start, end]) => text.slice(start, end).trim());
    const sentence = segments.findLast(
      (segment) => SENTENCE_START.test(segment) && SENTENCE_END.test(segment),
    );
    if (sentence || line.start === 0) return sentence ?? "";
    offset = line.start - 1;
  }
}
