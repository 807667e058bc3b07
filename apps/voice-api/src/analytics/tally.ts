// The figures of one block or of several joined blocks. fold-facts.ts adds them up, read-rollups.ts
// reads them. Joining is commutative.
import {
  addValue,
  removeValue,
  encodeDistributions,
  mergeDistributions,
  mergeEncoded,
  type Distributions,
  type Measure,
} from './distribution.ts';
import { encodeCallers, type CallerSet } from './caller-set.rules.ts';

/** The plain numbers of a tally. Each is a column of analytics_rollups. */
export const COUNTERS = [
  'conversations',
  'completed',
  'failed',
  'duration_ms',
  'turns',
  'bot_turns',
  'interruptions',
  'webhook_attempts',
  'webhook_delivered',
  'api_requests',
  'model_calls',
  'tokens_in',
  'tokens_out',
  'model_cost_nanos',
  'unpriced_calls',
] as const;
export type Counter = (typeof COUNTERS)[number];

/** Counters that are a column of the facts, too. */
const ADDED = COUNTERS.filter(
  (counter) => !['conversations', 'completed', 'failed', 'duration_ms'].includes(counter),
) as readonly Exclude<Counter, 'conversations' | 'completed' | 'failed' | 'duration_ms'>[];

export interface Tally {
  readonly counts: Record<Counter, number>;
  readonly distributions: Distributions;
  /** Callers of stored rows, joined when the figure is needed. */
  readonly callerSets: CallerSet[];
  /** Numbers of further callers. */
  readonly callers: Set<number>;
  /** Durations that were taken back, in milliseconds. Removed when all others are there. */
  readonly removed: number[];
}

export function newTally(): Tally {
  const counts = Object.fromEntries(COUNTERS.map((counter) => [counter, 0])) as Record<Counter, number>;
  return { counts, distributions: {}, callerSets: [], callers: new Set(), removed: [] };
}

/** A row of analytics_facts. The reader looks up the caller's number. */
export interface FactRow {
  readonly starts_at: Date;
  readonly bot_id: string;
  readonly bot_version: string;
  readonly channel: string;
  readonly status: string;
  readonly end_reason: string;
  readonly error_code: string;
  readonly language: string;
  readonly flow_id: string;
  readonly flow_version: string;
  readonly conversations: number;
  readonly duration_ms: number | null;
  readonly turns: number;
  readonly bot_turns: number;
  readonly interruptions: number;
  readonly e2e_us: readonly number[];
  readonly asr_us: readonly number[];
  readonly llm_us: readonly number[];
  readonly tts_us: readonly number[];
  readonly webhook_attempts: number;
  readonly webhook_delivered: number;
  readonly webhook_us: readonly number[];
  readonly api_requests: number;
  readonly model_calls: number;
  readonly tokens_in: number;
  readonly tokens_out: number;
  readonly model_cost_nanos: number;
  readonly unpriced_calls: number;
}

export const FACT_COLUMNS = `starts_at, bot_id, bot_version, channel, status, end_reason, error_code, language, flow_id, flow_version, conversations, duration_ms,
  turns, bot_turns, interruptions, e2e_us, asr_us, llm_us, tts_us, webhook_attempts, webhook_delivered, webhook_us, api_requests,
  model_calls, tokens_in, tokens_out, model_cost_nanos, unpriced_calls`;

const ARRAYS = [
  ['e2e', 'e2e_us'],
  ['asr', 'asr_us'],
  ['llm', 'llm_us'],
  ['tts', 'tts_us'],
  ['webhook', 'webhook_us'],
] as const satisfies readonly (readonly [Measure, keyof FactRow])[];

/** Latencies in the facts of one query (docs/platform.md#byte-budgets). */
const NUMBERS_MAX = 500_000;
const NUMBERS = ARRAYS.map(([, column]) => `cardinality(${column})`).join(' + ');

/** Limits the facts of `statement`, ordered by id, to NUMBERS_MAX; at least one. */
export function boundedFacts(statement: string): string {
  return `SELECT *, nth < many AS more FROM (
      SELECT given.*, row_number() OVER (ORDER BY id) AS nth, count(*) OVER () AS many, ${NUMBERS} AS own,
        sum(${NUMBERS}) OVER (ORDER BY id) AS numbers FROM (${statement}) AS given) AS counted
    WHERE numbers <= ${NUMBERS_MAX} OR numbers = own`;
}

/** @param caller the caller's number, if the fact has one */
export function addFact(
  { counts, distributions, callers, removed }: Tally,
  fact: FactRow,
  caller?: number,
): void {
  counts.conversations += fact.conversations;
  if (fact.status === 'completed') counts.completed += fact.conversations;
  if (fact.status === 'failed') counts.failed += fact.conversations;
  for (const counter of ADDED) counts[counter] += fact[counter];
  if (fact.duration_ms !== null) {
    if (fact.conversations < 0) {
      counts.duration_ms -= fact.duration_ms;
      removed.push(fact.duration_ms);
    } else {
      counts.duration_ms += fact.duration_ms;
      addValue(distributions, 'duration', fact.duration_ms);
    }
  }
  for (const [measure, column] of ARRAYS) {
    for (const value of fact[column]) addValue(distributions, measure, value);
  }
  if (caller !== undefined) callers.add(caller);
}

/** A row of analytics_rollups without its large columns. */
export type RollupCounts = Readonly<Record<Counter, number>>;

/** The large columns of a row. A query needs one of them. */
export interface LargeColumns {
  readonly distributions?: Uint8Array;
  readonly callers?: CallerSet;
}

export function addRollup(
  tally: Tally,
  counts: RollupCounts,
  { distributions, callers }: LargeColumns,
): void {
  for (const counter of COUNTERS) tally.counts[counter] += counts[counter];
  if (distributions) mergeEncoded(tally.distributions, distributions);
  if (callers) tally.callerSets.push(callers);
}

/** Adds `from` without its callers to `into`; `from` is unchanged. */
export function addCounts(into: Tally, from: Tally): void {
  for (const counter of COUNTERS) into.counts[counter] += from.counts[counter];
  mergeDistributions(into.distributions, from.distributions);
}

/** Adds `from` to `into`; `from` is unchanged. */
export function addTally(into: Tally, from: Tally): void {
  addCounts(into, from);
  into.removed.push(...from.removed);
  into.callerSets.push(...from.callerSets);
  for (const caller of from.callers) into.callers.add(caller);
}

/** Removes what was taken back, once everything that it was part of has been added. */
export function applyRemovals({ distributions, removed }: Tally): void {
  for (const value of removed.splice(0)) removeValue(distributions, 'duration', value);
}

/** The binary columns of a tally whose callers are numbers. */
export function encodeTally(tally: Tally): { distributions: Buffer; callers: Buffer } {
  applyRemovals(tally);
  const { distributions, callers, callerSets } = tally;
  if (callerSets.length > 0) throw new Error('sets of callers must be joined before they are stored');
  return { distributions: encodeDistributions(distributions), callers: encodeCallers(callers) };
}
