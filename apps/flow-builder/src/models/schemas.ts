// Wire shapes of the check of the provider and of what its models took.
import { z } from 'zod';
import { flowBuilderDialect } from '@parley/envelopes';
import { PROVIDER_SOURCES } from '../gateways/check-gateway.ts';
import { failureTexts, type GatewayFailure } from '../gateways/failures.ts';
import { PROVIDER_KINDS } from '../gateways/known-providers.ts';

const failures = Object.keys(failureTexts) as GatewayFailure[];

export const usageReport = z
  .strictObject({
    months: z
      .array(
        z.strictObject({
          month: z.string().describe('Of UTC, such as `2026-11`'),
          calls: z.number().describe('Answers of providers'),
          tokens_in: z.number(),
          tokens_out: z.number(),
          cost: z.number().nullable().describe('Of the calls with a price; null: no call has one'),
          unpriced_calls: z.number().describe('Calls whose cost is unknown'),
        }),
      )
      .describe('The last 24 with a call, newest first'),
    monthly_budget: z.number().nullable().describe('Of the model settings; null: no limit'),
    budget_used_up: z.boolean().describe('No model is called until the next month or a higher budget'),
  })
  .meta({ id: 'ModelUsageReport' });

export const checkRequest = z.strictObject({}).meta({ id: 'GatewayCheckRequest' });

export const providerCheck = z
  .strictObject({
    ok: z.boolean().describe('The classifier works, and nothing else that is configured has failed'),
    checks: z.array(
      z.strictObject({
        provider: z.enum(PROVIDER_SOURCES).describe('Whose configuration names the provider'),
        use: z.enum(['classifier', 'extractor', 'agent']),
        status: z.enum(['ok', 'failed', 'not_configured']),
        model: z.string().nullable(),
        ms: z.int().nullable(),
        reason: z.enum([...failures, 'wrong_answer']).nullable(),
        message: z.string().describe('What came back, in words, and the remedy'),
      }),
    ),
  })
  .meta({ id: 'GatewayCheck' });

const MODEL_CHARS_MAX = 200;
const KEY_CHARS_MAX = 4_096;
const PRICES_MAX = 100;
const FLOW_PROVIDERS_MAX = 10;
const NAMED_MODELS_MAX = 20;
/** Per million tokens; more is a slip. */
const PRICE_MAX = 1_000_000;
const BUDGET_MAX = 1_000_000_000;

const modelName = z.string().min(1).max(MODEL_CHARS_MAX);
const modelNames = z.strictObject({
  classifier: modelName.describe('Chooses among natural-language edges'),
  extractor: modelName.nullable().default(null).describe('Extracts variables; null: no extraction'),
  agent: modelName.nullable().default(null).describe('Runs autonomous nodes in process; null: callers do'),
});
const kind = z.enum(PROVIDER_KINDS).describe('`other`: any OpenAI-compatible API');

const account = {
  kind,
  url: z
    .string()
    .max(2_048)
    .nullish()
    .describe('Up to and including `/v1`; not needed for `openai`, `anthropic` and `gemini`'),
  key: z
    .string()
    .max(KEY_CHARS_MAX)
    .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without blanks')
    .nullish()
    .describe('Never shown again. Absent: the stored key stays, for the same origin; null: no key'),
};
const providerRequest = z
  .strictObject({ ...account, models: modelNames })
  .meta({ id: 'ModelProviderRequest' });

const providerName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,39}$/, 'must be 1 to 40 of a-z, 0-9, - and _, and begin with a-z or 0-9');
const namedModels = z
  .array(modelName)
  .min(1)
  .max(NAMED_MODELS_MAX)
  .refine((all) => new Set(all).size === all.length, 'must not name a model twice')
  .describe('A flow names one as `<name of the provider>/<model>` in `model` of its global node');
const flowProviderRequest = z
  .strictObject({ ...account, models: namedModels })
  .meta({ id: 'FlowProviderRequest' });

const price = z.strictObject({
  input: z.number().min(0).max(PRICE_MAX),
  output: z.number().min(0).max(PRICE_MAX),
});
const prices = z
  .record(modelName, price)
  .describe('Per million tokens, by model; before those of GATEWAY_PRICES');

export const modelSettingsRequest = z
  .strictObject({
    provider: providerRequest.nullish().describe('null: the provider of the deployment'),
    fallback: providerRequest.nullish().describe('Called once when the provider fails; null: none'),
    flow_providers: z
      .record(providerName, flowProviderRequest)
      .refine(
        (all) => Object.keys(all).length <= FLOW_PROVIDERS_MAX,
        `must hold at most ${FLOW_PROVIDERS_MAX} providers`,
      )
      .meta({ maxProperties: FLOW_PROVIDERS_MAX })
      .default({})
      .describe('Other accounts, by a name of yours, for flows that name one of their models'),
    prices: prices
      .refine((all) => Object.keys(all).length <= PRICES_MAX, `must hold at most ${PRICES_MAX} models`)
      .meta({ maxProperties: PRICES_MAX })
      .default({}),
    monthly_budget: z
      .number()
      .positive()
      .max(BUDGET_MAX)
      .nullish()
      .describe(
        'For a month of UTC, in the currency of the prices; every model needs a price; null: no limit',
      ),
  })
  .meta({ id: 'ModelSettingsRequest' });

export type ModelSettingsRequest = z.output<typeof modelSettingsRequest>;
export type ProviderRequest = z.output<typeof providerRequest>;
export type FlowProviderRequest = z.output<typeof flowProviderRequest>;

const accountView = { kind, url: z.string(), has_key: z.boolean() };
const providerView = z.strictObject({
  ...accountView,
  models: z.strictObject({
    classifier: z.string(),
    extractor: z.string().nullable(),
    agent: z.string().nullable(),
  }),
});

export const modelSettings = z
  .strictObject({
    provider: providerView.nullable(),
    fallback: providerView.nullable(),
    flow_providers: z.record(providerName, z.strictObject({ ...accountView, models: z.array(z.string()) })),
    prices,
    monthly_budget: z.number().nullable(),
    usable_models: z.array(z.string()).describe('Names that `model` of a global node may have'),
    updated_at: flowBuilderDialect.timeSchema.nullable().describe('null: the organisation has no settings'),
    updated_by: z.string().nullable(),
  })
  .meta({ id: 'ModelSettings' });
