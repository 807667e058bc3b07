// What is small enough to be done at once, in the thread that answers everybody: some milliseconds at worst.

/** Characters of a definition, and of what is played against it. */
export const SMALL_CHARACTERS = 16 * 1024;
/** Patterns are compiled: a few of the largest take longer than all else. */
const SMALL_PATTERNS = 4;
const patternOperator = /match|regex/i;

/** What an element of a list counts at least, with its place. */
const ELEMENT_CHARACTERS_MIN = 5;

/** Counted without writing it, and no further than it takes to know. */
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
      for (const [name, member] of members) {
        if (name === 'pattern' || (name === 'op' && patternOperator.test(String(member)))) patterns += 1;
        left.push(member);
      }
    }
    if (characters > charactersMax || patterns > SMALL_PATTERNS) return false;
  }
  return true;
}

/** The same of JSON. */
export function isSmallText(json: string): boolean {
  return json.length <= SMALL_CHARACTERS && isSmall(JSON.parse(json));
}

/** Where the tools and webhooks of a document that may be a definition are: scheme, host and port. */
export function endpointOrigins(document: unknown): Set<string> {
  const origins = new Set<string>();
  for (const node of listOf(member(document, 'nodes')))
    for (const endpoint of [node, ...Object.values(objectOf(member(node, 'tool_dispatch')))]) {
      const [origin] = /^\w+:\/\/[^/?#{]+/.exec(String(member(endpoint, 'url'))) ?? [];
      if (origin !== undefined && URL.canParse(origin)) origins.add(new URL(origin).origin);
    }
  return origins;
}

function member(value: unknown, name: string): unknown {
  return objectOf(value)[name];
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
