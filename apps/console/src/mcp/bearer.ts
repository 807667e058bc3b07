// Reads the credentials of an MCP request: API keys by prefix, or one identity token for all
// services (docs/mcp.md#over-http).
import type { ServiceKeys } from '@parley/server/console-access';
import type { ServiceName } from '@parley/server/runtime';

/** Prefixes of API keys (docs/platform.md#credentials). */
const SERVICE_OF: Readonly<Record<string, ServiceName>> = {
  fb: 'flow-builder',
  va: 'voice-api',
  nt: 'notifications',
};

/**
 * Null without valid credentials. `+` joins keys: it occurs in no key and is allowed in a bearer
 * credential.
 * @param here the services that an identity token is for
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
  return Object.keys(keys).length === parts.length ? keys : null; // two keys of one service are ambiguous
}
