// The environment of voice-api. The table in README.md is generated from this.
import type { z } from 'zod';
import { flowSecretsEnv, outboundEnv, outboundRules } from '@parley/outbound';
import { serviceConfig } from '@parley/platform';
import { conversationEnv } from './conversations/conversation-config.ts';
import { webhookEnv } from './deliveries/delivery-config.ts';
import { feedEnv } from './feed/feed-config.ts';

export const config = serviceConfig({
  ...conversationEnv,
  ...webhookEnv,
  ...feedEnv,
  ...outboundEnv,
  ...flowSecretsEnv,
}).superRefine(outboundRules);

export type Config = z.output<typeof config>;
