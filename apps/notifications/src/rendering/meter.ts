// Meters rendering: steps, and the size of what filters, comparisons and ranges read and produce.
// LiquidJS has its own limits, but a later version may change them. A filter without this wrapper
// is not registered.
import { evalTokenValue, TokenKind, type Context, type RangeToken, type Token } from 'liquidjs';

/** Steps of one send: outputs, tags, loop iterations. */
const STEPS_MAX = 20_000;
/** Work of one send, in characters and members. */
const WORK_MAX = 2_000_000;
/** The share that takes a few milliseconds. */
const SMALL_SHARE = 0.01;
export const RANGE_MAX = 10_000;
/** Work of one filter call, in characters. The exceptions were measured. */
const CALL_WORK = 10;
const CALLS: Readonly<Record<string, number>> = { date: 300, sort: 50 };
/** Comparing costs a multiple of reading. */
const SORT_FACTOR = 16;

export interface Meter {
  steps: number;
  work: number;
  /** The same counts by LiquidJS. */
  librarySteps: number;
  libraryWork: number;
  /** A limit was exceeded. */
  isSpent: boolean;
  readonly stepsMax: number;
  readonly workMax: number;
}

export function createMeter(of: 'send' | 'small'): Meter {
  const share = of === 'send' ? 1 : SMALL_SHARE;
  const counts = { steps: 0, work: 0, librarySteps: 0, libraryWork: 0, isSpent: false };
  return { ...counts, stepsMax: STEPS_MAX * share, workMax: WORK_MAX * share };
}

/** Rendering is synchronous, so one meter is active. */
let current = createMeter('small');

export function withMeter<T>(meter: Meter, render: () => T): T {
  current = meter;
  return render();
}

export function chargeSteps(count: number): void {
  current.steps += count;
  refuseBeyond(current.steps, current.stepsMax, `takes more than ${current.stepsMax} steps`);
}

export function chargeWork(count: number): void {
  current.work += count;
  refuseBeyond(current.work, current.workMax, 'makes too much text');
}

function refuseBeyond(used: number, max: number, words: string): void {
  if (used <= max) return;
  current.isSpent = true;
  throw new Error(words);
}

/** Limits for a LiquidJS context, whose own counts are held to the same maximum. */
export const libraryLimits = {
  memoryLimit: {
    use: (count: number) => {
      current.libraryWork += Math.max(0, Number(count) || 0);
      refuseBeyond(current.libraryWork, current.workMax, 'makes too much text');
    },
    check: () => undefined,
  },
  renderLimit: {
    use: () => undefined,
    check: () => {
      current.librarySteps += 1;
      refuseBeyond(current.librarySteps, 2 * current.stepsMax, `takes more than ${current.stepsMax} steps`);
    },
  },
} as unknown as ConstructorParameters<typeof Context>[3];

/** Characters and members including nested ones. Stops at the maximum of a send. */
export function computeSize(value: unknown): number {
  if (typeof value === 'string') return value.length;
  let size = 1;
  const left: unknown[] = [value];
  while (left.length > 0 && size <= WORK_MAX) {
    const next = left.pop();
    if (typeof next === 'string') size += next.length;
    else if (typeof next === 'object' && next !== null) {
      const members = Array.isArray(next) ? (next as unknown[]) : Object.values(next);
      size += members.length + 1;
      for (const member of members)
        if (typeof member === 'string' || (typeof member === 'object' && member !== null)) left.push(member);
    }
  }
  return size;
}

type Handler = (this: unknown, value: unknown, ...args: unknown[]) => unknown;
export type LiquidFilter = Handler | { readonly handler: Handler; readonly raw?: boolean };

/** Charges results in advance that may be far larger than their input. */
const resultSizes: Readonly<Record<string, (value: unknown, args: readonly unknown[]) => number>> = {
  join: (value, [separator]) => computeSize(separator ?? ' ') * (Array.isArray(value) ? value.length : 1),
  replace: (value, [pattern, by]) => String(value).split(String(pattern)).length * computeSize(by ?? ''),
  // A width pads.
  date: (_value, [format]) =>
    (String(format).match(/\d+/g) ?? []).reduce((sum, width) => sum + Number(width), 0),
};

export function meterFilter(name: string, filter: LiquidFilter): LiquidFilter {
  const { handler, raw = false } = typeof filter === 'function' ? { handler: filter } : filter;
  const calls = CALLS[name] ?? CALL_WORK;
  const factor = name === 'sort' ? SORT_FACTOR : 1;
  function* metered(this: unknown, value: unknown, ...args: unknown[]): Generator<unknown, unknown, unknown> {
    chargeWork(calls + factor * computeSize(value) + (args.length > 0 ? computeSize(args) : 0));
    if (resultSizes[name]) chargeWork(resultSizes[name](value, args));
    const result = yield handler.call(this, value, ...args);
    chargeWork(computeSize(result));
    return result;
  }
  return { handler: metered, raw };
}

type Operator = (left: unknown, right: unknown, context: never) => unknown;

export function meterOperator(operator: Operator): Operator {
  return function* (left, right, context): Generator<unknown, unknown, unknown> {
    chargeWork(computeSize(left) + computeSize(right));
    return yield operator(left, right, context);
  };
}

/** Refuses the range before it is built when it has too many members. */
export function boundRange(range: RangeToken): void {
  const { lhs, rhs } = range;
  const initial = {
    *evaluate(context: Context): Generator<unknown, unknown, unknown> {
      const low = Number(yield evalTokenValue(lhs, context));
      const high = yield evalTokenValue(rhs, context);
      const members = Number(high) - low + 1;
      if (members > RANGE_MAX) throw new Error(`a range has more than ${RANGE_MAX} members`);
      if (members > 0) chargeWork(members);
      return high;
    },
  };
  Object.assign(range, { rhs: { kind: TokenKind.FilteredValue, initial, filters: [] } });
}

export function isRange(part: object): part is RangeToken {
  return (part as Token).kind === TokenKind.Range;
}
