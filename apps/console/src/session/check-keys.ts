// Checks credentials on their services before a session starts.
import { z } from 'zod';
import type { ServiceKeys } from '@parley/server/console-access';
import type { ServiceName } from '@parley/server/runtime';

const ANSWER_WITHIN_MS = 5_000;

/**
 * `limited` and `unreachable`: the service could not check. `forbidden`: the credential is valid
 * and has no permissions.
 */
export type Verdict = 'taken' | 'limited' | 'refused' | 'forbidden' | 'absent' | 'unreachable';

/** Only an explicit success of the service accepts a credential. */
export async function checkKeys(
  keys: ServiceKeys,
  addresses: Partial<Record<ServiceName, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<readonly (readonly [ServiceName, Verdict, organizationId?: string])[]> {
  const given = Object.entries(keys) as [ServiceName, string][];
  return Promise.all(
    given.map(
      async ([service, key]) => [service, ...(await check(addresses[service], key, headers))] as const,
    ),
  );
}

async function check(
  address: string | undefined,
  key: string,
  headers: Readonly<Record<string, string>>,
): Promise<readonly [Verdict, organizationId?: string]> {
  if (address === undefined) return ['absent'];
  if (!/^[\x21-\x7e]+$/.test(key)) return ['refused']; // not a valid header value
  const ask = (path: string) => idAt(`${address}${path}`, { ...headers, authorization: `Bearer ${key}` });
  try {
    const { status, id } = await ask('/v1/organization');
    if (id !== undefined) return ['taken', id];
    // The key cannot read. Every valid key can see itself.
    if (status === 403) {
      const own = await ask('/v1/api-keys/me');
      if (own.id !== undefined) return ['taken'];
      return [own.status === 403 || own.status === 404 ? 'forbidden' : 'unreachable']; // 404: an identity token
    }
    if (status === 401 || status === 431) return ['refused']; // 431: too long
    return [status === 429 ? 'limited' : 'unreachable'];
  } catch {
    return ['unreachable']; // connection refused, unknown host or timeout
  }
}

/** The `id` in the response; undefined unless it is 200 with JSON that has one. */
async function idAt(url: string, headers: Readonly<Record<string, string>>) {
  const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
  const response = await fetch(url, { headers, redirect: 'manual', signal });
  const { status } = response;
  const said: unknown = status === 200 ? await response.json() : await response.body?.cancel();
  return { status, id: answered.safeParse(said).data };
}

/** The voice API wraps it in `data`. */
const answered = z
  .union([z.object({ id: z.string() }), z.object({ data: z.object({ id: z.string() }) })])
  .transform((said) => ('data' in said ? said.data.id : said.id));
