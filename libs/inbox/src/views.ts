// Shares one inbox per filter between components, open while any component uses it
// (docs/inbox.md#components).
import type { InboxFilter } from './changes.ts';
import { openInbox, type Inbox, type InboxState } from './inbox.ts';
import { openPreferences, type PreferencesClient, type PreferencesState } from './preferences.ts';
import type { InboxOptions } from './shared.ts';

export type InboxActions = Omit<Inbox, 'state' | 'subscribe' | 'close'>;

/** For `useSyncExternalStore`. */
export interface View {
  readonly subscribe: (listener: () => void) => () => void;
  readonly state: () => InboxState;
  readonly actions: InboxActions;
}

export interface Views {
  of(filter: InboxFilter): View;
  readonly preferences: PreferencesClient;
  /** Replaces `getToken` and `fetch` after a re-render. */
  renew(how: How): void;
}

type How = Pick<InboxOptions, 'getToken' | 'fetch'>;

interface Where {
  readonly url: string;
  readonly userId: string;
  /** False: a cookie authenticates the user. */
  readonly hasToken: boolean;
}

/** The state before opening, and on a server. */
export const OPENING: InboxState = {
  items: [],
  unreadCount: 0,
  unseenCount: 0,
  connection: 'connecting',
  isLoading: true,
  hasMore: false,
  error: null,
};

export const LOADING: PreferencesState = { preferences: null, error: null, isBusy: true };

/** Subscribing opens the stream, so that a discarded render opens none. Call `renew` first. */
export function createViews({ url, userId, hasToken }: Where): Views {
  let newest: How = {};
  const views = new Map<string, View>();
  const options: InboxOptions = {
    url,
    userId,
    ...(hasToken && { getToken: (why) => newest.getToken!(why) }),
    fetch: (...request) => (newest.fetch ?? globalThis.fetch)(...request),
  };
  return {
    preferences: openPreferences(options),
    of: (filter) => {
      const key = JSON.stringify([filter.status, filter.state, filter.category]);
      const view = views.get(key) ?? createView(options, filter);
      views.set(key, view);
      return view;
    },
    renew: (other) => {
      newest = other;
    },
  };
}

function createView(options: InboxOptions, filter: InboxFilter): View {
  let inbox: Inbox | undefined;
  let shownBy = 0;

  function letGo(): void {
    if (shownBy > 0) return;
    inbox?.close();
    inbox = undefined;
  }

  function shown(): Inbox {
    if (inbox === undefined) throw new Error('No component uses this inbox.');
    return inbox;
  }

  return {
    subscribe: (listener) => {
      inbox ??= openInbox({ ...options, filter });
      shownBy += 1;
      const end = inbox.subscribe(listener);
      return () => {
        end();
        shownBy -= 1;
        // Deferred, because StrictMode and page changes subscribe again immediately.
        setTimeout(letGo, 0);
      };
    },
    state: () => inbox?.state ?? OPENING,
    actions: {
      loadMore: async () => shown().loadMore(),
      refresh: async () => shown().refresh(),
      read: async (id, how) => shown().read(id, how),
      unread: async (id) => shown().unread(id),
      archive: async (id) => shown().archive(id),
      unarchive: async (id) => shown().unarchive(id),
      snooze: async (id, until) => shown().snooze(id, until),
      delete: async (id) => shown().delete(id),
      seeAll: async () => shown().seeAll(),
      readAll: async () => shown().readAll(),
      deleteAll: async () => shown().deleteAll(),
    },
  };
}
