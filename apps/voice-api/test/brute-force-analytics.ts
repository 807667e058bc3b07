// Analytics by brute force: random facts in a list, and figures computed from the list. Shares only
// the shape of a fact with src/analytics.
import { expect } from '@jest/globals';
import {
  flowVersionValue,
  type ConversationFact,
  type DeliveryAttemptFact,
  type RequestFact,
} from '../src/analytics/record-facts.ts';
import type { PerformanceAnswer, UsageAnswer } from '../src/analytics/schemas.ts';
import type { Dimension } from '../src/analytics/series.rules.ts';

export interface Facts {
  readonly conversations: ConversationFact[];
  readonly attempts: DeliveryAttemptFact[];
  readonly requests: RequestFact[];
}

/** Deterministic random numbers (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Facts of several organisations, spread over [fromMs, toMs). */
export function randomFacts(random: () => number, count: number, fromMs: number, toMs: number): Facts {
  const among = <T>(...values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
  const upTo = (most: number): number => Math.floor(random() * (most + 1));
  const many = <T>(most: number, one: () => T): T[] => Array.from({ length: upTo(most) }, one);
  const at = (): number => fromMs + Math.floor(random() * (toMs - fromMs));
  const organizationId = (): string => among('acme', 'acme', 'globex', 'initech');
  const latency = (scale: number) => (): number => Math.round(Math.exp(random() * 4) * scale * 4) / 4;
  return {
    conversations: Array.from({ length: count }, (_, index) => {
      const status = among('completed', 'completed', 'completed', 'failed', 'no_answer', 'busy', 'canceled');
      const connected = status === 'completed' || status === 'failed';
      const botTurns = connected ? upTo(6) : 0;
      return {
        conversations: 1,
        organizationId: organizationId(),
        conversationId: `conv_${index}`,
        botId: among('bot_1', 'bot_1', 'bot_2', 'bot_3', null),
        channel: among('phone', 'web', 'sip', 'chat'),
        status,
        errorCode: status === 'failed' ? among('asr_down', 'timeout', 'no_model') : null,
        endReason: connected ? among('user_hangup', 'bot_hangup', 'handed_off', 'error') : status,
        language: among('en', 'de-CH', 'ne', null),
        ...among(
          { flowId: 'greeting', flowVersion: 1 },
          { flowId: 'greeting', flowVersion: 2 },
          { flowId: 'greet', flowVersion: null },
          { flowId: null, flowVersion: null },
        ),
        startedAt: new Date(at()),
        durationSeconds: connected ? Math.round(random() * 600_000) / 1000 : null,
        from: among(null, `+4930${upTo(40)}`, `+4930${upTo(400)}`),
        turns: botTurns + (connected ? upTo(6) : 0),
        interruptions: upTo(botTurns),
        botTurns,
        latencies: {
          e2e: many(botTurns, latency(90)),
          asr: many(botTurns, latency(20)),
          llm: many(botTurns, () => (random() < 0.1 ? 0 : latency(60)())),
          tts: many(1, latency(5)),
        },
      };
    }),
    attempts: Array.from({ length: count }, () => ({
      organizationId: organizationId(),
      atMs: at(),
      ok: random() < 0.9,
      ms: latency(3)(),
    })),
    requests: Array.from({ length: count / 10 }, () => ({
      organizationId: organizationId(),
      atMs: at(),
      count: 1 + upTo(50),
    })),
  };
}

/** Changed within the period of the facts; `bot_2` also before it, `bot_3` never. */
export const BOT_VERSIONS = [
  { botId: 'bot_1', version: 1, at: new Date('2026-10-24T10:00:00Z') },
  { botId: 'bot_1', version: 2, at: new Date('2026-10-26T10:07:13.001Z') },
  { botId: 'bot_2', version: 1, at: new Date('2026-01-01T00:00:00Z') },
  { botId: 'bot_2', version: 2, at: new Date('2026-04-03T00:00:00Z') },
  { botId: 'bot_2', version: 3, at: new Date('2026-10-25T00:00:00Z') },
];

export interface Span {
  readonly organizationId: string;
  readonly botId?: string | undefined;
  readonly fromMs: number;
  readonly toMs: number;
}

const WIRE: Record<Dimension, (fact: ConversationFact) => string | null> = {
  bot_id: (fact) => fact.botId,
  bot_version: ({ botId, startedAt }) => {
    const versions = BOT_VERSIONS.filter((one) => one.botId === botId && one.at <= startedAt);
    return versions.length === 0 ? null : `${botId}@${Math.max(...versions.map(({ version }) => version))}`;
  },
  channel: (fact) => fact.channel,
  status: (fact) => fact.status,
  end_reason: (fact) => fact.endReason,
  error_code: (fact) => fact.errorCode,
  language: (fact) => fact.language,
  flow_id: (fact) => fact.flowId,
  flow_version: flowVersionValue,
};

function conversationsIn(facts: Facts, { organizationId, botId, fromMs, toMs }: Span): ConversationFact[] {
  return facts.conversations.filter(
    (fact) =>
      fact.organizationId === organizationId &&
      (botId === undefined || fact.botId === botId) &&
      fact.startedAt.getTime() >= fromMs &&
      fact.startedAt.getTime() < toMs,
  );
}

function inSpan<Fact extends { organizationId: string; atMs: number }>(facts: Fact[], span: Span): Fact[] {
  return facts.filter(
    ({ organizationId, atMs }) =>
      organizationId === span.organizationId && atMs >= span.fromMs && atMs < span.toMs,
  );
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

function computeUsage(conversations: readonly ConversationFact[]) {
  const minutes =
    sum(conversations.map(({ durationSeconds }) => Math.round((durationSeconds ?? 0) * 1000))) / 60_000;
  return {
    conversations: conversations.length,
    minutes: Math.round(minutes * 1e6) / 1e6,
    turns: sum(conversations.map(({ turns }) => turns)),
    unique_callers: new Set(conversations.flatMap(({ from }) => from ?? [])).size,
    // No recorded turns: recorded-turns.int.test.ts has models.
    model_calls: 0,
    tokens_in: 0,
    tokens_out: 0,
    model_cost: 0,
    unpriced_model_calls: 0,
    webhook_deliveries: null as number | null,
    api_requests: null as number | null,
  };
}

function computeTotalUsage(facts: Facts, span: Span) {
  const figures = computeUsage(conversationsIn(facts, span));
  if (span.botId !== undefined) return figures;
  return {
    ...figures,
    webhook_deliveries: inSpan(facts.attempts, span).filter(({ ok }) => ok).length,
    api_requests: sum(inSpan(facts.requests, span).map(({ count }) => count)),
  };
}

/** A rate rounded as in answers. */
const rate = (part: number, whole: number): number | null =>
  whole === 0 ? null : Math.round((part / whole) * 1e6) / 1e6;

function computePerformance(conversations: readonly ConversationFact[]) {
  const ended = (status: string): number => conversations.filter((fact) => fact.status === status).length;
  const stage = (name: 'e2e' | 'asr' | 'llm' | 'tts') =>
    conversations.flatMap(({ latencies }) => latencies[name]);
  return {
    conversations: conversations.length,
    completion_rate: rate(ended('completed'), conversations.length),
    error_rate: rate(ended('failed'), conversations.length),
    interruption_rate: rate(
      sum(conversations.map(({ interruptions }) => interruptions)),
      sum(conversations.map(({ botTurns }) => botTurns)),
    ),
    webhook_success_rate: null as number | null,
    values: {
      duration: conversations.flatMap(({ durationSeconds }) => durationSeconds ?? []),
      e2e: stage('e2e'),
      asr: stage('asr'),
      llm: stage('llm'),
      tts: stage('tts'),
      webhook: null as number[] | null,
    },
  };
}

function computeTotalPerformance(facts: Facts, span: Span) {
  const figures = computePerformance(conversationsIn(facts, span));
  if (span.botId !== undefined) return figures;
  const attempts = inSpan(facts.attempts, span);
  return {
    ...figures,
    webhook_success_rate: rate(attempts.filter(({ ok }) => ok).length, attempts.length),
    values: { ...figures.values, webhook: attempts.map(({ ms }) => ms) },
  };
}

type Question = { organizationId: string; botId?: string | undefined; groupBy?: Dimension | undefined };

/** The expected groups: values that occur in the window, null first. */
function listKeys(facts: Facts, span: Span, groupBy: Dimension): (string | null)[] {
  const keys = new Set(conversationsIn(facts, span).map(WIRE[groupBy]));
  if (groupBy === 'error_code') keys.delete(null);
  return [...keys].sort((a, b) => ((a ?? '') < (b ?? '') ? -1 : 1));
}

const toSpan = (question: Question, start: string, end: string): Span => ({
  organizationId: question.organizationId,
  botId: question.botId,
  fromMs: Date.parse(start),
  toMs: Date.parse(end),
});

/** Compares all figures exactly. */
export function expectUsage(answer: UsageAnswer, facts: Facts, question: Question): void {
  const window = toSpan(question, answer.from, answer.to);
  const { groupBy } = question;
  const keys = groupBy && listKeys(facts, window, groupBy);
  const expected = (span: Span) => ({
    ...computeTotalUsage(facts, span),
    ...(groupBy && {
      groups: keys!.map((key) => ({
        key,
        ...computeUsage(conversationsIn(facts, span).filter((fact) => WIRE[groupBy](fact) === key)),
      })),
    }),
  });
  expect(answer.totals).toEqual(expected(window));
  for (const { start, end, as_of: _asOf, complete: _complete, whole: _whole, ...figures } of answer.buckets) {
    expect(figures).toEqual(expected(toSpan(question, start, end)));
  }
  expectGapless(answer);
}

/** Compares rates, counts, averages and maxima exactly, percentiles within 1 %. */
export function expectPerformance(answer: PerformanceAnswer, facts: Facts, question: Question): void {
  const window = toSpan(question, answer.from, answer.to);
  const { groupBy } = question;
  const keys = groupBy && listKeys(facts, window, groupBy);
  const compare = (figures: PerformanceAnswer['totals'], span: Span): void => {
    expectFigures(figures, computeTotalPerformance(facts, span));
    if (!groupBy) return expect(figures.groups).toBeUndefined();
    expect(figures.groups!.map(({ key }) => key)).toEqual(keys);
    for (const group of figures.groups!) {
      const members = conversationsIn(facts, span).filter((fact) => WIRE[groupBy](fact) === group.key);
      expectFigures(group, computePerformance(members));
    }
  };
  compare(answer.totals, window);
  for (const bucket of answer.buckets) compare(bucket, toSpan(question, bucket.start, bucket.end));
  expectGapless(answer);
}

function expectFigures(
  figures: Omit<PerformanceAnswer['totals'], 'groups'>,
  { values, ...exact }: ReturnType<typeof computePerformance>,
): void {
  expect(figures).toMatchObject(exact);
  expectDistribution(figures.duration, values.duration);
  for (const stage of ['e2e', 'asr', 'llm', 'tts'] as const) {
    expectDistribution(figures.latency[stage], values[stage]);
  }
  if (values.webhook === null) expect(figures.webhook_latency).toBeNull();
  else expectDistribution(figures.webhook_latency!, values.webhook);
}

function expectDistribution(told: PerformanceAnswer['totals']['duration'], values: readonly number[]): void {
  expect(told.count).toBe(values.length);
  if (values.length === 0) {
    expect(told).toEqual({ avg: null, p50: null, p90: null, p95: null, p99: null, max: null, count: 0 });
    return;
  }
  const sorted = values.toSorted((a, b) => a - b);
  expect(told.max).toBe(sorted.at(-1));
  expect(told.avg).toBeCloseTo(sum(values) / values.length, 5);
  for (const [name, quantile] of [
    ['p50', 0.5],
    ['p90', 0.9],
    ['p95', 0.95],
    ['p99', 0.99],
  ] as const) {
    const exact = sorted[Math.ceil(quantile * sorted.length) - 1]!;
    if (Math.abs(told[name]! - exact) > exact * 0.01 + 1e-6) {
      throw new Error(`${name} is ${told[name]}, it should be ${exact}`);
    }
  }
}

function expectGapless({ from, to, buckets }: UsageAnswer | PerformanceAnswer): void {
  expect([...buckets.map(({ start }) => start), to]).toEqual([from, ...buckets.map(({ end }) => end)]);
}
