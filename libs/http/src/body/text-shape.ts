// What the text of a large body tells before it is parsed: whether it holds an object of very many members, or very many different names,
// and how deeply it is nested. V8 takes a microsecond for each member of such an object and for each new name, and whoever reads it then
// takes another: a body of 190,000 members held up a process for half a second, one of 75 objects of 10,000 for two thirds
// (docs/performance.md#what-one-request-may-take).
import { MEMBERS_MAX } from '@parley/envelopes';

/** Different names of members in one body. Names that repeat cost nothing: a batch of events has half a million members. */
export const NAMES_MAX = 100_000;
/** Of the shortest member: `"":1,`. */
const MEMBER_CHARACTERS_MIN = 5;

export interface TextShape {
  /** What there is too much of. */
  readonly tooMany: string | null;
  /** Levels of objects and lists; null: not counted. */
  readonly depth: number | null;
}

/** Some milliseconds for the largest body; nothing, and nothing counted, for one that is too short to have too many members. */
export function shapeOf(text: string): TextShape {
  if (text.length < MEMBERS_MAX * MEMBER_CHARACTERS_MIN) return { tooMany: null, depth: null };
  const tooMuch = (tooMany: string): TextShape => ({ tooMany, depth: null });
  let depth = 0;
  /** Of each object that is open; of a list, none. */
  const members = [0];
  const names = new Set<string>();
  /** The string before the place. */
  let [start, end] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') {
      start = at + 1;
      end = at = endOfString(text, at);
    } else if (character === '{' || character === '[') depth = Math.max(depth, members.push(0) - 1);
    else if (character === '}' || character === ']') members.pop();
    else if (character === ':') {
      const count = (members.pop() ?? 0) + 1;
      if (count > MEMBERS_MAX) return tooMuch(`has an object of more than ${MEMBERS_MAX} members`);
      members.push(count);
      if (names.add(text.slice(start, end)).size > NAMES_MAX)
        return tooMuch(`has members of more than ${NAMES_MAX} different names`);
    }
  }
  return { tooMany: null, depth };
}

/** The place of the quote that ends the string; a quote behind an odd number of backslashes does not. */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text[end - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}
