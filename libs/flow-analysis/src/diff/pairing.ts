// Pairs the nodes and edges of two versions, in time linear in the size of both.
import { listComparisons } from '@parley/flow-engine/define/conditions';
import { toJson } from '@parley/answers/readings';
import type { EdgeModel, NodeModel } from '@parley/flow-engine/define/model';

/** By place in the newer list: the place in the older one; -1 = new. */
export type Pairing = Int32Array;

/** By id; of several nodes with one id, in their order. */
export function pairNodes(before: readonly NodeModel[], after: readonly NodeModel[]): Pairing {
  const pairs = new Pairs(before.length, after.length);
  pairs.match(
    before.map(({ id }) => id),
    after.map(({ id }) => id),
  );
  return pairs.olderOf;
}

/**
 * Flows have no edge ids of their own, so edges pair by content: first those that are equal in
 * everything, then those with the same `id` from an editor, then those with the same condition,
 * then those between the same nodes.
 */
export function pairEdges(before: readonly EdgeModel[], after: readonly EdgeModel[]): Pairing {
  const pairs = new Pairs(before.length, after.length);
  for (const toKey of [wholeKey, idKey, endsAndConditionKey, conditionKey, endsAndKindKey, endsKey])
    pairs.match(before.map(toKey), after.map(toKey));
  return pairs.olderOf;
}

type Key = string | null;

function toConditionKey(edge: EdgeModel): unknown {
  const { kind, group, nl, caseSensitive } = edge;
  if (kind !== 'deterministic') return [kind, nl];
  const compared = listComparisons(edge).flatMap(({ variable, op, value }) => [variable, op, value ?? null]);
  return group === null ? [...compared, caseSensitive] : [group.joint, ...compared, caseSensitive];
}

/** With all other members, in the order in which the editor wrote them. */
const wholeKey = ({ raw }: EdgeModel): Key => serialise(raw);
const idKey = ({ raw }: EdgeModel): Key =>
  typeof raw['id'] === 'string' || typeof raw['id'] === 'number' ? serialise(raw['id']) : null;
const endsAndConditionKey = (edge: EdgeModel): Key =>
  serialise([edge.source, edge.target, toConditionKey(edge)]);
const conditionKey = (edge: EdgeModel): Key => serialise([edge.source, toConditionKey(edge)]);
const endsAndKindKey = ({ source, target, kind }: EdgeModel): Key => serialise([source, target, kind]);
const endsKey = ({ source, target }: EdgeModel): Key => serialise([source, target]);

/** Null for what JSON cannot express: it equals nothing else. */
function serialise(value: unknown): Key {
  const text = toJson(value);
  return text === '' ? null : text;
}

class Pairs {
  readonly olderOf: Int32Array;
  readonly #isPaired: Uint8Array;

  constructor(older: number, newer: number) {
    this.olderOf = new Int32Array(newer).fill(-1);
    this.#isPaired = new Uint8Array(older);
  }

  /** Pairs unpaired elements with the same key, in order. */
  match(olderKeys: readonly Key[], newerKeys: readonly Key[]): void {
    const waiting = new Map<string, number[]>();
    // Backwards, so that the first is popped first.
    for (let older = olderKeys.length - 1; older >= 0; older--) {
      const key = olderKeys[older]!;
      if (key === null || this.#isPaired[older] === 1) continue;
      const places = waiting.get(key);
      if (places === undefined) waiting.set(key, [older]);
      else places.push(older);
    }
    newerKeys.forEach((key, newer) => {
      if (key === null || this.olderOf[newer] !== -1) return;
      const older = waiting.get(key)?.pop();
      if (older === undefined) return;
      this.olderOf[newer] = older;
      this.#isPaired[older] = 1;
    });
  }
}

/**
 * Places of a longest ascending run of numbers (not adjacent): the elements that can stay. O(n log
 * n).
 */
export function findLongestAscending(numbers: readonly number[]): Set<number> {
  /** By length: the place at which the best run of that length ends. */
  const ends: number[] = [];
  const before = new Int32Array(numbers.length).fill(-1);
  numbers.forEach((number, place) => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (numbers[ends[middle]!]! < number) low = middle + 1;
      else high = middle;
    }
    if (low > 0) before[place] = ends[low - 1]!;
    ends[low] = place;
  });
  const run = new Set<number>();
  for (let place = ends.at(-1) ?? -1; place !== -1; place = before[place]!) run.add(place);
  return run;
}
