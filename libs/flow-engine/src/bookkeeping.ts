// The engine's own counters inside the bag, `variables._flow = {turn, attempts: {<node id>: n}}`. The caller carries the bag, so the
// engine itself remembers nothing between turns. What a caller changed beyond recognition counts as absent.
import { bookkeepingName, ownMember, type Bag } from './paths.ts';

type OwnBag = Record<string, unknown>;

/** A copy of the bag for a new turn, with the turn counted. Conversation events take their ids from this number. */
export function startTurn(variables: Bag): OwnBag {
  const bag = asObject(variables);
  const flow = asObject(ownMember(bag, bookkeepingName));
  return { ...bag, [bookkeepingName]: { ...flow, turn: countOf(ownMember(flow, 'turn')) + 1 } };
}

/** Answers in a row that a collect node could not use. */
export function attemptsAt(bag: Bag, nodeId: string): number {
  return countOf(ownMember(ownMember(ownMember(bag, bookkeepingName), 'attempts'), nodeId));
}

/** Counts a failed answer in a bag that the turn owns. */
export function setAttempts(bag: OwnBag, nodeId: string, attempts: number): void {
  const flow = asObject(bag[bookkeepingName]);
  bag[bookkeepingName] = {
    ...flow,
    attempts: { ...asObject(ownMember(flow, 'attempts')), [nodeId]: attempts },
  };
}

/** Drops the count of a node, and the whole member with the last count. */
export function forget(bag: OwnBag, nodeId: string): void {
  const flow = asObject(bag[bookkeepingName]);
  const counts = asObject(ownMember(flow, 'attempts'));
  if (!Object.hasOwn(counts, nodeId)) return;
  const { [nodeId]: _forgotten, ...others } = counts;
  const { attempts: _counts, ...rest } = flow;
  bag[bookkeepingName] = Object.keys(others).length === 0 ? rest : { ...rest, attempts: others };
}

function asObject(value: unknown): Bag {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Bag) : {};
}

function countOf(value: unknown): number {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : 0;
}
