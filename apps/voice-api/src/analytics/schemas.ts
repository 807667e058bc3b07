// Wire shapes of the analytics. The descriptions are the definitions of the figures: the reference pages print them.
import { z } from 'zod';
import { INTERVALS } from './buckets.rules.ts';
import { DIMENSIONS } from './series.rules.ts';

/** ISO 8601 with offset and fractions has 29 characters. */
const INSTANT_CHARACTERS_MAX = 40;
const TIMEZONE_CHARACTERS_MAX = 100;
/** As long as a runtime may name its bot. */
const BOT_ID_CHARACTERS_MAX = 255;

const FLOW_ID_CHARACTERS_MAX = 128;
const VERSION_MAX = 2_147_483_647;

const version = z.coerce.number().pipe(z.int().min(1).max(VERSION_MAX));
const instant = z.string().max(INSTANT_CHARACTERS_MAX);

export const analyticsQuery = z.strictObject({
  from: instant
    .optional()
    .describe(
      'Start of the window, in it. ISO 8601, on a quarter of an hour; without an offset (or a date alone) in `timezone`. Default: 7 days before `to`.',
    ),
  to: instant
    .optional()
    .describe(
      'End of the window, not in it. At most 366 days after `from`. Default: the end of the present quarter of an hour.',
    ),
  interval: z
    .enum(INTERVALS)
    .default('day')
    .describe(
      'Length of a bucket, by the clock of `timezone`; weeks begin on Mondays. The window cuts the first and the last bucket. Where clocks change, days are shorter or longer, and an hour that comes twice is two buckets.',
    ),
  timezone: z
    .string()
    .min(1)
    .max(TIMEZONE_CHARACTERS_MAX)
    .default('UTC')
    .describe('IANA name, such as Europe/Berlin.'),
  bot_id: z
    .string()
    .min(1)
    .max(BOT_ID_CHARACTERS_MAX)
    .optional()
    .describe(
      'Only conversations of this bot, also after it was deleted. Webhook and request figures belong to no bot and are null then.',
    ),
  flow_id: z
    .string()
    .min(1)
    .max(FLOW_ID_CHARACTERS_MAX)
    .optional()
    .describe(
      'Only conversations of this flow. Webhook and request figures belong to no flow and are null then; `group_by` may only be `flow_version`.',
    ),
  flow_version: version.optional().describe('Only those of this version of `flow_id`.'),
  group_by: z
    .enum(DIMENSIONS)
    .optional()
    .describe(
      'Adds `groups` to every bucket and to the totals, one for each value that occurs in the window, in every bucket. Webhook and request figures are not divided: they are null in groups.',
    ),
});
export type AnalyticsQuery = z.output<typeof analyticsQuery>;

const count = z.int().min(0);
const rate = z.number().min(0).max(1).nullable();
const figure = z.number().min(0).nullable();

const usageFigures = {
  conversations: count.describe(
    'Conversations that started in the bucket and have ended, however they ended.',
  ),
  minutes: z
    .number()
    .min(0)
    .describe('Sum of their durations in minutes, not rounded per conversation; six decimals.'),
  turns: count.describe('Turns of their transcripts, of users and bots, when they ended.'),
  unique_callers: count.describe(
    'Different values of `from` among them. Exact for the span it stands beside, so those of buckets or groups do not add up to the total. Conversations without `from` count as no caller.',
  ),
  webhook_deliveries: count
    .nullable()
    .describe(
      'Deliveries that a webhook accepted with a 2xx in the bucket. Null in groups and with `bot_id`.',
    ),
  api_requests: count
    .nullable()
    .describe(
      'Requests with a valid credential of the organisation in the bucket, whatever their answer. Null in groups and with `bot_id`.',
    ),
};

const distribution = (unit: string, what: string) =>
  z
    .object({
      avg: figure,
      p50: figure,
      p90: figure,
      p95: figure,
      p99: figure,
      max: figure,
      count,
    })
    .describe(
      `${what}, in ${unit}. avg, max and count are exact; a percentile (nearest rank) is within 1 % of it. Null where count is 0.`,
    );

