// An in-memory fake of notifications with a stream that tests can cut.
// apps/notifications/test/inbox-client.int.test.ts tests the client with the real service.
import {
  changed,
  countsUnread,
  inOrder,
  shows,
  type Change,
  type Done,
  type InboxFilter,
  type Item,
} from '../../src/changes.ts';

import type { PreferenceChanges, Preferences } from '../../src/preferences.ts';

const KINDS: Readonly<Record<string, Exclude<Change['kind'], 'snoozed'>>> = {
  read: 'read',
  unread: 'unread',
  archive: 'archived',
  unarchive: 'unarchived',
};

export interface FakeService {
  readonly fetch: typeof fetch;
  /** Ids of clicked items. */
  readonly clicked: string[];
  /** `PUT /v1/notifications/n1/read` */
  readonly asked: string[];
  /** Open streams. */
  streams(): number;
  /** Adds an item and reports it on the stream. */
  send(item: Partial<Item>): Item;
  /** Adds an item without reporting it. */
  put(item: Partial<Item>): Item;
  item(id: string): Item | undefined;
  cut(): void;
  /** Returns a response instead of the fake's own. */
  refuse?: ((what: string) => Response | undefined) | undefined;
}

const now = () => Date.now() / 1000;
const encoder = new TextEncoder();

const CHANNELS = { email: true, in_app: true };

function applyPreferences(now: Preferences, body: string): Preferences {
  const { all, channels, categories = {} } = JSON.parse(body) as PreferenceChanges;
  return {
    ...now,
    all: all ?? now.all,
    channels: { ...now.channels, ...channels },
    categories: now.categories.map((one) => ({
      ...one,
      channels: { ...one.channels, ...categories[one.id] },
    })),
  };
}

export function fakeService(): FakeService {
  let preferences: Preferences = {
    user_id: 'ada',
    all: true,
    channels: CHANNELS,
    categories: [
      { id: 'bills', name: 'Bills', description: null, required: true, opt_in: false, channels: CHANNELS },
      {
        id: 'news',
        name: 'News',
        description: 'Once a week.',
        required: false,
        opt_in: false,
        channels: CHANNELS,
      },
    ],
  };
  let items: Item[] = [];
  let last = 0;
  const open = new Set<ReadableStreamDefaultController<Uint8Array>>();
  const inInbox = () => items.filter((item) => shows({}, item, now()));
  const counts = () => ({
    unread_count: items.filter((item) => countsUnread(item, now())).length,
    unseen_count: inInbox().filter(({ seen_at }) => seen_at === null).length,
  });
  const frame = (event: string, data: object, id = '') =>
    encoder.encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n${id && `id: ${id}\n`}\n`);
  const tell = (event: string, data: object) => {
    last += 1;
    for (const stream of open) {
      stream.enqueue(frame(event, data));
      stream.enqueue(frame('unread_count', counts(), String(last)));
    }
  };

  /** A reconnecting client gets `reset`, because the fake keeps no events. */
  function openStream(signal: AbortSignal, comesBack: boolean): Response {
    let mine: ReadableStreamDefaultController<Uint8Array>;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        mine = controller;
        open.add(mine);
        if (comesBack) mine.enqueue(frame('reset', {}));
        mine.enqueue(frame('unread_count', counts(), String(last)));
      },
      cancel: () => void open.delete(mine),
    });
    signal.addEventListener('abort', () => {
      if (open.delete(mine)) mine.error(signal.reason);
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  }

  function change(done: Done): void {
    items = items.map((item) => changed(item, done, now())).filter((item) => item !== null);
    if (done.kind !== 'seen')
      tell(done.kind, done.id === null ? { all: true } : { id: done.id, notification_id: `of ${done.id}` });
  }

  function list(query: URLSearchParams): object {
    const filter = Object.fromEntries(query) as InboxFilter;
    const found = items.filter((item) => shows(filter, item, now())).sort(inOrder);
    const from = Number(query.get('cursor') ?? 0);
    const to = from + Number(query.get('limit'));
    return { items: found.slice(from, to), next_cursor: to < found.length ? String(to) : null, ...counts() };
  }

  function answer(what: string, url: URL, init: RequestInit): Response {
    const [method, , , id, name] = what.split(/[ /]+/) as [string, string, string, string?, string?];
    if (id === undefined && url.pathname.endsWith('/preferences')) {
      if (method === 'PUT') preferences = applyPreferences(preferences, init.body as string);
      return Response.json(preferences);
    }
    if (name === 'snooze') {
      const { until } = JSON.parse(init.body as string) as { until: number | null };
      items = items.map((item) => (item.id === id ? { ...item, snoozed_until: until } : item));
      return Response.json(items.find((item) => item.id === id));
    }
    if (name !== undefined) {
      if (init.body === '{"clicked":true}') service.clicked.push(id!);
      change({ kind: KINDS[name]!, id: id! });
      return Response.json(items.find((item) => item.id === id));
    }
    if (id === 'stream') return openStream(init.signal!, new Headers(init.headers).has('last-event-id'));
    if (id === 'count') return Response.json(counts());
    if (method === 'GET') return Response.json(list(url.searchParams));
    if (method === 'POST') change({ kind: id === 'seen' ? 'seen' : 'read', id: null });
    else change({ kind: 'deleted', id: id ?? null });
    return Response.json({ updated: 1, ...counts() });
  }

  const put = (item: Partial<Item>): Item => {
    const id = item.id ?? `n${items.length + 1}`;
    const whole: Item = {
      id,
      notification_id: `of ${id}`,
      organization_id: 'acme',
      user_id: 'ada',
      title: id,
      body: '',
      url: null,
      data: null,
      actions: [],
      category: null,
      icon: null,
      status: 'unread',
      seen_at: null,
      read_at: null,
      archived_at: null,
      snoozed_until: null,
      expires_at: null,
      created_at: now() - 1000 + items.length,
      ...item,
    };
    items.push(whole);
    return whole;
  };

  const service: FakeService = {
    asked: [],
    clicked: [],
    fetch: async (input, init) => {
      const url = new URL(input as string);
      const what = `${init!.method} ${url.pathname}`;
      service.asked.push(what);
      return service.refuse?.(what) ?? answer(what, url, init!);
    },
    streams: () => open.size,
    put,
    send: (item) => {
      const sent = put(item);
      tell('created', sent);
      return sent;
    },
    item: (id) => items.find((item) => item.id === id),
    cut: () => {
      for (const stream of open) stream.error(new Error('cut'));
      open.clear();
    },
  };
  return service;
}
