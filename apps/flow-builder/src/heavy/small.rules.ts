// Decides which work is small enough for the main thread: a few milliseconds at worst.

/** Characters of a definition with its input. */
export const SMALL_CHARACTERS = 16 * 1024;
/** A few of the largest patterns take longer to compile than all else. */
const SMALL_PATTERNS = 4;
const patternOperator = /match|regex/i;

/** The minimum that an element of a list counts. */
const ELEMENT_CHARACTERS_MIN = 5;

/** Counts without serialising, and stops once the answer is known. */
export function isSmall(value: unknown, charactersMax = SMALL_CHARACTERS): boolean {
  let characters = 0;
  let patterns = 0;
  const left: unknown[] = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next === 'string') characters += next.length + 3;
    else if (typeof next !== 'object' || next === null) characters += 8;
    else if (Array.isArray(next) && next.length * ELEMENT_CHARACTERS_MIN > charactersMax) return false;
    else {
      const members = Object.entries(next);
      characters += members.reduce((sum, [name]) => sum + name.length + 4, 2);
      for (const [name, getMember] of members) {
        if (name === 'pattern' || (name === 'op' && patternOperator.test(String(getMember)))) patterns += 1;
        left.push(getMember);
      }
    }
    if (characters > charactersMax || patterns > SMALL_PATTERNS) return false;
  }
  return true;
}

export function isSmallText(json: string): boolean {
  return json.length <= SMALL_CHARACTERS && isSmall(JSON.parse(json));
}

/** Scheme, host and port of the tools and webhooks in a document that may be a definition. */
export function endpointOrigins(document: unknown): Set<string> {
  const origins = new Set<string>();
  for (const node of asList(member(document, 'nodes')))
    for (const endpoint of [node, ...Object.values(asObject(member(node, 'tool_dispatch')))]) {
      const [origin] = /^\w+:\/\/[^/?#{]+/.exec(String(member(endpoint, 'url'))) ?? [];
      if (origin !== undefined && URL.canParse(origin)) origins.add(new URL(origin).origin);
    }
  return origins;
}

function member(value: unknown, name: string): unknown {
  return asObject(value)[name];
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
