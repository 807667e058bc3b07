// Parses conditions written as text (`a == "b" and c > 3`) into comparisons, with one level of
// `and` or `or`, as an edge has.
import { limits } from '@parley/flow-engine';
import type { EdgeCondition } from './draft.ts';

/** The reason in the report for an unreadable condition. */
export const UNREAD_CONDITION = 'a condition could not be read, so its edge is never taken';

export interface Comparison {
  readonly variable: string;
  readonly op: string;
  readonly value?: unknown;
}

export interface ConditionDialect {
  /** The path of a variable; null when the word is not a variable. */
  readonly variable: (word: string) => string | null;
  /** The comparison for a variable that stands alone. */
  readonly holds?: (variable: string) => Comparison;
}

const CHARS_MAX = 2_000;
const token = /"[^"]*"|'[^']*'|&&|\|\||[()]|[<>=!]=?|<>|:|[^\s"'()<>=!&|]+/gu;

/** null when any part is not understood. */
export function readCondition(text: string, dialect: ConditionDialect): EdgeCondition | null {
  if (text.length > CHARS_MAX) return null;
  const words = text.match(token) ?? [];
  const group = new Reader(words, dialect).whole();
  return group === null ? null : toEdgeCondition(group);
}

interface Group {
  readonly join: 'all' | 'any';
  readonly comparisons: readonly Comparison[];
}

/** null when there are no comparisons, or too many. */
export function toEdgeCondition({ join, comparisons }: Group): EdgeCondition | null {
  const [only, ...more] = comparisons;
  if (only === undefined || comparisons.length > limits.conditionsMax) return null;
  return more.length === 0 ? { ...only } : { [join]: comparisons };
}

const ops = new Map(
  Object.entries({
    '=': 'eq',
    '==': 'eq',
    '!=': 'neq',
    '<>': 'neq',
    '>': 'gt',
    '>=': 'gte',
    '<': 'lt',
    '<=': 'lte',
    ':': 'contains',
    is: 'eq',
    contains: 'contains',
    matches: 'matches',
  }),
);
const opposite = new Map(
  Object.entries({
    eq: 'neq',
    neq: 'eq',
    gt: 'lte',
    gte: 'lt',
    lt: 'gte',
    lte: 'gt',
    contains: 'not_contains',
    matches: 'not_matches',
    exists: 'not_exists',
    not_exists: 'exists',
    not_empty: 'empty',
  }),
);
const joins = new Map<string, Group['join']>([
  ['and', 'all'],
  ['&&', 'all'],
  ['or', 'any'],
  ['||', 'any'],
]);
const DEPTH_MAX = 10;

class Reader {
  private place = 0;
  private readonly words: readonly string[];
  private readonly dialect: ConditionDialect;

  constructor(words: readonly string[], dialect: ConditionDialect) {
    this.words = words;
    this.dialect = dialect;
  }

  whole(): Group | null {
    const group = this.group(0);
    return this.place === this.words.length ? group : null;
  }

  private next(): string | undefined {
    return this.words[this.place]?.toLowerCase();
  }

  private group(depth: number): Group | null {
    if (depth > DEPTH_MAX) return null;
    let join: Group['join'] | null = null;
    const comparisons: Comparison[] = [];
    for (;;) {
      const part = this.part(depth);
      if (part === null) return null;
      if (part.comparisons.length > 1) {
        // An edge has only one way to join.
        if (join !== null && join !== part.join) return null;
        join = part.join;
      }
      comparisons.push(...part.comparisons);
      const joining = joins.get(this.next() ?? '');
      if (joining === undefined) return { join: join ?? 'all', comparisons };
      if (join !== null && join !== joining) return null;
      join = joining;
      this.place += 1;
    }
  }

  private part(depth: number): Group | null {
    const negated = this.next() === 'not' || this.next() === '!';
    if (negated) this.place += 1;
    const group = this.next() === '(' ? this.parenthesis(depth) : toGroup(this.comparison());
    if (group === null || !negated) return group;
    const [only, ...more] = group.comparisons;
    return only === undefined || more.length > 0 ? null : toGroup(negate(only));
  }

  private parenthesis(depth: number): Group | null {
    this.place += 1;
    const group = this.group(depth + 1);
    if (this.next() !== ')') return null;
    this.place += 1;
    return group;
  }

  private comparison(): Comparison | null {
    const variable = this.dialect.variable(this.words[this.place++] ?? '');
    if (variable === null) return null;
    let op = ops.get(this.next() ?? '');
    if (op === undefined) return this.dialect.holds?.(variable) ?? { variable, op: 'is_true' };
    this.place += 1;
    if (op === 'eq' && this.next() === 'not') {
      op = 'neq';
      this.place += 1;
    }
    const word = this.words[this.place++];
    if (word === undefined || joins.has(word.toLowerCase()) || word === ')') return null;
    return createComparison(variable, op, this.literal(word));
  }

  private literal(word: string): unknown {
    const quoted = /^(["'])(.*)\1$/su.exec(word);
    if (quoted !== null) return quoted[2];
    const known: Readonly<Record<string, unknown>> = { true: true, false: false, null: null, none: null };
    if (Object.hasOwn(known, word.toLowerCase())) return known[word.toLowerCase()];
    if (/^-?\d{1,15}(\.\d{1,15})?$/u.test(word)) return Number(word);
    const other = this.dialect.variable(word);
    return other === null ? word : `{{ ${other} }}`;
  }
}

const toGroup = (comparison: Comparison | null): Group | null =>
  comparison === null ? null : { join: 'all', comparisons: [comparison] };

/** A variable exists or not; nothing equals null. */
function createComparison(variable: string, op: string, value: unknown): Comparison | null {
  if (value !== null) return { variable, op, value };
  if (op === 'eq') return { variable, op: 'not_exists' };
  return op === 'neq' ? { variable, op: 'exists' } : null;
}

function negate({ variable, op, value }: Comparison): Comparison | null {
  // A missing variable is not true either.
  if (op === 'is_true') return { variable, op: 'neq', value: true };
  const other = opposite.get(op);
  if (other === undefined) return null;
  return value === undefined ? { variable, op: other } : { variable, op: other, value };
}
