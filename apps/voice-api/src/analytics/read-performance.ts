// GET /v1/analytics/performance
import type { DDSketch } from '@datadog/sketches-js';
import type { Caller } from '@parley/server/http';
import type { Deps } from './deps.ts';
import { answerQuery, type FigureKind } from './answer-question.ts';
import { computeQuantile } from './distribution.ts';
import type { AnalyticsQuery, PerformanceAnswer } from './schemas.ts';
import { newTally } from './tally.ts';

export async function readPerformance(
  deps: Pick<Deps, 'pool' | 'clock' | 'blockCache'>,
  caller: Caller,
  query: AnalyticsQuery,
): Promise<PerformanceAnswer> {
  return answerQuery(deps, caller, query, performance);
}

const performance = {
  reads: 'distributions',
  figures: ({ counts, distributions }, _uniqueCallers, traffic) => ({
    conversations: counts.conversations,
    completion_rate: rate(counts.completed, counts.conversations),
    error_rate: rate(counts.failed, counts.conversations),
    interruption_rate: rate(counts.interruptions, counts.bot_turns),
    duration: summary(distributions.duration, 1000), // stored in milliseconds, reported in seconds
    latency: {
      e2e: summary(distributions.e2e, 1000), // stored in microseconds, reported in milliseconds
      asr: summary(distributions.asr, 1000),
      llm: summary(distributions.llm, 1000),
      tts: summary(distributions.tts, 1000),
    },
    webhook_success_rate: traffic && rate(traffic.counts.webhook_delivered, traffic.counts.webhook_attempts),
    webhook_latency: traffic && summary(traffic.distributions.webhook, 1000),
  }),
} satisfies FigureKind<Omit<PerformanceAnswer['totals'], 'groups'>>;

function rate(part: number, whole: number): number | null {
  // At most 1: a runtime may report an interruption of a turn that does not exist.
  return whole === 0 ? null : Math.min(1, rounded(part / whole, 1e6));
}

/** @param unit stored units in one reported unit */
function summary(sketch: DDSketch | undefined, unit: number): PerformanceAnswer['totals']['duration'] {
  if (!sketch || sketch.count === 0) {
    return { avg: null, p50: null, p90: null, p95: null, p99: null, max: null, count: 0 };
  }
  const convert = (value: number): number => rounded(value / unit, 1e6);
  return {
    avg: convert(sketch.sum / sketch.count),
    p50: convert(computeQuantile(sketch, 0.5)),
    p90: convert(computeQuantile(sketch, 0.9)),
    p95: convert(computeQuantile(sketch, 0.95)),
    p99: convert(computeQuantile(sketch, 0.99)),
    max: convert(sketch.max),
    count: sketch.count,
  };
}

function rounded(value: number, scale: number): number {
  return Math.round(value * scale) / scale;
}

/** The figures of nothing, with every member. */
export const NO_PERFORMANCE = performance.figures(newTally(), 0, newTally());
