// Environment variables of notifications. The table in README.md is generated from here.
import type { z } from 'zod';
import { outboundEnv, outboundRules } from '@parley/outbound';
import { serviceConfig } from '@parley/platform';
import { emailEnv } from './email/email-config.ts';
import { inboxEnv } from './inbox/inbox-config.ts';
import { deliveryEnv } from './notify/delivery-config.ts';
import { pushEnv, pushRules } from './push/push-config.ts';
import { recipientsEnv } from './recipients/recipients-config.ts';
import { settingsEnv } from './notify/setting-defaults.ts';

export const config = serviceConfig({
  ...deliveryEnv,
  ...settingsEnv,
  ...emailEnv,
  ...inboxEnv,
  ...pushEnv,
  ...recipientsEnv,
  ...outboundEnv,
})
  .superRefine(pushRules)
  .superRefine(outboundRules);

export type Config = z.output<typeof config>;
