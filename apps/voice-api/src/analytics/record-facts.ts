// Records analytics facts: one compact row each, in the transaction that makes the fact true
// (docs/voice-api.md#analytics). fold-facts.ts moves the rows into rollups. read-rollups.ts adds
// the rest, so figures are exact at commit.
//
// Facts are appended because all conversations of an organisation would wait for the one rollup of
// the current quarter. Intakes share only the sequence of `id`, which does not lock.
import { createHash } from 'node:crypto';
import type { Sql } from '@parley/server/postgres';
import { floorToQuarter } from './blocks.rules.ts';

/** A final conversation, or turns that arrived later. Purges do not remove facts. */
export interface ConversationFact {
  /**
   * 1, 0 for late turns of a conversation that was counted before, or -1 to take a fact back: its
   * duration is then removed.
   */
  readonly conversations: number;
  readonly organizationId: string;
  readonly conversationId: string;
  readonly botId: string | null;
  readonly channel: string;
  /** The final status: `completed`, `failed`, `no_answer`, `busy`, `canceled`. */
  readonly status: string;
  readonly endReason: string;
  /** Of a failed conversation. */
  readonly errorCode: string | null;
  /** BCP 47. */
  readonly language: string | null;
  readonly flowId: string | null;
  readonly flowVersion: number | null;
  /** Determines the bucket and the version that the bot had at that time. */
  readonly startedAt: Date;
  /** Null: never connected. */
  readonly durationSeconds: number | null;
  /** The caller as the channel names it. Only a digest is stored. */
  readonly from: string | null;
  /** Turns of the transcript, of all roles. */
  readonly turns: number;
  /** Interrupted bot turns; at most `botTurns`. */
  readonly interruptions: number;
  readonly botTurns: number;
  /** Milliseconds, one number for each measured turn. */
  readonly latencies: Readonly<Record<'e2e' | 'asr' | 'llm' | 'tts', readonly number[]>>;
  /**
   * Recorded turns that arrived after the conversation was counted. A conversation that is counted
   * or taken back has the models of all its recorded turns.
   */
  readonly lateRecordedTurns?: readonly number[];
}

/** One HTTP request to a webhook. */
export interface DeliveryAttemptFact {
  readonly organizationId: string;
  readonly atMs: number;
  /** A 2xx answer arrived in time. */
  readonly ok: boolean;
  /** Duration of the request, with any outcome. */
  readonly ms: number;
}

export interface RequestFact {
  readonly organizationId: string;
  readonly atMs: number;
  readonly count: number;
}

/** 35 minutes in microseconds fit into four bytes; longer times count as that. */
const MICROSECONDS_MAX = 2 ** 31 - 1;

/** Takes back a counted conversation. Callers and latencies stay counted: sets only grow. */
export function negate(fact: ConversationFact): ConversationFact {
  return {
    ...fact,
    conversations: -fact.conversations,
    turns: -fact.turns,
    botTurns: -fact.botTurns,
    interruptions: -fact.interruptions,
    latencies: { e2e: [], asr: [], llm: [], tts: [] },
  };
}

/** Call once for a final conversation and once for each later turn: repetitions count twice. */
export async function recordConversations(sql: Sql, facts: readonly ConversationFact[]): Promise<void> {
  if (facts.length === 0) return;
  const latencies = (stage: keyof ConversationFact['latencies']) =>
    facts.map((fact) => intArray(fact.latencies[stage]));
  await sql(INSERT_CONVERSATIONS, [
    facts.map((fact) => fact.organizationId),
    facts.map((fact) => floorToQuarter(fact.startedAt.getTime()).toISOString()),
    facts.map((fact) => fact.botId ?? ''),
    facts.map((fact) => fact.channel),
    facts.map((fact) => fact.status),
    facts.map((fact) => fact.endReason),
    facts.map((fact) => fact.language ?? ''),
    facts.map((fact) => (fact.from ? callerDigest(fact.organizationId, fact.from) : '')),
    facts.map(({ durationSeconds }) =>
      durationSeconds === null ? -1 : Math.max(0, Math.round(durationSeconds * 1000)),
    ),
    facts.map((fact) => fact.turns),
    facts.map((fact) => fact.botTurns),
    facts.map((fact) => fact.interruptions),
    latencies('e2e'),
    latencies('asr'),
    latencies('llm'),
    latencies('tts'),
    facts.map((fact) => fact.flowId ?? ''),
    facts.map((fact) => flowVersionValue(fact) ?? ''),
    facts.map((fact) => fact.conversations),
    facts.map((fact) => fact.startedAt.toISOString()),
    facts.map((fact) => fact.errorCode ?? ''),
    facts.map((fact) => fact.conversationId),
    facts.map((fact) => `{${(fact.lateRecordedTurns ?? []).join(',')}}`),
  ]);
}

/** A version as a dimension value; it includes its flow. */
export function flowVersionValue({
  flowId,
  flowVersion,
}: Pick<ConversationFact, 'flowId' | 'flowVersion'>): string | null {
  return flowId === null || flowVersion === null ? null : `${flowId}@${flowVersion}`;
}

