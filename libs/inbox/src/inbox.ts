// An inbox with one filter: pages of items, updated by the shared stream.
import {
  changed,
  countsUnread,
  inOrder,
  shows,
  type Change,
  type Done,
  type InboxFilter,
} from './changes.ts';
import { share, type Connection, type Counts, type InboxOptions, type Item, type Shared } from './shared.ts';

/** A new object after every change, so `===` detects changes. */
export interface InboxState {
  /** Newest first. */
  readonly items: readonly Item[];
  /** Counts of the whole inbox, regardless of the filter. */
  readonly unreadCount: number;
  readonly unseenCount: number;
  readonly connection: Connection;
  readonly isLoading: boolean;
  /** There are older items, and room for them (`itemsMax`). */
  readonly hasMore: boolean;
  /**
   * The last failure of the list or the stream; null after recovery. Changes throw their errors.
   */
  readonly error: unknown;
}

export interface Inbox {
  readonly state: InboxState;
  /** Calls `listener` after every change. Returns a function that stops it. */
  subscribe(listener: () => void): () => void;
  loadMore(): Promise<void>;
  refresh(): Promise<void>;
  /**
   * Like every change: applies immediately, and is reverted and throws when the service refuses it.
   * @param how `clicked`: the user followed its `url` or an action, which counts as a click
   */
  read(id: string, how?: { readonly clicked: boolean }): Promise<void>;
  unread(id: string): Promise<void>;
  archive(id: string): Promise<void>;
  unarchive(id: string): Promise<void>;
  /** @param until at most a year ahead; null ends the snooze */
  snooze(id: string, until: Date | null): Promise<void>;
  delete(id: string): Promise<void>;
  /** Marks all items as seen. Seen items stay unread. */
  seeAll(): Promise<void>;
  readAll(): Promise<void>;
  /** Includes archived and snoozed items. */
  deleteAll(): Promise<void>;
  /** The last inbox of a user closes the stream. */
  close(): void;
}

export interface ViewOptions extends InboxOptions {
  readonly filter?: InboxFilter;
  /** Items per page. Default 25. */
  readonly pageSize?: number;
  /** Maximum number of held items; older ones are dropped. Default 500. */
  readonly itemsMax?: number;
}

const nowSeconds = () => Date.now() / 1000;

