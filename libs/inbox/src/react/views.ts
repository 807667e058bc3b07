// The inboxes that components show: one a filter however many show it, open while one of them does (docs/inbox.md#components).
import type { InboxFilter } from '../changes.ts';
import { openInbox, type Inbox, type InboxState } from '../inbox.ts';
import type { InboxOptions } from '../shared.ts';

export type InboxActions = Omit<Inbox, 'state' | 'subscribe' | 'close'>;

/** As `useSyncExternalStore` takes it. */
export interface View {
  readonly subscribe: (listener: () => void) => () => void;
  readonly state: () => InboxState;
  readonly actions: InboxActions;
}

export interface Views {
  of(filter: InboxFilter): View;
  /** Who renders again may have made another `getToken`. */
  renew(how: How): void;
}

type How = Pick<InboxOptions, 'getToken' | 'fetch'>;

interface Where {
  readonly url: string;
  readonly userId: string;
  /** Otherwise a cookie stands for the user. */
  readonly hasToken: boolean;
}

/** Before it is open, and on a server. */
export const OPENING: InboxState = {
  items: [],
  unreadCount: 0,
  unseenCount: 0,
  connection: 'connecting',
  isLoading: true,
  hasMore: false,
  error: null,
};

/** Opens nothing yet: that is what subscribing does, so a render that React throws away leaves no stream. `renew` comes before that. */
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
    if (inbox === undefined) throw new Error('No component shows this inbox.');
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
        // Not at once: StrictMode lets go of what it takes again, and so does one page that follows another.
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
