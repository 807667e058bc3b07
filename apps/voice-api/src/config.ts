// The environment of voice-api. The table in README.md is generated from this.
import type { z } from 'zod';
import { flowSecretsEnv, outboundEnv, outboundRules } from '@parley/outbound';
import { serviceConfig } from '@parley/platform';
import { streamEnv } from '@parley/server/event-streams';
import { portalEnv } from './applications/deps.ts';
import { conversationEnv } from './conversations/deps.ts';
import { retentionEnv } from './retention/deps.ts';
import { deliveryEnv } from './deliveries/deps.ts';

export const config = serviceConfig({
  ...conversationEnv,
  ...deliveryEnv,
  ...retentionEnv,
  ...portalEnv,
  ...streamEnv,
  ...outboundEnv,
  ...flowSecretsEnv,
}).superRefine(outboundRules);

export type Config = z.output<typeof config>;
