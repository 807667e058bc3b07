// Environment variables of the flow builder. The table in README.md is generated from them.
import type { z } from 'zod';
import { flowSecretsEnv, outboundEnv, outboundRules } from '@parley/outbound';
import { serviceConfig } from '@parley/platform';
import { integer } from '@parley/server/runtime';
import { gatewayEnv, gatewayRules } from './gateways/gateway-config.ts';

export const config = serviceConfig({
  RETENTION_DAYS: integer(0, 3_650)
    .default(30)
    .describe(
      'Days after which an archived flow is deleted permanently, with its versions and tests; 0: never',
    ),
  ...gatewayEnv,
  ...outboundEnv,
  ...flowSecretsEnv,
})
  .superRefine(gatewayRules)
  .superRefine(outboundRules);

export type Config = z.output<typeof config>;
