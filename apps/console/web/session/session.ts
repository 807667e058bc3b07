// Reads the session from the console's server. No script can read keys or tokens
// (docs/console.md#signing-in).
import { queryOptions } from '@tanstack/react-query';
import { z } from 'zod';
import { ApiError } from '../api/error.ts';
import { SERVICES, type Service } from '../api/clients.ts';

export const SCOPES = ['read', 'write', 'delete', 'admin', 'pii'] as const;

const session = z.object({
  /** How the person signed in; null: not signed in. */
  with: z.enum(['keys', 'identity']).nullable(),
  /** From the identity token. */
  person: z.string().nullable(),
  /** The one that a person of several works for; null: one alone, or none chosen yet. */
  organization: z.string().nullable().default(null),
  /** Those of the person in the identity token; empty with API keys. */
  organizations: z.array(z.string()).default([]),
  /** The services that the session has a credential for. */
  services: z.array(z.enum(SERVICES)),
  /** Of people of the identity provider, by service; empty: unknown. Keys say theirs themselves. */
  scopes: z.partialRecord(z.enum(SERVICES), z.array(z.enum(SCOPES))).default({}),
  /** The services that this console is configured for. */
  services_here: z.array(z.enum(SERVICES)),
  /** Address of each service's queue dashboard, at another origin. */
  queue_dashboards: z.partialRecord(z.enum(SERVICES), z.url({ protocol: /^https?$/ })),
  expires_at: z.string().nullable(),
  /** Name of the identity provider; null: only keys and links. */
  identity_provider: z.string().nullable(),
});
export type Session = z.output<typeof session> & {
  /** It was there when this page opened. The members are still those that it had. */
  readonly ended?: boolean;
};

const SESSION_KEY = ['session'];

/** A session that ends stays as ended, so that pages keep what a person typed. */
export const sessionQuery = queryOptions({
  queryKey: SESSION_KEY,
  queryFn: async ({ client }): Promise<Session> => {
    const now = session.parse(await sendRequest('GET', '/session'));
    const before = client.getQueryData<Session>(SESSION_KEY);
    return now.with === null && before && before.with !== null ? { ...before, ended: true } : now;
  },
  staleTime: 60_000,
});

export const signInWithLink = (code: string) => sendRequest('POST', '/session/link', { code });
export const signInWithKeys = (keys: Partial<Record<Service, string>>) =>
  sendRequest('POST', '/session/keys', { keys });
export const chooseOrganization = (id: string) => sendRequest('PUT', '/session/organization', { id });

const signedOut = z.object({ continue_at: z.url({ protocol: /^https?$/ }) }).nullable();

/** The address where the browser signs out at the identity provider; null: there is none. */
export async function signOut(): Promise<string | null> {
  return signedOut.parse(await sendRequest('DELETE', '/session'))?.continue_at ?? null;
}

async function sendRequest(method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(path, {
    method,
    ...(body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}),
  });
  const answer: unknown = response.status === 204 ? null : await response.json().catch(() => null);
  if (!response.ok) throw new ApiError(response.status, null, answer);
  return answer;
}