const performanceFigures = {
  conversations: usageFigures.conversations,
  completion_rate: rate.describe(
    'Those of them that ended as `completed`, as a part of 1. Null without conversations.',
  ),
  error_rate: rate.describe(
    'Those that ended as `failed`, as a part of 1; no_answer, busy and canceled are neither.',
  ),
  interruption_rate: rate.describe(
    'Bot turns that the user interrupted, as a part of all bot turns. Null without bot turns.',
  ),
  duration: distribution('seconds', 'Duration of the conversations that have one'),
  latency: z.object({
    e2e: distribution('milliseconds', '`metrics.e2e_ms` of their bot turns, where it was reported'),
    asr: distribution('milliseconds', '`metrics.asr_ms`, likewise'),
    llm: distribution('milliseconds', '`metrics.llm_ms`, likewise'),
    tts: distribution('milliseconds', '`metrics.tts_ms`, likewise'),
  }),
  webhook_success_rate: rate.describe(
    'Webhook attempts made in the bucket that were answered with a 2xx, as a part of all attempts. Null without attempts, in groups, and with `bot_id`.',
  ),
  webhook_latency: distribution(
    'milliseconds',
    'Time of the webhook attempts made in the bucket, failed ones included',
  )
    .nullable()
    .describe(
      'Time of the webhook attempts made in the bucket, in milliseconds, failed ones included. Null in groups and with `bot_id`.',
    ),
};

/** The answer of a question about figures of one kind. */
function answerOf<Figures extends z.ZodRawShape>(figures: Figures) {
  const groups = z
    .array(
      z.object({
        key: z.string().nullable().describe('Value of the dimension; null: conversations without one.'),
        ...figures,
      }),
    )
    .optional()
    .describe('Only with `group_by`. In the order of the keys, null first.');
  return z.object({
    from: z.iso.datetime(),
    to: z.iso.datetime(),
    interval: z.enum(INTERVALS),
    timezone: z.string(),
    bot_id: z.string().nullable(),
    flow_id: z.string().nullable(),
    flow_version: z.int().nullable(),
    group_by: z.enum(DIMENSIONS).nullable(),
    as_of: z.iso
      .datetime()
      .describe(
        'Everything that was committed before this moment is counted. API requests are up to two seconds behind.',
      ),
    totals: z.object({ ...figures, groups }).describe('Over the whole window.'),
    buckets: z
      .array(
        z.object({
          start: z.iso.datetime(),
          end: z.iso.datetime().describe('Not in the bucket.'),
          as_of: z.iso.datetime(),
          complete: z
            .boolean()
            .describe(
              'The bucket is over and no conversation that started in it is still going on: its conversation figures will not change any more.',
            ),
          ...figures,
          groups,
        }),
      )
      .describe('Rising, without gaps, zero where nothing happened.'),
  });
}

export const flowStepsQuery = z.strictObject({
  flow_id: z.string().min(1).max(FLOW_ID_CHARACTERS_MAX),
  version,
});

export const flowSteps = z
  .strictObject({
    flow_id: z.string(),
    version: z.int(),
    nodes: z.array(
      z.strictObject({
        index: z.int().describe('Position in `nodes` of the definition'),
        turns: count.describe('Recorded turns that visited it'),
        left: count.describe('Conversations that ended while it waited for an answer'),
      }),
    ),
    edges: z.array(
      z.strictObject({
        index: z.int().describe('Position in `edges` of the definition'),
        turns: count.describe('Recorded turns that took it'),
      }),
    ),
  })
  .meta({ id: 'FlowSteps' });

export const usageAnswer = answerOf(usageFigures);
export const performanceAnswer = answerOf(performanceFigures);
export type UsageAnswer = z.output<typeof usageAnswer>;
export type PerformanceAnswer = z.output<typeof performanceAnswer>;
