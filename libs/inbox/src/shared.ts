// What every inbox of one user shares: one stream, the counts, and the changes that are not answered yet.
import { Parley, type InboxEvent, type Notifications } from '@parley/sdk';
import type { Done, Item } from './changes.ts';

export type { Item } from './changes.ts';

/** Where the service is, and who reads. */
export interface InboxOptions {
  /** Of notifications, or of what stands before it. */
  readonly url: string;
  readonly userId: string;
  /** An identity token of the user. Asked for every request; `refused` after a 401, once. Left out, a cookie stands for the user. */
  readonly getToken?: (why: { readonly refused: boolean }) => string | Promise<string>;
  /** Instead of the global one. */
  readonly fetch?: typeof fetch;
}

/** `offline` is tried again by itself. */
export type Connection = 'connecting' | 'live' | 'offline';

export interface Counts {
  readonly unread_count: number;
  readonly unseen_count: number;
}

export interface Viewer {
  /** Something that it shows may have changed. */
  changed(): void;
  /** Told by the service. */
  created(item: Item): void;
  done(change: Done): void;
  /** What was held may be out of date: read it again. */
  stale(): void;
}

const PAUSE_MS_FIRST = 1_000;
const PAUSE_MS_MAX = 60_000;

export class Shared {
  readonly viewers = new Set<Viewer>();
  readonly pending = new Set<Done>();
  /** The newest: who renders again may have made another `getToken`. */
  options: InboxOptions;
  readonly service: Notifications;
  connection: Connection = 'connecting';
  counts: Counts = { unread_count: 0, unseen_count: 0 };
  /** Lists may be read: what happens from now on is told, or cannot be. */
  isReady = false;
  error: unknown = null;
  readonly #ended = new AbortController();

  constructor(options: InboxOptions) {
    this.options = options;
    const { notifications } = new Parley({
      notifications: {
        url: options.url,
        ...(options.getToken && { key: () => this.options.getToken!({ refused: false }) }),
      },
      fetch: (input, init) => this.#fetch(input as string, init!),
    });
    this.service = notifications;
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

  /** A token that ran out meanwhile is renewed once. Of the stream it is seen when it opens and when it is cut. */
  async #fetch(url: string, given: RequestInit): Promise<Response> {
    const { fetch = globalThis.fetch, getToken } = this.options;
    // Whoever follows an item's link leaves the page, and it is read all the same.
    const init = { ...given, keepalive: given.method !== 'GET' };
    const isStream = new URL(url, 'http://x').pathname.endsWith('/notifications/stream');
    try {
      let response = await fetch(url, init);
      if (response.status === 401 && getToken) {
        const headers = new Headers(init.headers);
        headers.set('authorization', `Bearer ${await getToken({ refused: true })}`);
        response = await fetch(url, { ...init, headers });
      }
      if (!isStream) return response;
      this.#setConnection(response.ok ? 'live' : 'offline');
      return response.ok ? new Response(this.#watched(response.body!), response) : response;
    } catch (error) {
      if (isStream) this.#setConnection('offline');
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

  /** The SDK resumes what was cut. What was refused for good is tried again here, and lists are read anew then. */
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
      default: // of a later release
    }
  }

  #done(change: Done): void {
    for (const viewer of this.viewers) viewer.done(change);
  }
}

/** The one state of this module: however many components a page has, a user's stream is open once. */
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
