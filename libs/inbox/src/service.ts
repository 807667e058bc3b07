// Requests to notifications with the token of the page, which is renewed once when it is refused.
import { Parley, type Notifications } from '@parley/sdk';

/** Address of the service, and the user. */
export interface InboxOptions {
  /** Address of notifications or of a proxy. */
  readonly url: string;
  readonly userId: string;
  /**
   * Returns an identity token of the user for each request; `refused` after a 401. Absent: a cookie
   * authenticates.
   */
  readonly getToken?: (why: { readonly refused: boolean }) => string | Promise<string>;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch;
}

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/**
 * @param options the newest ones, because a re-render may pass another `getToken`
 * @param around wraps each request
 */
export function createService(
  options: () => InboxOptions,
  around: (send: Fetch) => Fetch = (send) => send,
): Notifications {
  const { url, getToken } = options();
  const send = around((to, init) => fetchRenewing(options(), to, init));
  const { notifications } = new Parley({
    notifications: { url, ...(getToken && { key: () => options().getToken!({ refused: false }) }) },
    fetch: (to, init) => send(to as string, init!),
  });
  return notifications;
}

/** An expired token asks the page for a new one. */
async function fetchRenewing(
  { fetch = globalThis.fetch, getToken }: InboxOptions,
  url: string,
  given: RequestInit,
): Promise<Response> {
  // `keepalive`, because following a link leaves the page.
  const init = { ...given, keepalive: given.method !== 'GET' };
  const response = await fetch(url, init);
  if (response.status !== 401 || !getToken) return response;
  const headers = new Headers(init.headers);
  headers.set('authorization', `Bearer ${await getToken({ refused: true })}`);
  return fetch(url, { ...init, headers });
}
