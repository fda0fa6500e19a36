/**
 * The part of a text that is being written by keywords.
 *
 * It is the current line, less the sentences that already stand on it: after "I will be late. "
 * the next keywords begin. Nothing here touches the page; see suggester.js for that.
 */

const AFTER_SENTENCE = /[.!?…]["'”’)\]]*\s+/gu;
const OPENS_SENTENCE = /^["'“‘(\[]*[\p{Lu}\p{Lt}\p{Lo}\p{N}]/u;
const ABBREVIATION = /(?:^|[\s(])(?:dr|mrs?|ms|st|no|vs|etc|e\.g|i\.e|a\.m|p\.m)\.\s*$/iu;
const FULL_STOP = /[.…]["'”’)\]]*$/u;
const SENTENCE_END = /[.!?…]["'”’)\]]*$/u;
const HAS_WORD = /[\p{L}\p{N}]/u;

/** Where the line with this caret begins and ends. */
export function lineAt(text, caret) {
  const start = caret === 0 ? 0 : text.lastIndexOf("\n", caret - 1) + 1;
  const end = text.indexOf("\n", caret);
  return { start, end: end === -1 ? text.length : end };
}

/** Sentences and what follows them on a line, as [start, end] within the text. */
export function piecesOf(text, { start, end }) {
  const line = text.slice(start, end);
  const pieces = [];
  let from = 0;
  for (const match of line.matchAll(AFTER_SENTENCE)) {
    const to = match.index + match[0].length;
    const piece = line.slice(from, to);
    if (OPENS_SENTENCE.test(piece) && !ABBREVIATION.test(piece)) {
      pieces.push([start + from, start + to]);
      from = to;
    }
  }
  pieces.push([start + from, end]);
  return pieces;
}

/** A capital first and a full stop last: written, not keywords any more. */
export function isSentence(piece) {
  const trimmed = piece.trim();
  return OPENS_SENTENCE.test(trimmed) && FULL_STOP.test(trimmed);
}

/**
 * What is being written at the caret: where it stands, its keywords, whether the last word may go
 * on, and the text before it. Null where there is nothing to complete.
 */
export function writingAt(text, caret, { characters, keywords: most }) {
  const [start, end] = piecesOf(text, lineAt(text, caret)).findLast(
    ([from, to], place) => place === 0 || (from <= caret && caret <= to),
  );
  const typed = text.slice(start, end);
  const words = typed.split(/\s+/u).filter(Boolean);
  const keywords = words.join(" ");
  if (!HAS_WORD.test(keywords) || isSentence(keywords)) return null;
  if (keywords.length > characters || words.length > most) return null;
  const unfinished = caret === end && /\S$/u.test(typed);
  return { start, end, keywords, unfinished, context: contextBefore(text, start, characters) };
}

/** The last words before a place, at most so many characters of them. */
function contextBefore(text, place, characters) {
  const before = text.slice(0, place).replace(/\s+/gu, " ").trim();
  if (before.length <= characters) return before;
  return before.slice(-characters).replace(/^\S*\s/u, "");
}

/** The sentence that ends at or before the caret's piece, the nearest one; empty without any. */
export function sentenceAt(text, caret) {
  for (let place = caret; ; ) {
    const line = lineAt(text, place);
    const pieces = piecesOf(text, line).filter(([from]) => from <= place);
    const own = pieces.map(([from, to]) => text.slice(from, to).trim());
    const found = own.findLast((piece) => OPENS_SENTENCE.test(piece) && SENTENCE_END.test(piece));
    if (found || line.start === 0) return found ?? "";
    place = line.start - 1;
  }
}
