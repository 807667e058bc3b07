// Whether the services take the keys that somebody pasted: better said here than on every page
// after.
import { z } from 'zod';
import type { ServiceKeys } from '@parley/server/console-access';
import type { ServiceName } from '@parley/server/runtime';

const ANSWER_WITHIN_MS = 5_000;

/**
 * `limited` and `unreachable`: the service could not say. `forbidden`: it knows the credential,
 * which may not even look.
 */
export type Verdict = 'taken' | 'limited' | 'refused' | 'forbidden' | 'absent' | 'unreachable';

/**
 * A credential is taken only where its service says so in words of its own: no other answer is a
 * sign-in.
 */
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
  if (!/^[\x21-\x7e]+$/.test(key)) return ['refused']; // cannot be sent in a header, so it is none
  const ask = (path: string) => idAt(`${address}${path}`, { ...headers, authorization: `Bearer ${key}` });
  try {
    const { status, id } = await ask('/v1/organization');
    if (id !== undefined) return ['taken', id];
    // It may not read. What every key may see says whether it is one.
    if (status === 403) {
      const own = await ask('/v1/api-keys/me');
      if (own.id !== undefined) return ['taken'];
      return [own.status === 403 || own.status === 404 ? 'forbidden' : 'unreachable']; // 404: a token is no key
    }
    if (status === 401 || status === 431) return ['refused']; // 431: too long to be sent
    return [status === 429 ? 'limited' : 'unreachable'];
  } catch {
    return ['unreachable']; // refused, no such host, or not in time: the page of the service says the same later
  }
}

/** The `id` of what a service answers; undefined: it does not answer 200 in JSON that has one. */
async function idAt(url: string, headers: Readonly<Record<string, string>>) {
  const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
  const response = await fetch(url, { headers, redirect: 'manual', signal });
  const { status } = response;
  const said: unknown = status === 200 ? await response.json() : await response.body?.cancel();
  return { status, id: answered.safeParse(said).data };
}

/** The voice API wraps it. */
const answered = z
  .union([z.object({ id: z.string() }), z.object({ data: z.object({ id: z.string() }) })])
  .transform((said) => ('data' in said ? said.data.id : said.id));
