// Whether the services take the keys that somebody pasted: better said here than on every page after.
import type { ServiceKeys } from '@parley/console-access';
import type { ServiceName } from '@parley/runtime';

const ANSWER_WITHIN_MS = 5_000;

/** `limited`: nobody looked, since too much was asked before. */
export type Verdict = 'taken' | 'limited' | 'refused' | 'absent' | 'unreachable';

/** Any answer but 401 says that the key is one: what it may do is seen page by page. With it the organisation that it is of. */
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
  try {
    const response = await fetch(`${address}/v1/organization`, {
      headers: { ...headers, authorization: `Bearer ${key}` },
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    const said: unknown = response.ok
      ? await response.json().catch(() => null)
      : await response.body?.cancel();
    if (response.status === 401) return ['refused'];
    if (response.status === 429) return ['limited'];
    return response.status < 500 ? ['taken', idIn(said)] : ['unreachable'];
  } catch {
    return ['unreachable']; // refused, no such host, or not in time: the page of the service says the same later
  }
}

/** Undefined: a key that may not read is not told whose it is. */
function idIn(said: unknown): string | undefined {
  const { id } = (said ?? {}) as { readonly id?: unknown };
  return typeof id === 'string' ? id : undefined;
}
