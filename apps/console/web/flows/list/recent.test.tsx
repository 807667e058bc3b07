import { afterEach, expect, test } from '@jest/globals';
import { QueryClientProvider } from '@tanstack/react-query';
import { renderHook, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { makeQueryClient } from '../../api/query-client.ts';
import { sessionQuery, type Session } from '../../session/session.ts';
import { useRecent } from './recent.ts';

const realFetch = globalThis.fetch;
afterEach(() => void (globalThis.fetch = realFetch));

/** Runs the hook with a session for `services` and a fake voice API. */
function ask(services: Session['services'], answer: () => Response) {
  const asked: URL[] = [];
  globalThis.fetch = (async (request: Request) => {
    asked.push(new URL(request.url));
    return answer();
  }) as typeof fetch;
  const client = makeQueryClient();
  client.setQueryData(sessionQuery.queryKey, {
    with: 'keys',
    person: null,
    organization: null,
    organizations: [],
    expires_at: null,
    identity_provider: null,
    services,
    services_here: services,
    scopes: {},
    queue_dashboards: {},
  });
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={client}>{children}</QueryClientProvider>
  );
  return { asked, ...renderHook(useRecent, { wrapper }) };
}

test('counts all flows with one request; a flow without a group has none', async () => {
  const groups = [
    { key: null, conversations: 3 },
    { key: 'booking', conversations: 12 },
  ];
  const { asked, result } = ask(['flow-builder', 'voice-api'], () =>
    Response.json({ success: true, data: { totals: { groups } }, meta: {} }),
  );
  expect(result.current?.countOf('booking')).toBeNull();
  await waitFor(() => expect(result.current?.countOf('booking')).toBe(12));
  expect(result.current?.countOf('greeting')).toBe(0);
  expect(asked.map(({ searchParams }) => searchParams.get('group_by'))).toEqual(['flow_id']);
});

test('sends no request without a credential for the voice API', () => {
  const { asked, result } = ask(['flow-builder'], () => Response.error());
  expect(result.current).toBeNull();
  expect(asked).toEqual([]);
});

test('shows no counts for a key without the scope', async () => {
  const refusal = { success: false, error: { code: 'FORBIDDEN', message: 'no', details: {} } };
  const { result } = ask(['voice-api'], () => Response.json(refusal, { status: 403 }));
  await waitFor(() => expect(result.current).toBeNull());
});
