// Wire shapes of the check of the provider and of what its models took.
import { z } from 'zod';
import { failureTexts, type GatewayFailure } from '../gateways/failures.ts';

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
  })
  .meta({ id: 'ModelUsageReport' });

export const checkRequest = z.strictObject({}).meta({ id: 'GatewayCheckRequest' });

export const providerCheck = z
  .strictObject({
    ok: z.boolean().describe('The classifier works, and nothing else that is configured has failed'),
    checks: z.array(
      z.strictObject({
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
