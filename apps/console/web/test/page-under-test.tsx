// Renders a page at its address in the real router, with services that a test fakes.
import { QueryClientProvider } from '@tanstack/react-query';
import { createMemoryHistory, RouterProvider } from '@tanstack/react-router';
import { configure, render } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { makeQueryClient } from '../api/query-client.ts';
import { makeRouter } from '../router.tsx';
import type { Session } from '../session/session.ts';

// Pages load lazily, which takes time on a busy machine.
configure({ asyncUtilTimeout: 10_000 });

export interface SentRequest {
  readonly service: string;
  /** Method and path without the service: `PUT /v1/templates/order`. */
  readonly endpoint: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
}

/** By request: the body of a 200, or a whole response. Requests without an entry get 404. */
export type Answers = Readonly<Record<string, (asked: SentRequest) => object>>;

const SESSION = {
  with: 'keys',
  person: null,
  expires_at: null,
  identity_provider: null,
  services: ['notifications'],
  services_here: ['notifications'],
  queue_dashboards: {},
};

/** @param session what the session has, or has at each request */
export function openAt(
  address: string,
  answers: Answers,
  session: Partial<Session> | (() => Partial<Session>) = {},
) {
  const asked: SentRequest[] = [];
  globalThis.fetch = (async (given: Request | string) => {
    if (given === '/session')
      return Response.json({ ...SESSION, ...(typeof session === 'function' ? session() : session) });
    const request = new Request(typeof given === 'string' ? new URL(given, location.origin) : given);
    const url = new URL(request.url);
    const text = await request.text();
    const one: SentRequest = {
      service: /^\/api\/([\w-]+)/.exec(url.pathname)?.[1] ?? '',
      endpoint: `${request.method} ${url.pathname.replace(/^\/api\/[\w-]+/, '')}`,
      query: url.searchParams,
      body: text === '' ? undefined : JSON.parse(text),
    };
    asked.push(one);
    const answer = answers[one.endpoint]?.(one) ?? Response.json({ error: 'there is none' }, { status: 404 });
    return answer instanceof Response ? answer : Response.json(answer);
  }) as typeof fetch;
  const queryClient = makeQueryClient();
  const router = makeRouter(queryClient);
  router.update({ context: { queryClient }, history: createMemoryHistory({ initialEntries: [address] }) });
  render(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  return {
    asked,
    user: userEvent.setup(),
    /** The bodies sent with one kind of request. */
    bodies: (what: string) => asked.filter((one) => one.endpoint === what).map(({ body }) => body),
    address: () => router.state.location.href,
  };
}