export function openInbox(options: ViewOptions): Inbox {
  const { filter = {}, pageSize = 25, itemsMax = 500, userId } = options;
  const listeners = new Set<() => void>();
  /** Items as the service has them, without pending changes. */
  let items: readonly Item[] = [];
  let cursor: string | null = null;
  let error: unknown = null;
  let loading: Promise<void> | undefined;
  let loadingMore: Promise<void> | undefined;
  let loadAgain = false;
  let closed = false;
  let state: InboxState | undefined;
  const viewer = { changed: publish, created, done, stale: () => void refresh() };
  const { shared, leave } = share(options, viewer);
  const of = { user_id: userId };
  if (shared.isReady) void refresh();

  function publish(): void {
    state = undefined;
    for (const listener of listeners) listener();
  }

  function stateNow(): InboxState {
    const now = nowSeconds();
    const seen = items
      .map((item) => withPending(item, shared, now))
      .filter((item): item is Item => item !== null && shows(filter, item, now));
    return {
      items: seen,
      unreadCount: shared.counts.unread_count,
      unseenCount: shared.counts.unseen_count,
      connection: shared.connection,
      isLoading: loading !== undefined || (!shared.isReady && error === null),
      hasMore: cursor !== null && items.length < itemsMax,
      error: error ?? shared.error,
    };
  }

  function hold(next: readonly Item[]): void {
    const known = new Map(next.map((item) => [item.id, item]));
    items = [...known.values()].sort(inOrder);
    if (items.length > itemsMax) {
      items = items.slice(0, itemsMax);
      cursor = null; // the dropped items would be missing after it
    }
    publish();
  }

  function created(item: Item): void {
    if (shows(filter, item, nowSeconds())) hold([...items, item]);
    if (loading) loadAgain = true;
  }

  function done(change: Done): void {
    const now = nowSeconds();
    const isHeld = change.id === null || items.some(({ id }) => id === change.id);
    const gone = change.kind === 'deleted' || (change.kind === 'read' && filter.status !== 'read');
    // An unknown item may belong here now, and only the service has it.
    if (!isHeld && !gone) return void refresh();
    if (change.id === null && change.kind === 'read' && filter.status === 'read') return void refresh();
    hold(
      items
        .map((item) => changed(item, change, now))
        .filter((item): item is Item => item !== null && shows(filter, item, now)),
    );
    if (loading) loadAgain = true;
  }

  /** Reloads as many items as are held. A call during a reload causes another one. */
  function refresh(): Promise<void> {
    if (loading) {
      loadAgain = true;
      return loading;
    }
    return load(async () => {
      const wanted = Math.min(Math.max(items.length, 1), itemsMax);
      const found: Item[] = [];
      let next: string | null | undefined;
      let counts: Counts | undefined;
      do {
        const page = await shared.service.listNotifications({
          ...of,
          ...filter,
          limit: Math.min(pageSize, itemsMax),
          ...(next ? { cursor: next } : {}),
        });
        found.push(...page.items);
        counts ??= page;
        next = page.next_cursor;
      } while (found.length < wanted && next);
      if (closed) return;
      cursor = next;
      hold(found);
      shared.setCounts(counts);
    });
  }

  /** Concurrent calls load one page, after a running reload. */
  function loadMore(): Promise<void> {
    loadingMore ??= loadPage().finally(() => (loadingMore = undefined));
    return loadingMore;
  }

  async function loadPage(): Promise<void> {
    while (loading) await loading;
    const at = cursor;
    if (closed || at === null || items.length >= itemsMax) return;
    await load(async () => {
      const page = await shared.service.listNotifications({ ...of, ...filter, limit: pageSize, cursor: at });
      if (closed) return;
      cursor = page.next_cursor;
      hold([...items, ...page.items]);
    });
  }

  function load(run: () => Promise<void>): Promise<void> {
    loading = run()
      .then(
        () => void (error = null),
        (problem: unknown) => void (error = problem),
      )
      .then(() => {
        loading = undefined;
        if (closed) return;
        publish();
        if (!loadAgain) return;
        loadAgain = false;
        return refresh();
      });
    publish();
    return loading;
  }

  async function change(what: Done, send: () => PromiseLike<unknown>): Promise<void> {
    const now = nowSeconds();
    const item = items.find(({ id }) => id === what.id);
    const before = item && withPending(item, shared, now);
    shared.pending.add(what);
    const after = item && withPending(item, shared, now);
    const unreadOf = (one: Item | null | undefined) => Number(one ? countsUnread(one, now) : 0);
    const { unread_count, unseen_count } = shared.counts;
    shared.setCounts(
      what.id === null
        ? { unread_count: what.kind === 'seen' ? unread_count : 0, unseen_count: 0 }
        : { unread_count: Math.max(0, unread_count + unreadOf(after) - unreadOf(before)), unseen_count },
    );
    try {
      await send();
      shared.pending.delete(what);
      for (const each of shared.viewers) each.done(what);
    } catch (problem) {
      shared.pending.delete(what);
      shared.tell();
      // Only the service knows the current counts.
      void shared.service.countNotifications(of).then(
        (counts) => shared.setCounts(counts),
        () => undefined,
      );
      throw problem;
    }
  }

  const { service } = shared;
  const one = (
    kind: Exclude<Change['kind'], 'snoozed'>,
    id: string,
    send: (input: typeof of & { id: string }) => PromiseLike<unknown>,
  ) => change({ kind, id }, () => send({ ...of, id }));
  return {
    get state() {
      return (state ??= stateNow());
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    loadMore,
    refresh,
    read: (id, body = { clicked: false }) =>
      change({ kind: 'read', id }, () => service.readNotification({ ...of, id, body })),
    unread: (id) => one('unread', id, service.unreadNotification),
    archive: (id) => one('archived', id, service.archiveNotification),
    unarchive: (id) => one('unarchived', id, service.unarchiveNotification),
    snooze: (id, until) => {
      const seconds = until && until.getTime() / 1000;
      const what: Done =
        seconds === null ? { kind: 'unsnoozed', id } : { kind: 'snoozed', until: seconds, id };
      return change(what, () => service.snoozeNotification({ ...of, id, body: { until: seconds } }));
    },
    delete: (id) => one('deleted', id, service.deleteNotification),
    seeAll: () => change({ kind: 'seen', id: null }, () => service.seeNotifications({ ...of, body: {} })),
    readAll: () => change({ kind: 'read', id: null }, () => service.readAllNotifications(of)),
    deleteAll: () =>
      change({ kind: 'deleted', id: null }, () => service.deleteAllNotifications({ ...of, all: 'true' })),
    close: () => {
      closed = true;
      listeners.clear();
      leave();
    },
  };
}

function withPending(item: Item, { pending }: Pick<Shared, 'pending'>, now: number): Item | null {
  let is: Item | null = item;
  for (const change of pending) is = is && changed(is, change, now);
  return is;
}
