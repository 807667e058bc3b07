// Environment variables of the model gateway, and the rules between them. Part of config.ts.
import { z } from 'zod';
import { secretReference } from '@parley/server/runtime';
import type { Price } from './meter.ts';

/** Seconds; fractions are allowed. */
function seconds(min: number, max: number) {
  const message = `must be a number of seconds from ${min} to ${max}`;
  return z.coerce.number(message).min(min, message).max(max, message);
}

const PRICE = /^\s*(\S(?:.*\S)?)\s*=\s*(\d{1,6}(?:\.\d{1,9})?)\s*\/\s*(\d{1,6}(?:\.\d{1,9})?)\s*$/;

function parsePrices(text: string, context: z.RefinementCtx): ReadonlyMap<string, Price> {
  const prices = new Map<string, Price>();
  for (const entry of text.split(',')) {
    const [, model, input, output] = PRICE.exec(entry) ?? [];
    if (model === undefined)
      context.addIssue({ code: 'custom', message: `"${entry.trim()}" is not <model>=<input>/<output>` });
    else prices.set(model, { input: Number(input), output: Number(output) });
  }
  return prices;
}

const modelName = z.string().min(1).max(200);

export const gatewayEnv = {
  GATEWAY_URL: z
    .url({ protocol: /^https?$/ })
    .refine((url) => !hasCredentials(url), 'must not hold a user name or password; use GATEWAY_KEY')
    .optional()
    .describe(
      'OpenAI-compatible gateway, up to and including `/v1`, such as `http://litellm:4000/v1`; without it a lexical classifier decides branches',
    ),
  GATEWAY_KEY: secretReference.optional().describe('Bearer key for GATEWAY_URL'),
  CLASSIFIER_MODEL: modelName
    .optional()
    .describe('Model that chooses among natural-language edges; needed with GATEWAY_URL'),
  CLASSIFIER_TIMEOUT: seconds(0.1, 60)
    .default(2)
    .describe('Seconds until an unanswered classification takes the default edge'),
  EXTRACTOR_MODEL: modelName
    .optional()
    .describe('Model that extracts typed variables from answers; default: no extraction'),
  AGENT_MODEL: modelName.optional().describe('Model that runs autonomous nodes in process'),
  GATEWAY_PRICES: z
    .string()
    .max(10_000)
    .transform(parsePrices)
    .optional()
    .describe(
      'Prices of models per million tokens, comma-separated: `<model>=<input>/<output>`, such as `gpt-4.1-mini=0.4/1.6`; without one a cost is unknown',
    ),
  AGENT_MODE: z
    .enum(['in_process', 'out_of_band'])
    .default('out_of_band')
    .describe('Runs autonomous nodes here, or passes them to the caller as run specs'),
  TURN_DEADLINE: seconds(1, 300)
    .default(25)
    .describe('Seconds that the model calls of one turn may take together'),
} as const;

export type GatewayConfig = z.output<z.ZodObject<typeof gatewayEnv>>;

/** Use it as `serviceConfig({ ...gatewayEnv }).superRefine(gatewayRules)`. */
export function gatewayRules(config: Partial<GatewayConfig>, context: z.RefinementCtx): void {
  const problem = (name: keyof GatewayConfig, message: string) =>
    context.addIssue({ code: 'custom', path: [name], message });
  const inProcess = config.AGENT_MODE === 'in_process';
  if (config.GATEWAY_URL !== undefined) {
    if (!config.CLASSIFIER_MODEL) problem('CLASSIFIER_MODEL', 'is needed with GATEWAY_URL');
  } else {
    // Refused, because a model without a gateway looks as if it were in use.
    const orphans = (
      ['GATEWAY_KEY', 'GATEWAY_PRICES', 'CLASSIFIER_MODEL', 'EXTRACTOR_MODEL', 'AGENT_MODEL'] as const
    ).filter((name) => config[name] !== undefined);
    if (orphans.length > 0) problem('GATEWAY_URL', `is not set, so ${orphans.join(', ')} would do nothing`);
    if (inProcess) problem('GATEWAY_URL', 'is needed with AGENT_MODE=in_process');
  }
  if (inProcess && !config.AGENT_MODEL) problem('AGENT_MODEL', 'is needed with AGENT_MODE=in_process');
  const { CLASSIFIER_TIMEOUT: timeout, TURN_DEADLINE: deadline } = config;
  if (timeout !== undefined && deadline !== undefined && timeout > deadline) {
    problem('CLASSIFIER_TIMEOUT', 'must not be longer than TURN_DEADLINE');
  }
}

function hasCredentials(url: string): boolean {
  if (!URL.canParse(url)) return false; // reported above
  const { username, password } = new URL(url);
  return username !== '' || password !== '';
}
