// Finds what a flow compares its variables with: values worth trying, and which values no
// comparison of the flow distinguishes.
import { compileComparison } from '@parley/flow-engine/read/compare';
import { compileWriter, ownMember, parsePath } from '@parley/flow-engine/read/paths';
import { patternCache } from '@parley/flow-engine/read/patterns';
import { readDecimal, readIso, toJson } from '@parley/answers/readings';
import { groupBy } from '../../validate/group-by.ts';
import type { FlowIndex } from '../../validate/flow-index.ts';
import { comparisonsByVariable, type Comparison } from '../../validate/clauses.ts';
import { cellsFor, constantsIn } from '../../validate/routing-coverage.ts';
import { makeMatchingText } from './sample-text.ts';

/** Values of one path that are tried; a flow may compare it with thousands. */
const valuesMax = 200;
/** Comparisons of one variable that distinguish its values. */
const comparisonsMax = 100;
/** Characters of a value that gets a mark of its own. */
const exactCharsMax = 200;

export interface Variables {
  /** Values of a path on both sides of every comparison. */
  readonly valuesOf: (path: string) => readonly unknown[];
  /** The same for the comparisons of some edges only, without a limit. */
  readonly valuesAt: (comparisons: readonly Comparison[]) => readonly unknown[];
  /** No comparison of the flow distinguishes two values with the same mark. */
  readonly mark: (root: string, value: unknown) => string;
  readonly roots: readonly string[];
  /** The paths in conditions. */
  readonly paths: readonly string[];
  /** The paths in texts, without those that have a default. */
  readonly textPaths: readonly string[];
}

export function analyseVariables(index: FlowIndex): Variables {
  const byPath = comparisonsByVariable(index.flow.edges, index.readPath);
  const byRoot = groupBy([...byPath], ([path]) => path.split('.')[0]!);
  const exact = exactRoots(index);
  const skipping = index.nodes.flatMap(({ skips, raw }) =>
    skips ? [index.readPath(raw.variable!)?.root ?? ''] : [],
  );
  const texts = index.variables.reads.filter(({ by, hasDefault }) => by === 'text' && !hasDefault);
  const values = new Map<string, readonly unknown[]>();
  const marks = new Map<string, (value: unknown) => string>();
  const mark = (root: string) => {
    const tests = (byRoot.get(root) ?? []).flatMap(([path, comparisons]) => compileTests(path, comparisons));
    const tell = (value: unknown) => tests.map((holds) => (holds(value) ? '1' : '0')).join('');
    return exact.has(root) ? (value: unknown) => toJson(value).slice(0, exactCharsMax) + tell(value) : tell;
  };
  return {
    valuesOf: (path) => {
      const known = values.get(path) ?? valuesFor(byPath.get(path) ?? []).slice(0, valuesMax);
      values.set(path, known);
      return known;
    },
    valuesAt: valuesFor,
    mark: (root, value) => {
      const tell = marks.get(root) ?? cacheMarks(mark(root));
      marks.set(root, tell);
      return tell(value);
    },
    paths: [...byPath.keys()],
    textPaths: [...new Set(texts.map(({ path }) => path))],
    roots: [...new Set([...byRoot.keys(), ...exact, ...skipping])],
  };
}

/** Variables whose exact value matters: counters, and those that other values derive from. */
function exactRoots({ variables, readPath, nodes }: FlowIndex): ReadonlySet<string> {
  const made = variables.reads.filter(({ at }) => at.includes('/set/') || /^\/edges\/\d+\/value/.test(at));
  const counted = nodes.flatMap(({ raw }) => (Array.isArray(raw['set']) ? (raw['set'] as unknown[]) : []));
  const names = counted.flatMap((entry) => {
    const variable = ownMember(entry, 'variable');
    const changes = ['add', 'append', 'remove'].some((op) => ownMember(entry, op) !== undefined);
    return changes && typeof variable === 'string' ? [readPath(variable)?.root ?? ''] : [];
  });
  return new Set([...made.map(({ root }) => root), ...names]);
}

function compileTests(path: string, comparisons: readonly Comparison[]): ((root: unknown) => boolean)[] {
  const [, ...steps] = parsePath(path) ?? [];
  const patterns = patternCache();
  const compiled = comparisons.slice(0, comparisonsMax).flatMap(({ op, value, edge, constants }) => {
    if (constants === null) return [];
    return [compileComparison(op, value, { caseSensitive: edge.caseSensitive, patterns })];
  });
  return compiled.map((compare) => (root) => {
    let value = root;
    for (const step of steps) value = ownMember(value, step);
    return compare(value).matched;
  });
}

/** Caches marks of scalars: every state asks for the same few. */
function cacheMarks(mark: (value: unknown) => string): (value: unknown) => string {
  const known = new Map<unknown, string>();
  return (value) => {
    if (typeof value === 'object' && value !== null) return mark(value);
    const before = known.get(value);
    if (before !== undefined) return before;
    const now = mark(value);
    known.set(value, now);
    return now;
  };
}

/** Named values, the next values beside them, and a value of every cell. */
function valuesFor(comparisons: readonly Comparison[]): readonly unknown[] {
  if (comparisons.length === 0) return [];
  const named = [...new Set(constantsIn(comparisons).slice(0, valuesMax))];
  const patterns = comparisons.flatMap(({ positive, value }) => {
    const text = positive === 'matches' && typeof value === 'string' ? makeMatchingText(value) : null;
    return text === null ? [] : [text];
  });
  const cells = named.length < comparisonsMax ? cellsFor(comparisons, anything) : null;
  const inCells = (cells?.all ?? []).map(({ value }) => value).filter((value) => value !== undefined);
  return [...new Set([...named, ...named.flatMap(listNeighbours), ...patterns, ...inCells])];
}

/** The next values beside a number, a date or a time, in the same notation. */
export function listNeighbours(value: unknown): unknown[] {
  const number = readDecimal(value);
  if (number !== null) return [number, number + 1, number - 1];
  const moment = readIso(value);
  if (moment === null || typeof value !== 'string') return [];
  if (moment.kind === 'time') {
    const minutes = Math.floor(moment.ms / 60_000);
    return [minutes - 1, minutes + 1].flatMap((at) => (at < 0 || at >= 24 * 60 ? [] : [clock(at)]));
  }
  const [day = '', rest = ''] = [value.trim().slice(0, 10), value.trim().slice(10)];
  return [-1, 1].flatMap((days) => {
    const other = new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000);
    return Number.isNaN(other.getTime()) ? [] : [other.toISOString().slice(0, 10) + rest];
  });
}

const clock = (minutes: number): string =>
  [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':');

const anything = { kind: 'any', missing: true } as const;

/** A value of a whole variable in which the path has the value; null when it cannot be written. */
export function makeRootHolding(
  path: string,
  value: unknown,
): { readonly root: string; readonly value: unknown } | null {
  const write = compileWriter(path);
  const [root = ''] = parsePath(path) ?? [];
  if (write === null) return null;
  const bag: Record<string, unknown> = {};
  write(bag, value);
  return { root, value: bag[root] };
}
