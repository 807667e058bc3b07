// State that all inboxes of one user share: the stream, the counts and pending changes.
import type { InboxEvent, Notifications } from '@parley/sdk';
import type { Done, Item } from './changes.ts';
import { createService, type Fetch, type InboxOptions } from './service.ts';

export type { Item } from './changes.ts';
export type { InboxOptions } from './service.ts';

/** `offline` reconnects automatically. */
export type Connection = 'connecting' | 'live' | 'offline';

export interface Counts {
  readonly unread_count: number;
  readonly unseen_count: number;
}

export interface Viewer {
  /** Counts, connection or pending changes changed. */
  changed(): void;
  /** The service reported a new item. */
  created(item: Item): void;
  done(change: Done): void;
  /** Items may be outdated: reload. */
  stale(): void;
}

const PAUSE_MS_FIRST = 1_000;
const PAUSE_MS_MAX = 60_000;

export class Shared {
  readonly viewers = new Set<Viewer>();
  readonly pending = new Set<Done>();
  /** The newest options, because a re-render may pass another `getToken`. */
  options: InboxOptions;
  readonly service: Notifications;
  connection: Connection = 'connecting';
  counts: Counts = { unread_count: 0, unseen_count: 0 };
  /** The stream is open or has failed, so lists can load. */
  isReady = false;
  error: unknown = null;
  readonly #ended = new AbortController();

  constructor(options: InboxOptions) {
    this.options = options;
    this.service = createService(
      () => this.options,
      (send) => (url, init) => this.#watch(send, url, init),
    );
    void this.#follow();
  }

  close(): void {
    this.#ended.abort();
  }

  setCounts({ unread_count, unseen_count }: Counts): void {
    this.counts = { unread_count, unseen_count };
    this.tell();
  }

  tell(): void {
    for (const viewer of this.viewers) viewer.changed();
  }

  /** Tracks the connection of the stream. */
  async #watch(send: Fetch, url: string, init: RequestInit): Promise<Response> {
    if (!new URL(url, 'http://x').pathname.endsWith('/notifications/stream')) return send(url, init);
    try {
      const response = await send(url, init);
      this.#setConnection(response.ok ? 'live' : 'offline');
      return response.ok ? new Response(this.#watched(response.body!), response) : response;
    } catch (error) {
      this.#setConnection('offline');
      throw error;
    }
  }

  #watched(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
    const reader = body.getReader();
    return new ReadableStream({
      pull: async (controller) => {
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          controller.close();
        } catch (error) {
          controller.error(error);
        }
        this.#setConnection('offline');
      },
      cancel: (reason) => {
        this.#setConnection('offline');
        return reader.cancel(reason);
      },
    });
  }

  #setConnection(connection: Connection): void {
    if (this.#ended.signal.aborted || this.connection === connection) return;
    this.connection = connection;
    this.tell();
  }

  /** The SDK resumes interrupted streams. This retries refused ones and then reloads the lists. */
  async #follow(): Promise<void> {
    const { signal } = this.#ended;
    for (let pauseMs = PAUSE_MS_FIRST; !signal.aborted; pauseMs = Math.min(PAUSE_MS_MAX, pauseMs * 2)) {
      try {
        let isFirst = true;
        const stream = this.service.streamNotifications(
          { user_id: this.options.userId },
          { signal, retries: 0 },
        );
        for await (const event of stream) {
          this.error = null;
          pauseMs = PAUSE_MS_FIRST;
          if (isFirst) this.#ready();
          isFirst = false;
          this.#take(event);
        }
      } catch (error) {
        if (signal.aborted) return;
        this.error = error;
        this.#setConnection('offline');
        if (!this.isReady) this.#ready();
        this.tell();
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, pauseMs * (1 - Math.random() / 2));
        const stop = () => {
          clearTimeout(timer);
          resolve();
        };
        signal.addEventListener('abort', stop, { once: true });
      });
    }
  }

  #ready(): void {
    this.isReady = true;
    for (const viewer of this.viewers) viewer.stale();
  }

  #take({ event, data }: InboxEvent): void {
    switch (event) {
      case 'unread_count':
        return this.setCounts(data);
      case 'reset':
        return this.#ready();
      case 'created':
        for (const viewer of this.viewers) viewer.created(data);
        return;
      case 'snoozed':
        return this.#done({ kind: event, id: data.id ?? null, until: data.snoozed_until });
      case 'read':
      case 'unread':
      case 'archived':
      case 'unarchived':
      case 'unsnoozed':
      case 'deleted':
        return this.#done({ kind: event, id: data.id ?? null });
      default: // an event of a later release
    }
  }

  #done(change: Done): void {
    for (const viewer of this.viewers) viewer.done(change);
  }
}

/** Module state, so that each user has one stream for any number of components. */
const open = new Map<string, Shared>();

export function share(options: InboxOptions, viewer: Viewer): { shared: Shared; leave: () => void } {
  const key = JSON.stringify([options.url.replace(/\/+$/, ''), options.userId]);
  const shared = open.get(key) ?? new Shared(options);
  open.set(key, shared);
  shared.options = options;
  shared.viewers.add(viewer);
  const leave = () => {
    shared.viewers.delete(viewer);
    if (shared.viewers.size > 0 || open.get(key) !== shared) return;
    open.delete(key);
    shared.close();
  };
  return { shared, leave };
}
