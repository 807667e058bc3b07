// Reads untrusted JSON of models and tools. Stored values go into the variables, which the caller
// sends back, so they must pass the checks of request bodies: depth, large numbers, NUL, half
// surrogate pairs (docs/platform.md#limits).

export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Levels of one value. Variables may have 64 (JSON_DEPTH_MAX of the HTTP library), and the value
 * stands some levels deep in them.
 */
const DEPTH_MAX = 32;

/** undefined when the text is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined; // no JSON: the caller refuses it
  }
}

/** null for other values, lists included. */
export function asObject(value: unknown): JsonObject | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
}

/** Whether variables can hold the value. */
export function isStorable(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return storableText(value) === value;
  if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  if (typeof value !== 'object' || value === null) return true;
  if (depth === DEPTH_MAX) return false;
  return Object.entries(value).every(([name, member]) => isStorable(name) && isStorable(member, depth + 1));
}

/** Removes characters that cannot be stored. */
export function storableText(text: string): string {
  return text.replaceAll('\0', '').replace(/\p{Surrogate}/gu, '\ufffd');
}
