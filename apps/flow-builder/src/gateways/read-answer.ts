// Reads the JSON object in what a model wrote. Models put it into code fences, between sentences or
// behind their reasoning. Lenient about the wrapping only: two different objects are no answer.
import { asObject, parseJson, type JsonObject } from './outside-json.ts';

/** Objects that are looked for in prose. Bounds the work on a text that is full of braces. */
const CANDIDATES_MAX = 16;

/** null: there is no object, or there are several that differ. */
export function readJsonObject(content: string): JsonObject | null {
  const text = withoutReasoning(content).trim();
  const unfenced = /^```[a-z]*\s*([^]*?)\s*```$/i.exec(text)?.[1] ?? text;
  const whole = parseJson(unfenced);
  if (whole !== undefined) return asObject(whole);
  const [first, ...others] = findObjects(unfenced);
  if (first === undefined) return null;
  const written = JSON.stringify(first);
  return others.every((other) => JSON.stringify(other) === written) ? first : null;
}

/** Open models reason inside of `<think>` when the server does not take that part out. */
function withoutReasoning(content: string): string {
  const end = content.lastIndexOf('</think>');
  return end === -1 ? content : content.slice(end + '</think>'.length);
}

function findObjects(text: string): JsonObject[] {
  const found: JsonObject[] = [];
  let from = text.indexOf('{');
  for (let tried = 0; from !== -1; tried += 1) {
    if (tried === CANDIDATES_MAX) return []; // too many to say that they are one answer
    const end = findEnd(text, from);
    const object = end === -1 ? null : asObject(parseJson(text.slice(from, end)));
    if (object !== null) found.push(object);
    from = text.indexOf('{', object === null ? from + 1 : end);
  }
  return found;
}

/** The index after the brace that closes the one at `from`; -1 without one. */
function findEnd(text: string, from: number): number {
  let depth = 0;
  let isInString = false;
  for (let index = from; index < text.length; index += 1) {
    const character = text[index];
    if (isInString && character === '\\') index += 1;
    else if (character === '"') isInString = !isInString;
    else if (!isInString && character === '{') depth += 1;
    else if (!isInString && character === '}' && (depth -= 1) === 0) return index + 1;
  }
  return -1;
}

/** A number, or a number written as text. null for everything else. */
export function readNumber(value: unknown): number | null {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return null;
  const text = value.trim();
  return /^-?\d{1,15}(?:\.\d{1,17})?$/.test(text) ? Number(text) : null;
}
