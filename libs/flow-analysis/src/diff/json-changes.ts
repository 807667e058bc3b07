// Lists the differences of two JSON values, member by member, and as an RFC 6902 patch.
import { isReservedName } from '@parley/flow-engine/define/definition';
import { limits } from '@parley/flow-engine/define/limits';

/** One difference. An added member has no `before`, a removed one has no `after`. */
export interface ValueChange {
  /** JSON pointer (RFC 6901), relative to the compared value. */
  readonly path: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

export type PatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string };

/**
 * Differences inside one member that are listed one by one; more become one change of the whole
 * member.
 */
const changesPerMemberMax = 50;

type Members = Readonly<Record<string, unknown>>;

/**
 * The differences of two objects, without `ignored` members. Compares lists of the same length
 * place by place.
 */
export function compareObjects(before: Members, after: Members, ignored: ReadonlySet<string>): ValueChange[] {
  const changes: ValueChange[] = [];
  for (const name of memberNames(before, after)) {
    if (ignored.has(name)) continue;
    const path = pointerStep(name);
    const whole = compareMember(before, after, name, path);
    if (whole !== null) changes.push(whole);
    else changes.push(...compareValues(before[name], after[name], path));
  }
  return changes;
}

/** At most `changesPerMemberMax` differences of two present values. */
function compareValues(before: unknown, after: unknown, path: string): ValueChange[] {
  const changes: ValueChange[] = [];
  compare(before, after, path, 0, changes);
  return changes.length > changesPerMemberMax ? [{ path, before, after }] : changes;
}

function compare(before: unknown, after: unknown, path: string, depth: number, changes: ValueChange[]): void {
  // One more than the maximum is enough to know that there are too many.
  if (before === after || changes.length > changesPerMemberMax) return;
  const open = depth < limits.depthMax;
  if (open && Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    for (const place of before.keys())
      compare(before[place], after[place], `${path}/${place}`, depth + 1, changes);
  } else if (open && isPlain(before) && isPlain(after)) {
    for (const name of memberNames(before, after)) {
      const at = path + pointerStep(name);
      const whole = compareMember(before, after, name, at);
      if (whole !== null) changes.push(whole);
      else compare(before[name], after[name], at, depth + 1, changes);
    }
  } else if (!isSameJson(before, after)) changes.push({ path, before, after });
}

/** A member that only one of the two has. */
function compareMember(before: Members, after: Members, name: string, path: string): ValueChange | null {
  if (!Object.hasOwn(after, name)) return { path, before: before[name] };
  return Object.hasOwn(before, name) ? null : { path, after: after[name] };
}

/**
 * Many libraries reject a patch whose path contains `__proto__` and the like: an object with such a
 * member changes as a whole.
 */
function isPlain(value: unknown): value is Members {
  return isObject(value) && !Object.keys(value).some(isReservedName);
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function memberNames(before: Members, after: Members): Set<string> {
  return new Set([...Object.keys(before), ...Object.keys(after)]);
}

export function pointerStep(name: string): string {
  return `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/**
 * Deep equality of JSON, ignoring the order of members. Its stack is an array, so any depth works.
 */
export function isSameJson(one: unknown, other: unknown): boolean {
  const left: [unknown, unknown][] = [[one, other]];
  for (let pair = left.pop(); pair !== undefined; pair = left.pop()) {
    const [a, b] = pair;
    if (a === b) continue;
    if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
    if (Array.isArray(a) !== Array.isArray(b)) return false;
    const names = Object.keys(a);
    if (names.length !== Object.keys(b).length) return false;
    for (const name of names) {
      if (!Object.hasOwn(b, name)) return false;
      left.push([(a as Members)[name], (b as Members)[name]]);
    }
  }
  return true;
}

/** The operations that turn `before` into `after` below a path. */
export function patchObject(
  before: Members,
  after: Members,
  at: string,
  ignored: ReadonlySet<string>,
): PatchOperation[] {
  if (!isPlain(before) || !isPlain(after))
    return isSameJson(before, after) ? [] : [{ op: 'replace', path: at, value: after }];
  return compareObjects(before, after, ignored).map((change) => {
    const path = at + change.path;
    if (!Object.hasOwn(change, 'after')) return { op: 'remove', path };
    return { op: Object.hasOwn(change, 'before') ? 'replace' : 'add', path, value: change.after };
  });
}
