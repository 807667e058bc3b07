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

/** What goes there does not leave the machine. */
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
    .refine((text) => !new URL(text).username, 'holds no password: people are shown it')
    .optional()
    .describe(`Where operators open the queue dashboard of ${service}; the page links to it`);

export const config = z
  .object({
    NODE_ENV,
    HOST,
    PORT: PORT.describe('Port to listen on'),
    LOG_LEVEL,
    VAULT_ADDR,
    VAULT_TOKEN,
    CONSOLE_URL: address.describe(
      'Where people open the console; https in production, unless it is this machine',
    ),
    CONSOLE_KEY: secretReference.describe(
      'Key(s) that sessions are encrypted with: `id:<base64 of 32 bytes>`, comma-separated, the first one encrypts',
    ),
    REDIS_URL: serverUrl(...REDIS_SCHEMES)
      .optional()
      .describe(
        'Redis with the sessions; without it they are in memory: one replica, and a restart ends them',
      ),
    FLOW_BUILDER_URL: address.optional().describe('Where the console reaches the flow builder'),
    VOICE_API_URL: address.optional().describe('Where the console reaches the voice API'),
    NOTIFICATIONS_URL: address.optional().describe('Where the console reaches notifications'),
    FLOW_BUILDER_QUEUES_URL: queuesOf('the flow builder'),
    VOICE_API_QUEUES_URL: queuesOf('the voice API'),
    NOTIFICATIONS_QUEUES_URL: queuesOf('notifications'),
    OIDC_ISSUER: address
      .optional()
      .describe('The identity provider that people sign in with; https in production'),
    OIDC_CLIENT_ID: z.string().optional().describe('The console at the identity provider'),
    OIDC_CLIENT_SECRET: secretReference
      .optional()
      .describe('Its secret, where it has one; PKCE is used either way'),
    OIDC_SCOPES: z
      .string()
      .default('openid')
      .refine((scopes) => scopes.split(/\s+/).includes('openid'), 'must have openid among them')
      .describe('What is asked of the identity provider, separated by blanks; `openid` among them'),
    OIDC_NAME: z.string().max(40).default('single sign-on').describe('What the button to it says'),
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
        problem(name, 'must be https: what is sent there opens everything');
    }
  });

export type ConsoleConfig = z.output<typeof config>;
