// Who is signed in, as the console's own server says it. Keys and tokens are never here: they lie in a cookie that no script can read
// (docs/console.md#signing-in).
import { queryOptions } from '@tanstack/react-query';
import { z } from 'zod';
import { ApiError } from '../api/error.ts';
import { SERVICES, type Service } from '../api/clients.ts';

const session = z.object({
  /** What the person signed in with; null: not signed in. */
  with: z.enum(['keys', 'identity']).nullable(),
  /** What the identity token says of them. */
  person: z.string().nullable(),
  /** The services that there is a credential for. */
  services: z.array(z.enum(SERVICES)),
  /** Those that this console was set up with. */
  services_here: z.array(z.enum(SERVICES)),
  /** Where the queues of a service are looked at; it stands at another origin, and is only led to. */
  queue_dashboards: z.partialRecord(z.enum(SERVICES), z.url({ protocol: /^https?$/ })),
  expires_at: z.string().nullable(),
  /** How one may sign in here, beside a pasted key. */
  identity_provider: z.string().nullable(),
});
export type Session = z.output<typeof session>;

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async (): Promise<Session> => session.parse(await ask('GET', '/session')),
  staleTime: 60_000,
});

export const signInWithLink = (code: string) => ask('POST', '/session/link', { code });
export const signInWithKeys = (keys: Partial<Record<Service, string>>) =>
  ask('POST', '/session/keys', { keys });
export const signOut = () => ask('DELETE', '/session');

async function ask(method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(path, {
    method,
    ...(body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}),
  });
  const answer: unknown = response.status === 204 ? null : await response.json().catch(() => null);
  if (!response.ok) throw new ApiError(response.status, null, answer);
  return answer;
}
