// Wire shapes of the check of the provider.
import { z } from 'zod';
import { failureTexts, type GatewayFailure } from '../gateways/failures.ts';

const failures = Object.keys(failureTexts) as GatewayFailure[];

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
