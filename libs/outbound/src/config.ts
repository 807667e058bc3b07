// The variables of the address policy. A service that sends to customers' addresses spreads
// `outboundEnv` into its schema and adds `outboundRules`.
import { z } from 'zod';
import { flag, list } from '@parley/server/runtime';
import { createAddressPolicy, isAllowItem, type AddressPolicy } from './address-policy.ts';
import { SECRETS_PLACE } from './secret-headers.ts';

const port = z
  .string()
  .refine(
    (text) => /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535,
    'must be ports from 1 to 65535',
  )
  .transform(Number);

export const outboundEnv = {
  OUTBOUND_PORTS: list
    .pipe(z.array(port).min(1, 'must name at least one port'))
    .prefault('443')
    .describe("Ports that customers' addresses may name, comma-separated"),
  OUTBOUND_ALLOW: list
    .pipe(
      z.array(
        z.string().refine(isAllowItem, 'must be addresses, blocks (10.0.0.0/8) or host names, without ports'),
      ),
    )
    .default([])
    .describe(
      'Addresses, CIDR blocks and host names that are exempt from the rules on scheme, port and address',
    ),
  OUTBOUND_ALLOW_IN_PRODUCTION: flag
    .prefault('false')
    .describe('Accept OUTBOUND_ALLOW although NODE_ENV=production'),
} as const;

/** For services that send the headers of a flow: for its tools and webhook nodes. */
export const flowSecretsEnv = {
  FLOW_SECRETS: z
    .string()
    .regex(SECRETS_PLACE, 'must be file:///…/{organization}/{name} or vault://mount/…/{organization}#{name}')
    .optional()
    .describe(
      'Place of the secrets that headers of a flow or a webhook name as `secret://<name>`: `file:///…/{organization}/{name}` or `vault://mount/…/{organization}#{name}`; the same in flow builder and voice API',
    ),
} as const;

type OutboundConfig = {
  readonly NODE_ENV?: string;
  readonly OUTBOUND_PORTS?: readonly number[];
  readonly OUTBOUND_ALLOW?: readonly string[];
  readonly OUTBOUND_ALLOW_IN_PRODUCTION?: boolean;
};

/** The rule between the variables: `schema.superRefine(outboundRules)`. */
export function outboundRules(config: OutboundConfig, context: z.RefinementCtx): void {
  const lifted = (config.OUTBOUND_ALLOW ?? []).length > 0;
  if (lifted && config.NODE_ENV === 'production' && config.OUTBOUND_ALLOW_IN_PRODUCTION !== true) {
    context.addIssue({
      code: 'custom',
      path: ['OUTBOUND_ALLOW'],
      message:
        'opens addresses inside the network; with NODE_ENV=production it needs OUTBOUND_ALLOW_IN_PRODUCTION=true',
    });
  }
}

/** The policy that the variables describe. */
export function outboundPolicy(config: OutboundConfig): AddressPolicy {
  return createAddressPolicy({
    ...(config.OUTBOUND_PORTS ? { ports: config.OUTBOUND_PORTS } : {}),
    ...(config.OUTBOUND_ALLOW ? { allow: config.OUTBOUND_ALLOW } : {}),
  });
}
