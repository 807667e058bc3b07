// Environment variables of notifications. The table in README.md is generated from here.
import type { z } from 'zod';
import { outboundEnv, outboundRules } from '@parley/outbound';
import { serviceConfig } from '@parley/platform';
import { streamEnv } from '@parley/server/event-streams';
import { emailEnv } from './config/email.ts';
import { inboxEnv } from './config/inbox.ts';
import { deliveryEnv } from './config/delivery.ts';
import { pushEnv, pushRules } from './config/push.ts';
import { recipientsEnv } from './config/recipients.ts';
import { settingsEnv } from './config/setting-defaults.ts';

export const config = serviceConfig({
  ...deliveryEnv,
  ...settingsEnv,
  ...streamEnv,
  ...emailEnv,
  ...inboxEnv,
  ...pushEnv,
  ...recipientsEnv,
  ...outboundEnv,
})
  .superRefine(pushRules)
  .superRefine(outboundRules);

export type Config = z.output<typeof config>;