/** All requests. A batch costs one row for each organisation and quarter of an hour. */
export async function recordDeliveryAttempts(sql: Sql, facts: readonly DeliveryAttemptFact[]): Promise<void> {
  const groups = byOrganizationAndQuarter(facts);
  if (groups.length === 0) return;
  await sql(INSERT_ATTEMPTS, [
    groups.map(([fact]) => fact!.organizationId),
    groups.map(([fact]) => floorToQuarter(fact!.atMs).toISOString()),
    groups.map((group) => group.length),
    groups.map((group) => group.filter(({ ok }) => ok).length),
    groups.map((group) => intArray(group.map(({ ms }) => ms))),
  ]);
}

/** API requests counted since the last call. */
export async function recordRequests(sql: Sql, facts: readonly RequestFact[]): Promise<void> {
  const groups = byOrganizationAndQuarter(facts.filter(({ count }) => count > 0));
  if (groups.length === 0) return;
  await sql(INSERT_REQUESTS, [
    groups.map(([fact]) => fact!.organizationId),
    groups.map(([fact]) => floorToQuarter(fact!.atMs).toISOString()),
    groups.map((group) => group.reduce((sum, { count }) => sum + count, 0)),
  ]);
}

/**
 * Distinguishes callers within an organisation without storing their numbers; differs between
 * organisations. It counts as masked personal data, because trying all numbers would reveal them.
 */
export function callerDigest(organizationId: string, from: string): string {
  return createHash('sha256').update(organizationId).update('\0').update(from).digest('hex');
}

/** A Postgres array literal of microseconds: unnest takes only flat arrays. */
function intArray(milliseconds: readonly number[]): string {
  const us = milliseconds.map((ms) => Math.min(MICROSECONDS_MAX, Math.max(0, Math.round(ms * 1000))));
  return `{${us.join(',')}}`;
}

function byOrganizationAndQuarter<Fact extends { organizationId: string; atMs: number }>(
  facts: readonly Fact[],
): Fact[][] {
  const groups = new Map<string, Fact[]>();
  for (const fact of facts) {
    const key = `${floorToQuarter(fact.atMs).getTime()} ${fact.organizationId}`;
    const group = groups.get(key);
    if (group) group.push(fact);
    else groups.set(key, [fact]);
  }
  return [...groups.values()];
}

const MODEL_FIGURES = [
  'model_calls',
  'tokens_in',
  'tokens_out',
  'model_cost_nanos',
  'unpriced_calls',
] as const;

const INSERT_CONVERSATIONS = `
  INSERT INTO analytics_facts (organization_id, starts_at, bot_id, channel, status, end_reason, language, caller,
    conversations, duration_ms, turns, bot_turns, interruptions, e2e_us, asr_us, llm_us, tts_us, flow_id, flow_version,
    error_code, bot_version, model_calls, tokens_in, tokens_out, model_cost_nanos, unpriced_calls)
  SELECT f.organization_id, f.starts_at, f.bot_id, f.channel, f.status, f.end_reason, f.language,
    decode(NULLIF(f.caller, ''), 'hex'), f.conversations, NULLIF(f.duration_ms, -1), f.turns, f.bot_turns, f.interruptions,
    f.e2e::int[], f.asr::int[], f.llm::int[], f.tts::int[], f.flow_id, f.flow_version,
    f.error_code, COALESCE(f.bot_id || '@' || version.version, ''), models.*
  FROM unnest($1::text[], $2::timestamptz[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
    $9::bigint[], $10::int[], $11::int[], $12::int[], $13::text[], $14::text[], $15::text[], $16::text[], $17::text[], $18::text[],
    $19::int[], $20::timestamptz[], $21::text[], $22::text[], $23::text[])
    AS f(organization_id, starts_at, bot_id, channel, status, end_reason, language, caller,
      duration_ms, turns, bot_turns, interruptions, e2e, asr, llm, tts, flow_id, flow_version, conversations, started_at, error_code,
      conversation_id, late_turns)
  CROSS JOIN LATERAL (
    SELECT ${MODEL_FIGURES.map((figure) => `COALESCE(sum(one.${figure}), 0) * CASE WHEN f.conversations < 0 THEN -1 ELSE 1 END`).join(', ')}
    FROM conversation_turns AS one
    WHERE one.organization_id = f.organization_id AND one.conversation_id = f.conversation_id
      AND (f.conversations <> 0 OR one.turn = ANY(f.late_turns::int[]))) AS models
  LEFT JOIN LATERAL (
    SELECT stored.version FROM bot_versions AS stored
    WHERE stored.organization_id = f.organization_id AND stored.bot_id = f.bot_id AND stored.at <= f.started_at
    ORDER BY stored.at DESC, stored.version DESC LIMIT 1) AS version ON true`;

const INSERT_ATTEMPTS = `
  INSERT INTO analytics_facts (organization_id, starts_at, webhook_attempts, webhook_delivered, webhook_us)
  SELECT f.organization_id, f.starts_at, f.attempts, f.delivered, f.us::int[]
  FROM unnest($1::text[], $2::timestamptz[], $3::int[], $4::int[], $5::text[])
    AS f(organization_id, starts_at, attempts, delivered, us)`;

const INSERT_REQUESTS = `
  INSERT INTO analytics_facts (organization_id, starts_at, api_requests)
  SELECT f.organization_id, f.starts_at, f.requests
  FROM unnest($1::text[], $2::timestamptz[], $3::int[]) AS f(organization_id, starts_at, requests)`;
