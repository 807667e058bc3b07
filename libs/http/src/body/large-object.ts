// Whether a JSON text holds an object of very many members. V8 takes a microsecond for each member of such an object, and whoever
// reads it then takes another: a body of 190,000 held up a process for half a second (docs/performance.md#what-one-request-may-take).
import { MEMBERS_MAX } from '@parley/envelopes';

/** Of the shortest member: `"":1,`. */
const MEMBER_CHARACTERS_MIN = 5;

/** Looked for in the text, before it is parsed; some milliseconds for the largest body, and nothing for a usual one. */
export function hasLargeObject(text: string): boolean {
  if (text.length < MEMBERS_MAX * MEMBER_CHARACTERS_MIN) return false;
  /** Of each object that is open; of a list, none. */
  const members = [0];
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (character === '{' || character === '[') members.push(0);
    else if (character === '}' || character === ']') members.pop();
    else if (character === ':') {
      const count = (members.pop() ?? 0) + 1;
      if (count > MEMBERS_MAX) return true;
      members.push(count);
    }
  }
  return false;
}

/** The place of the quote that ends the string; a quote behind an odd number of backslashes does not. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text[end - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}
