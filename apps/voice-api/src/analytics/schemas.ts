// Wire shapes of the analytics. The descriptions define the figures; the API reference prints them.
import { z } from 'zod';
import { INTERVALS } from './buckets.rules.ts';
import { DIMENSIONS } from './series.rules.ts';

/** ISO 8601 with offset and fractions has 29 characters. */
const INSTANT_CHARACTERS_MAX = 40;
const TIMEZONE_CHARACTERS_MAX = 100;
/** The longest bot id that a runtime may report. */
const BOT_ID_CHARACTERS_MAX = 255;

const FLOW_ID_CHARACTERS_MAX = 128;
const VERSION_MAX = 2_147_483_647;
const FLOW_ANSWERS_DAYS_MAX = 366;

/** Also of the other figures. */
const format = z
  .enum(['json', 'csv'])
  .optional()
  .describe('`csv` is the same as `Accept: text/csv`: a line for each bucket, group and total.');

const version = z.coerce.number().pipe(z.int().min(1).max(VERSION_MAX));
const instant = z.string().max(INSTANT_CHARACTERS_MAX);

export const analyticsQuery = z.strictObject({
  from: instant
    .optional()
    .describe(
      'Start of the window, inclusive. ISO 8601, on a quarter of an hour. Times without an offset and dates are in `timezone`. Default: seven whole days of `timezone`, the last of which is that of `to`.',
    ),
  to: instant
    .optional()
    .describe(
      'End of the window, exclusive. At most 366 days after `from`. Default: the end of the current quarter of an hour.',
    ),
  interval: z
    .enum(INTERVALS)
    .default('day')
    .describe(
      'Length of a bucket in local time of `timezone`. Weeks begin on Mondays. The window cuts the first and last bucket. When clocks change, days are shorter or longer, and a repeated hour makes two buckets.',
    ),
  timezone: z
    .string()
    .min(1)
    .max(TIMEZONE_CHARACTERS_MAX)
    .default('UTC')
    .describe('IANA time zone, for example Europe/Berlin.'),
  bot_id: z
    .string()
    .min(1)
    .max(BOT_ID_CHARACTERS_MAX)
    .optional()
    .describe(
      'Only conversations of this bot, which may be deleted. Webhook and request figures are null, because they belong to no bot.',
    ),
  flow_id: z
    .string()
    .min(1)
    .max(FLOW_ID_CHARACTERS_MAX)
    .optional()
    .describe(
      'Only conversations of this flow. Webhook and request figures are null, because they belong to no flow. `group_by` may only be `flow_version`.',
    ),
  flow_version: version.optional().describe('Only conversations of this version of `flow_id`.'),
  group_by: z
    .enum(DIMENSIONS)
    .optional()
    .describe(
      'Adds `groups` to the totals and to each bucket: one for each value that occurs in the window. Webhook and request figures are null in groups. `error_code` has groups for failed conversations only.',
    ),
  format,
});
export type AnalyticsQuery = z.output<typeof analyticsQuery>;

const count = z.int().min(0);
const rate = z.number().min(0).max(1).nullable();
const figure = z.number().min(0).nullable();

const usageFigures = {
  conversations: count.describe('Conversations that started in the bucket and have ended, for any reason.'),
  minutes: z
    .number()
    .min(0)
    .describe('Sum of their durations in minutes, with six decimals. Single conversations are not rounded.'),
  turns: count.describe('Turns of users and bots in their transcripts.'),
  unique_callers: count.describe(
    'Distinct values of `from`, exact for each bucket, group and total. They do not add up, because a caller may occur in several. Conversations without `from` have no caller.',
  ),
  model_calls: count.describe(
    'Answers of model providers in the recorded turns of their flows. Bots with `recording: "off"` have none here.',
  ),
  tokens_in: count.describe('Tokens of the prompts of these calls, as the provider counted them.'),
  tokens_out: count.describe('Tokens of the completions of these calls.'),
  model_cost: z
    .number()
    .min(0)
    .describe('Cost of these calls in the currency of the prices, without those of unknown cost.'),
  unpriced_model_calls: count.describe(
    'Calls of turns whose cost is unknown: a price or a count is missing.',
  ),
  webhook_deliveries: count
    .nullable()
    .describe('Deliveries that webhooks answered with 2xx in the bucket. Null in groups and with `bot_id`.'),
  api_requests: count
    .nullable()
    .describe(
      'Requests in the bucket with a valid credential of the organisation, with any status. Null in groups and with `bot_id`.',
    ),
};

const figures = z
  .object({
    avg: figure,
    p50: figure,
    p90: figure,
    p95: figure,
    p99: figure,
    max: figure,
    count,
  })
  .meta({ id: 'Distribution' });

const distribution = (unit: string, what: string) =>
  figures.describe(
    `${what}, in ${unit}. avg, max and count are exact; percentiles (nearest rank) are within 1 %. Null when count is 0.`,
  );

