// Who asks for tools: API keys, each for the service that its beginning names, or one identity
// token for all (docs/mcp.md#over-http).
import type { ServiceKeys } from '@parley/server/console-access';
import type { ServiceName } from '@parley/server/runtime';

/** What a key of a service begins with (docs/platform.md#credentials). */
const SERVICE_OF: Readonly<Record<string, ServiceName>> = {
  fb: 'flow-builder',
  va: 'voice-api',
  nt: 'notifications',
};

/**
 * Null: there is no such credential in the header. A `+` is in no key and in no token, and may
 * stand in a Bearer credential.
 * @param here the services that a token is for.
 */
export function credentialsIn(header: string | undefined, here: readonly string[]): ServiceKeys | null {
  const [, given] = /^Bearer +([A-Za-z0-9._~+/=-]+)$/i.exec(header ?? '') ?? [];
  if (given === undefined) return null;
  const parts = given.split('+');
  const named = parts.map((part) => SERVICE_OF[/^([a-z]+)_/.exec(part)?.[1] ?? '']);
  if (parts.length === 1 && named[0] === undefined)
    return Object.fromEntries(here.map((service) => [service, given]));
  const keys = Object.fromEntries(
    parts.flatMap((part, index) => (named[index] ? [[named[index], part]] : [])),
  );
  return Object.keys(keys).length === parts.length ? keys : null; // two of one service: which one is meant?
}
