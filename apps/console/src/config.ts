// The configuration of the console. The table in README.md is generated from it.
import { z } from 'zod';
import {
  platformEnv,
  REDIS_SCHEMES,
  secretReference,
  serverUrl,
  type ServiceName,
} from '@parley/server/runtime';

const { NODE_ENV, HOST, PORT, LOG_LEVEL, VAULT_ADDR, VAULT_TOKEN } = platformEnv;
const address = z.url({ protocol: /^https?$/ });

/** Traffic to these hosts stays on the machine. */
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** The variable with the address of each service. */
export const ADDRESS_OF = {
  'flow-builder': 'FLOW_BUILDER_URL',
  'voice-api': 'VOICE_API_URL',
  notifications: 'NOTIFICATIONS_URL',
} as const satisfies Record<ServiceName, string>;

/** The variable with the address of each service's queue dashboard. */
export const QUEUES_OF = {
  'flow-builder': 'FLOW_BUILDER_QUEUES_URL',
  'voice-api': 'VOICE_API_QUEUES_URL',
  notifications: 'NOTIFICATIONS_QUEUES_URL',
} as const satisfies Record<ServiceName, string>;
const queuesOf = (service: string) =>
  address
    .refine((text) => !new URL(text).username, 'must not contain a password, because the page shows it')
    .optional()
    .describe(`Address of the queue dashboard of ${service}, which the page links to`);

export const config = z
  .object({
    NODE_ENV,
    HOST,
    PORT: PORT.describe('Port to listen on'),
    LOG_LEVEL,
    VAULT_ADDR,
    VAULT_TOKEN,
    CONSOLE_URL: address.describe(
      'Public address of the console; https in production, except on the local machine',
    ),
    CONSOLE_KEY: secretReference.describe(
      'Keys that encrypt sessions: `id:<base64 of 32 bytes>`, comma-separated; the first one encrypts',
    ),
    REDIS_URL: serverUrl(...REDIS_SCHEMES)
      .optional()
      .describe('Redis for sessions. Default: in memory, for one replica; a restart ends them'),
    FLOW_BUILDER_URL: address.optional().describe('Address of the flow builder'),
    VOICE_API_URL: address.optional().describe('Address of the voice API'),
    NOTIFICATIONS_URL: address.optional().describe('Address of notifications'),
    FLOW_BUILDER_QUEUES_URL: queuesOf('the flow builder'),
    VOICE_API_QUEUES_URL: queuesOf('the voice API'),
    NOTIFICATIONS_QUEUES_URL: queuesOf('notifications'),
    OIDC_ISSUER: address.optional().describe('Issuer of the identity provider; https in production'),
    OIDC_CLIENT_ID: z.string().optional().describe('Client id of the console at the identity provider'),
    OIDC_CLIENT_SECRET: secretReference.optional().describe('Client secret, if any; PKCE is always used'),
    OIDC_SCOPES: z
      .string()
      .default('openid')
      .refine((scopes) => scopes.split(/\s+/).includes('openid'), 'must include openid')
      .describe('Space-separated scopes for the identity provider; must include `openid`'),
    OIDC_NAME: z
      .string()
      .max(40)
      .default('single sign-on')
      .describe('Name of the identity provider on the sign-in button'),
  })
  .superRefine((config, context) => {
    const problem = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    if (config.VAULT_ADDR && !config.VAULT_TOKEN) problem('VAULT_TOKEN', 'is needed with VAULT_ADDR');
    if (config.OIDC_ISSUER && !config.OIDC_CLIENT_ID) problem('OIDC_CLIENT_ID', 'is needed with OIDC_ISSUER');
    if (!Object.values(ADDRESS_OF).some((name) => config[name]))
      problem('FLOW_BUILDER_URL', `set at least one of ${Object.values(ADDRESS_OF).join(', ')}`);
    if (config.NODE_ENV !== 'production') return;
    for (const name of ['CONSOLE_URL', 'OIDC_ISSUER'] as const) {
      const address = config[name];
      if (address && !/^https:/i.test(address) && !LOOPBACK.test(new URL(address).hostname))
        problem(name, 'must be https, because credentials are sent there');
    }
  });

export type ConsoleConfig = z.output<typeof config>;
