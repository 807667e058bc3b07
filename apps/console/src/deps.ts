// Creates the dependencies of the console. It has no database and no queue.
import { createTickets, type Tickets } from '@parley/server/console-access';
import {
  createSecrets,
  createSecretParser,
  parseKeyring,
  systemClock,
  type Clock,
  type Log,
  type ServiceName,
  type ServiceStart,
} from '@parley/server/runtime';
import type { ConsoleConfig } from './config.ts';
import { createIdentity, redirectUri, type Identity } from './session/identity.ts';
import { createLinks, type Links } from './session/links.ts';
import { createSessions, type Sessions } from './session/session.ts';
import { sessionsInMemory, sessionsInRedis } from './session/session-store.ts';

export interface Deps {
  readonly config: ConsoleConfig;
  readonly clock: Clock;
  readonly log: Log;
  readonly tickets: Tickets;
  readonly sessions: Sessions;
  readonly links: Links;
  /** Null: no identity provider is configured. */
  readonly identity: Identity | null;
  /** Addresses of the configured services, without a trailing slash. */
  readonly addresses: Partial<Record<ServiceName, string>>;
  /** Folder of the built page. */
  readonly pageFolder: string;
}

export async function createDeps(
  { config, env, log }: Omit<ServiceStart<ConsoleConfig>, 'life'>,
  pageFolder: string,
): Promise<Deps> {
  const clock = systemClock;
  const { VAULT_ADDR: url, VAULT_TOKEN: token } = config;
  const secrets = createSecrets({ env, clock, vault: url && token ? { url, token } : undefined });
  const keyring = createSecretParser(secrets, config.CONSOLE_KEY, parseKeyring);
  const tickets = createTickets(keyring, clock);
  const queueUrl = config.QUEUE_URL && (await secrets.resolveUrl(config.QUEUE_URL)).reveal();
  const redisUrl = queueUrl?.startsWith('redis') ? queueUrl : undefined;
  const place = redisUrl === undefined ? sessionsInMemory() : sessionsInRedis(redisUrl, log);
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = config;
  const identity =
    issuer && clientId
      ? createIdentity({
          issuer,
          clientId,
          clientSecret: clientSecret && (await secrets.resolve(clientSecret)).reveal(),
          scopes: config.OIDC_SCOPES,
          redirectUri: redirectUri(config.PUBLIC_URL),
          claims: config.IDENTITY_CLAIMS,
          clock,
        })
      : null;
  return {
    config,
    clock,
    log,
    tickets,
    sessions: createSessions({
      place,
      keyring: await keyring(), // fail at start without a key
      tickets,
      clock,
      consoleUrl: config.PUBLIC_URL,
      identity,
      log,
    }),
    links: createLinks(place.links, tickets),
    identity,
    addresses: Object.fromEntries(
      Object.entries(config.SERVICE_URLS).map(([service, url]) => [service, url.replace(/\/+$/, '')]),
    ),
    pageFolder,
  };
}
