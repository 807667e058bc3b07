// The environment of voice-api. The table in README.md is generated from this.
import type { z } from 'zod';
import { flowSecretsEnv, outboundEnv, outboundRules } from '@parley/outbound';
import { serviceConfig } from '@parley/platform';
import { conversationEnv } from './conversations/deps.ts';
import { deliveryEnv } from './deliveries/deps.ts';
import { feedEnv } from './feed/deps.ts';

export const config = serviceConfig({
  ...conversationEnv,
  ...deliveryEnv,
  ...feedEnv,
  ...outboundEnv,
  ...flowSecretsEnv,
}).superRefine(outboundRules);

export type Config = z.output<typeof config>;
