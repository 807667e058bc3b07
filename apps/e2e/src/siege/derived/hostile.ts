// Hostile values for a place: by size, by depth and by cost.
import { times } from '../attack.ts';
import type { Place } from './places.ts';

export interface HostileValue {
  readonly how: string;
  readonly value: unknown;
}

/** Below the size of bodies that wait for admission: the attack measures work, not waiting. */
const BYTES = 240 * 1024;
const TEXT_MAX = BYTES / 3;
const MEMBERS = 9_999;
/** The nesting that a body may have, including what is around the place. */
const DEPTH = 50;

const combining = `a${'\u0301\u0327'.repeat(40)}`;
const patterns = ['(?:a?){999}', '(a+)+$', `(?:${'(?:a|b|ab)'.repeat(300)}){9}`];
const templates = [
  '{% for i in (1..19000000) offset:18999999 %}{% endfor %}x',
  '{{ (1..9000000) | join: "" | size }}',
  '{{ (1..9999) | sort | reverse | join: "" | url_encode | url_encode | url_encode }}',
  '{% for i in (1..9999) %}{% assign s = (1..9999) | sort %}{% endfor %}x',
  '{{ a }}'.repeat(2_800),
  '{{ b }}'.repeat(2_800),
];
const words = '- '.repeat(50);

export function listHostileValues(place: Place): HostileValue[] {
  const how = (name: string, ...values: readonly unknown[]): HostileValue[] =>
    values.map((value) => ({ how: name, value }));
  switch (place.kind) {
    case 'text':
      return [...how('size', ...listLongTexts(place)), ...how('cost', ...listCostlyTexts(place))];
    case 'number': {
      const { minimum = -1, maximum = 2 ** 53 - 1 } = place.schema;
      return how('size', minimum, Math.min(maximum, 2 ** 53 - 1), 1e308);
    }
    case 'array': {
      const { maxItems = MEMBERS } = place.schema;
      const item = (place.sample() as readonly unknown[])[0] ?? 0;
      const fits = Math.floor(BYTES / (JSON.stringify(item).length + 1));
      return [
        ...how(
          'size',
          times(Math.min(maxItems, fits), () => item),
          times(100_000, () => 0),
        ),
        ...how(
          'depth',
          nest((inner) => [inner]),
        ),
      ];
    }
    case 'json':
      return [
        ...how('size', Object.fromEntries(times(MEMBERS, (member) => [`m${member}`, 'x'.repeat(10)]))),
        ...how(
          'depth',
          nest((inner) => ({ a: inner })),
        ),
        ...how('cost', { text: combining.repeat(300), list: times(MEMBERS, (member) => `${member}`) }),
      ];
  }
}

function listLongTexts({ schema }: Place): string[] {
  const chars = Math.min(schema.maxLength ?? TEXT_MAX, TEXT_MAX);
  return [combining.repeat(Math.ceil(chars / combining.length)).slice(0, chars), 'x'.repeat(BYTES)];
}

function listCostlyTexts({ path, schema: { maxLength = Infinity, pattern } }: Place): string[] {
  const name = path.split('/').findLast((part) => part !== '-') ?? '';
  if (pattern !== undefined) return [];
  const fitting = (texts: readonly string[]) => texts.filter(({ length }) => length <= maxLength);
  if (/pattern|regex|match/.test(name)) return fitting(patterns);
  if (/^(q|search|query|filter)$/.test(name)) return fitting([words, combining]);
  return fitting([...templates, words]);
}

function nest(around: (inner: unknown) => unknown): unknown {
  let value: unknown = 1;
  for (let depth = 0; depth < DEPTH; depth += 1) value = around(value);
  return value;
}
