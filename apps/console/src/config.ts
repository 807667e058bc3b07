// The configuration of the console. The table in README.md is generated from it.
import { z } from 'zod';
import { list, platformEnv, secretReference, SERVICES, type ServiceName } from '@parley/server/runtime';

const { NODE_ENV, HOST, PORT, LOG_LEVEL, VAULT_ADDR, VAULT_TOKEN, IDENTITY_CLAIMS } = platformEnv;
const address = z.url({ protocol: /^https?$/ });

/** Traffic to these hosts stays on the machine. */
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** An address for each service that is named: `flow-builder=http://…,voice-api=http://…`. */
const addresses = list.transform((entries, context): Partial<Record<ServiceName, string>> => {
  const found: Partial<Record<ServiceName, string>> = {};
  for (const entry of entries) {
    const [name = '', ...rest] = entry.split('=');
    const service = SERVICES.find((known) => known === name.trim());
    const { data: url } = address.safeParse(rest.join('=').trim());
    if (!service || !url || found[service]) {
      context.addIssue(`must be <service>=<http address>, once each for ${SERVICES.join(', ')}`);
      return z.NEVER;
    }
    found[service] = url;
  }
  return found;
});

export const config = z
  .object({
    NODE_ENV,
    HOST,
    PORT: PORT.describe('Port to listen on'),
    LOG_LEVEL,
    VAULT_ADDR,
    VAULT_TOKEN,
    PUBLIC_URL: address.describe(
      'Public address of the console; https in production, except on the local machine',
    ),
    CONSOLE_KEY: secretReference.describe(
      'Keys that encrypt sessions: `id:<base64 of 32 bytes>`, comma-separated; the first one encrypts',
    ),
    QUEUE_URL: platformEnv.QUEUE_URL.optional().describe(
      'Redis for sessions. Without it, or with postgres://, they are in memory, for one replica; a restart ends them',
    ),
    SERVICE_URLS: addresses.describe(
      'Address of each service that the console shows: `flow-builder=<address>,voice-api=<address>,notifications=<address>`',
    ),
    QUEUE_DASHBOARD_URLS: addresses
      .refine(
        (urls) => !Object.values(urls).some((url) => new URL(url).username),
        'must not contain a password, because the page shows it',
      )
      .prefault('')
      .describe('Addresses of queue dashboards, in the same form, which the page links to'),
    OIDC_ISSUER: address.optional().describe('Issuer of the identity provider; https in production'),
    OIDC_CLIENT_ID: z.string().optional().describe('Client id of the console at the identity provider'),
    OIDC_CLIENT_SECRET: secretReference.optional().describe('Client secret, if any; PKCE is always used'),
    OIDC_SCOPES: z
      .string()
      .default('openid')
      .refine((scopes) => scopes.split(/\s+/).includes('openid'), 'must include openid')
      .describe(
        'Space-separated scopes for the identity provider; must include `openid`, and for many providers `offline_access`, so that sessions are renewed',
      ),
    IDENTITY_CLAIMS: IDENTITY_CLAIMS.describe('As in the services: organisation and scopes of people'),
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
    if (Object.keys(config.SERVICE_URLS).length === 0)
      problem('SERVICE_URLS', 'must name at least one service');
    if (config.NODE_ENV !== 'production') return;
    for (const name of ['PUBLIC_URL', 'OIDC_ISSUER'] as const) {
      const address = config[name];
      if (address && !/^https:/i.test(address) && !LOOPBACK.test(new URL(address).hostname))
        problem(name, 'must be https, because credentials are sent there');
    }
  });

export type ConsoleConfig = z.output<typeof config>;