const performanceFigures = {
  conversations: usageFigures.conversations,
  completion_rate: rate.describe(
    'Share of conversations that ended as `completed`, from 0 to 1. Null without conversations.',
  ),
  error_rate: rate.describe(
    'Share of conversations that ended as `failed`. `no_answer`, `busy` and `canceled` are neither completed nor failed.',
  ),
  interruption_rate: rate.describe('Share of bot turns that the user interrupted. Null without bot turns.'),
  duration: distribution('seconds', 'Duration of conversations that have one'),
  latency: z.object({
    e2e: distribution('milliseconds', '`metrics.e2e_ms` of their bot turns, where reported'),
    asr: distribution('milliseconds', '`metrics.asr_ms` of their bot turns, where reported'),
    llm: distribution('milliseconds', '`metrics.llm_ms` of their bot turns, where reported'),
    tts: distribution('milliseconds', '`metrics.tts_ms` of their bot turns, where reported'),
  }),
  webhook_success_rate: rate.describe(
    'Share of webhook attempts in the bucket that were answered with 2xx. Null without attempts, in groups, and with `bot_id`.',
  ),
  webhook_latency: distribution(
    'milliseconds',
    'Duration of webhook attempts in the bucket, including failed ones',
  )
    .nullable()
    .describe(
      'Duration of webhook attempts in the bucket in milliseconds, including failed ones. Null in groups and with `bot_id`.',
    ),
};

/** The answer to a query, with the figures of one endpoint. */
function buildAnswerSchema<Figures extends z.ZodRawShape>(figures: Figures) {
  const groups = z
    .array(
      z.object({
        key: z.string().nullable().describe('Value of the dimension; null for conversations without one.'),
        ...figures,
      }),
    )
    .optional()
    .describe('With `group_by`. Ordered by key, null first.');
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
        'The figures include everything committed before this moment. API requests lag by up to two seconds.',
      ),
    complete: z
      .boolean()
      .describe('All buckets are complete. False, for example, while the last day of the window lasts.'),
    totals: z.object({ ...figures, groups }).describe('For the whole window.'),
    buckets: z
      .array(
        z.object({
          start: z.iso.datetime(),
          end: z.iso.datetime().describe('Exclusive.'),
          as_of: z.iso.datetime(),
          complete: z
            .boolean()
            .describe(
              'The bucket is over and all conversations that started in it have ended. Its conversation figures can no longer change.',
            ),
          whole: z
            .boolean()
            .describe('The bucket is a whole hour, day, week or month. False: the window cuts it.'),
          ...figures,
          groups,
        }),
      )
      .describe('In rising order, without gaps. Buckets without activity have zeros.'),
  });
}

export const flowStepsQuery = z.strictObject({
  flow_id: z.string().min(1).max(FLOW_ID_CHARACTERS_MAX),
  version,
  format: format.describe('`csv` is the same as `Accept: text/csv`'),
});

export const flowSteps = z
  .strictObject({
    flow_id: z.string(),
    version: z.int(),
    nodes: z.array(
      z.strictObject({
        index: z.int().describe('Index in `nodes` of the definition'),
        turns: count.describe('Recorded turns that visited the node'),
        left: count.describe('Conversations that ended while the node waited for an answer'),
      }),
    ),
    edges: z.array(
      z.strictObject({
        index: z.int().describe('Index in `edges` of the definition'),
        turns: count.describe('Recorded turns that took the edge'),
      }),
    ),
  })
  .meta({ id: 'FlowSteps' });

export const flowAnswersQuery = flowStepsQuery.extend({
  days: z.coerce
    .number()
    .int()
    .min(1)
    .max(FLOW_ANSWERS_DAYS_MAX)
    .default(30)
    .describe('Conversations of so many days'),
});

export const flowAnswers = z
  .strictObject({
    flow_id: z.string(),
    version: z.int(),
    days: z.int(),
    complete: z
      .boolean()
      .describe('false: only the newest 2,000 conversations of the flow, or 50,000 answers, were counted'),
    questions: z.array(
      z.strictObject({
        index: z.int().describe('Position of the collect node in `nodes` of the definition'),
        understood: count.describe('Answers that were captured at the first attempt'),
        understood_later: count.describe('Answers that were captured at a later attempt'),
        asked_again: count.describe('Answers, and silence, after which the question was asked again'),
        lost: count.describe(
          'The last attempt failed: the default was captured, or the conversation went on without',
        ),
        refused: z
          .array(z.strictObject({ words: z.string(), count }))
          .describe('The most frequent answers that were not understood, at most ten, in lower case'),
      }),
    ),
  })
  .meta({ id: 'FlowAnswers' });

export const usageAnswer = buildAnswerSchema(usageFigures);
export const performanceAnswer = buildAnswerSchema(performanceFigures);
export type FlowSteps = z.output<typeof flowSteps>;
export type FlowAnswers = z.output<typeof flowAnswers>;
export type UsageAnswer = z.output<typeof usageAnswer>;
export type PerformanceAnswer = z.output<typeof performanceAnswer>;
