// JSON that comes from outside: from a model, or from a tool of a customer's. It is read here without trust. What is kept of it
// ends up in the variable bag, and the caller sends the bag back: it must then pass the checks of every request body (depth, great
// numbers, NUL characters, half surrogate pairs: docs/platform.md#limits).

export type JsonObject = Readonly<Record<string, unknown>>;

/** Levels of one value. A bag may have 64 (JSON_DEPTH_MAX of @parley/server/http); the value stands some levels deep in it. */
const DEPTH_MAX = 32;

/** undefined when the text is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined; // no JSON: whoever asked refuses it
  }
}

/** null when the value is no object (lists are none). */
export function asObject(value: unknown): JsonObject | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
}

/** Whether a parsed JSON value can be carried in a bag. */
export function isStorable(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return storableText(value) === value;
  if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  if (typeof value !== 'object' || value === null) return true;
  if (depth === DEPTH_MAX) return false;
  return Object.entries(value).every(([name, member]) => isStorable(name) && isStorable(member, depth + 1));
}

/** The text without what cannot be stored. */
export function storableText(text: string): string {
  return text.replaceAll('\0', '').replace(/\p{Surrogate}/gu, '\ufffd');
}
