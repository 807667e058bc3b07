// The engine's own notes among the variables: `_flow = {turn, attempts: {<node id>: n},
// interrupted: [<node id>], call: {node_id, call_id}, calls: [<call>], talk: {node_id, turns}}`.
// The caller carries them, so the engine stores nothing between turns. Notes that a caller has
// broken count as absent.
import { limits } from '../define/limits.ts';
import { stableHash } from './stable-hash.ts';
import { bookkeepingName, ownMember, type Bag } from '../read/paths.ts';

type OwnBag = Record<string, unknown>;

/**
 * A copy of the variables for a new turn, with the turn counted. Conversation events derive their
 * ids from this number.
 */
export function startTurn(variables: Bag): OwnBag {
  const bag = asObject(variables);
  const flow = asObject(bag[bookkeepingName]);
  const counted = { ...flow, turn: readCount(flow['turn']) + 1 };
  // Two spellings of one copy: V8 replaces a member of a fresh copy for free, but adding one costs
  // more than a whole turn.
  return bookkeepingName in bag
    ? { ...bag, [bookkeepingName]: counted }
    : { [bookkeepingName]: counted, ...bag };
}

/**
 * Failed answers of a collect node so far. Like the functions below, it takes variables that
 * startTurn made.
 */
export function attemptsAt(bag: OwnBag, nodeId: string): number {
  const { attempts } = readCounters(bag);
  return attempts === undefined ? 0 : readCount(ownMember(attempts, nodeId));
}

export function setAttempts(bag: OwnBag, nodeId: string, failures: number): void {
  const counters = readCounters(bag);
  bag[bookkeepingName] = { ...counters, attempts: { ...asObject(counters.attempts), [nodeId]: failures } };
}

/** Drops the count of a node, and the whole member with the last count. */
export function forgetAttempts(bag: OwnBag, nodeId: string): void {
  const counters = readCounters(bag);
  if (counters.attempts === undefined || ownMember(counters.attempts, nodeId) === undefined) return;
  const { attempts, ...rest } = counters;
  const others = Object.entries(asObject(attempts)).filter(([id]) => id !== nodeId);
  bag[bookkeepingName] = others.length === 0 ? rest : { ...rest, attempts: Object.fromEntries(others) };
}

/** Interrupted questions, the last one last. Truncates what a caller changed to the maximum. */
export function interruptedAt(bag: OwnBag): readonly string[] {
  const { interrupted } = readCounters(bag);
  if (!Array.isArray(interrupted)) return none;
  return interrupted.slice(0, limits.interruptedMax).filter((id) => typeof id === 'string');
}

const none: readonly string[] = [];

/** Stores the questions, and drops the whole member with the last of them. */
export function setInterrupted(bag: OwnBag, nodeIds: readonly string[]): void {
  const { interrupted, ...rest } = readCounters(bag);
  if (nodeIds.length > 0) bag[bookkeepingName] = { ...rest, interrupted: nodeIds };
  else if (interrupted !== undefined) bag[bookkeepingName] = rest;
}

/**
 * Notes that the node waits for a tool, and names the call. A repeated turn gives the same name,
 * since session, node and turn number are the same. One turn waits for one tool at most, so no two
 * calls of a conversation share a name.
 */
export function openCall(bag: OwnBag, nodeId: string, session: string | null): string {
  const counters = readCounters(bag);
  const callId = `call_${stableHash([session, nodeId, counters.turn])}`;
  const call = { node_id: nodeId, call_id: callId };
  const others = listCalls(counters).filter(({ node_id }) => node_id !== nodeId);
  bag[bookkeepingName] = withCalls(counters, [call, ...others]);
  return callId;
}

/** The call that the node waits for; null when there is none. */
export function openCallAt(bag: OwnBag, nodeId: string): string | null {
  return listCalls(readCounters(bag)).find(({ node_id }) => node_id === nodeId)?.call_id ?? null;
}

/** Only the current node can wait for a call, and tools that a command interrupted. */
export function forgetCallsExceptAt(bag: OwnBag, nodeId: string | null): void {
  const counters = readCounters(bag);
  if (counters.call === undefined) return;
  const interrupted = interruptedAt(bag);
  const calls = listCalls(counters);
  const open = calls.filter(({ node_id }) => node_id === nodeId || interrupted.includes(node_id));
  if (open.length < calls.length || calls.length === 0) bag[bookkeepingName] = withCalls(counters, open);
}

interface OpenCall {
  readonly node_id: string;
  readonly call_id: string;
}

/** The newest first; `calls` has those of tools that a command interrupted. */
function listCalls({ call, calls }: Counters): OpenCall[] {
  return [
    call,
    ...(Array.isArray(calls) ? (calls.slice(0, limits.interruptedMax) as unknown[]) : []),
  ].flatMap((one) => {
    const [node_id, call_id] = [ownMember(one, 'node_id'), ownMember(one, 'call_id')];
    return typeof node_id === 'string' && typeof call_id === 'string' ? [{ node_id, call_id }] : [];
  });
}

function withCalls({ call: _call, calls: _calls, ...rest }: Counters, [call, ...calls]: readonly OpenCall[]) {
  if (call === undefined) return rest;
  return calls.length === 0 ? { ...rest, call } : { ...rest, call, calls };
}

/** Consecutive answers to the node that filled other variables only. */
export function othersFilledAt(bag: OwnBag, nodeId: string): number {
  const { filled_others: filled } = readCounters(bag);
  return ownMember(filled, 'node_id') === nodeId ? readCount(ownMember(filled, 'answers')) : 0;
}

export function countOthersFilled(bag: OwnBag, nodeId: string): void {
  const filled = { node_id: nodeId, answers: othersFilledAt(bag, nodeId) + 1 };
  bag[bookkeepingName] = { ...readCounters(bag), filled_others: filled };
}

export function forgetOthersFilled(bag: OwnBag): void {
  const counters = readCounters(bag);
  if (counters.filled_others === undefined) return;
  const { filled_others: _over, ...rest } = counters;
  bag[bookkeepingName] = rest;
}

/** Utterances that the agent at the node has answered since the walk arrived there. */
export function talkTurnsAt(bag: OwnBag, nodeId: string): number {
  const { talk } = readCounters(bag);
  return ownMember(talk, 'node_id') === nodeId ? readCount(ownMember(talk, 'turns')) : 0;
}

export function setTalkTurns(bag: OwnBag, nodeId: string, turns: number): void {
  bag[bookkeepingName] = { ...readCounters(bag), talk: { node_id: nodeId, turns } };
}

/** Only the current node can talk. */
export function forgetTalkExceptAt(bag: OwnBag, nodeId: string | null): void {
  const counters = readCounters(bag);
  if (counters.talk === undefined || ownMember(counters.talk, 'node_id') === nodeId) return;
  const { talk: _over, ...rest } = counters;
  bag[bookkeepingName] = rest;
}

interface Counters {
  readonly turn: number;
  /** Unchecked, as the caller sent it: read through ownMember and asObject. */
  readonly attempts?: unknown;
  readonly interrupted?: unknown;
  /** Unchecked, like `attempts`. */
  readonly call?: unknown;
  readonly calls?: unknown;
  readonly filled_others?: unknown;
  readonly talk?: unknown;
}

const readCounters = (bag: OwnBag): Counters => bag[bookkeepingName] as Counters;

function asObject(value: unknown): Bag {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Bag) : {};
}

function readCount(value: unknown): number {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : 0;
}
