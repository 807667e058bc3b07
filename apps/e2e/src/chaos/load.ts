// A steady mixed load: so much of each kind a second, whatever becomes of it. Called by run-chaos.ts and the soak.
import type { ServiceName } from '@parley/stack';
import { SERVICES } from '@parley/stack';
import type { ItemKind } from './account.rules.ts';
import type { Book } from './book.ts';
import type { Client } from './client.ts';
import { FLOW_ID, USER_ID, definitionOf, type IssuedKey, type Prepared } from './prepare.ts';
import { marked, webhookItem, type Receivers } from './receivers.ts';

export interface Load {
  /** Sends nothing new; settles when everything that was begun is answered or given up. */
  stop(): Promise<void>;
  /** What the APIs must show in the end. */
  readonly expected: Expected;
}

export interface Expected {
  /** By conversation: items and the texts that the transcript must have for them; none for a start or an end. */
  readonly conversations: ReadonlyMap<string, readonly ExpectedItem[]>;
  /** The newest version whose publication was answered. */
  published(): number;
  readonly keys: Readonly<
    Record<ServiceName, { readonly current: IssuedKey; readonly old: readonly string[] }>
  >;
}

export interface ExpectedItem {
  readonly kind: ItemKind;
  readonly id: string;
  readonly texts: readonly string[];
}

/** One of each so often. On two cores that are shared this is a third of what the services could do. */
const EVERY_MS = {
  conversation: 1_000,
  batch: 1_000,
  notify: 700,
  broadcast: 3_000,
  publish: 2_000,
  rotate: 2_000,
  inbox: 500,
};
/** Begun and not finished. Beyond that nothing new is begun: a load that grows while nobody answers would only measure itself. */
const PENDING_MAX = 400;

export interface LoadOptions {
  readonly book: Book;
  readonly client: Client;
  readonly receivers: Receivers;
  readonly prepared: Prepared;
}

export function startLoad({ book, client, receivers, prepared }: LoadOptions): Load {
  const conversations = new Map<string, ExpectedItem[]>();
  const keys = Object.fromEntries(
    SERVICES.map((service) => [service, { current: prepared.keys[service], old: [] as string[] }]),
  ) as Record<ServiceName, { current: IssuedKey; old: string[] }>;
  let published = 1;
  let count = 0;
  const next = (): string => String((count += 1));

  const expect = (conversationId: string, item: ExpectedItem): void => {
    conversations.set(conversationId, [...(conversations.get(conversationId) ?? []), item]);
  };
  /** The webhooks that must tell of something that was accepted. */
  const expectWebhooks = (sentAtMs: number, ...ids: string[]): void => {
    for (const id of ids) {
      book.sent('webhooks', id, sentAtMs);
      book.accepted('webhooks', id);
    }
  };

  /** A conversation of three turns, each carried on from the answer to the one before. */
  async function converse(): Promise<void> {
    const sessionId = `turns-${next()}`;
    let node: string | null = null;
    let variables: Readonly<Record<string, unknown>> = {};
    for (const [number, said] of [null, `Ada ${sessionId}`, '7'].entries()) {
      const id = `${sessionId}|${number}`;
      const sentAtMs = Date.now();
      book.sent('turns', id);
      const reply = await client.persist({
        service: 'flow-builder',
        method: 'POST',
        path: `/product/v1/flows/${FLOW_ID}/execute`,
        body: {
          session_id: sessionId,
          bot_id: prepared.botId,
          current_node: node,
          user_input: said,
          variables,
        },
      });
      if (!reply) return;
      book.accepted('turns', id);
      const turn = reply.body as Turn;
      const texts = turn.outputs.map(({ text }) => text);
      expect(sessionId, { kind: 'turns', id, texts: said === null ? texts : [said, ...texts] });
      expectWebhooks(
        sentAtMs,
        ...(number === 0 ? [webhookItem(sessionId, 'conversation.started')] : []),
        ...(said === null ? [] : [webhookItem(sessionId, 'speech.final', said)]),
        ...texts.map((text) => webhookItem(sessionId, 'bot.message', text)),
        ...(turn.status === 'completed' ? endings(sessionId) : []),
      );
      node = turn.next_node;
      variables = turn.variables;
    }
  }

  /** A whole conversation in one batch of events. */
  async function report(): Promise<void> {
    const conversationId = `events-${next()}`;
    const atMs = Date.now();
    const event = (number: number, type: string, data: object) => ({
      id: `${conversationId}-${number}`,
      type,
      conversation_id: conversationId,
      bot_id: prepared.botId,
      occurred_at: new Date(atMs + number).toISOString(),
      data,
    });
    const texts = ['A user says this.', 'A bot says that.', 'And so on.', 'Good bye.'];
    const events = [
      event(0, 'conversation.started', { channel: 'phone' }),
      ...texts.map((text, index) =>
        event(index + 1, index % 2 === 0 ? 'speech.final' : 'bot.message', { turn_index: index, text }),
      ),
      event(9, 'conversation.ended', { end_reason: 'flow_completed' }),
    ];
    for (const { id } of events) book.sent('events', id);
    const path = '/v1/conversations/events';
    const reply = await client.persist({ service: 'voice-api', method: 'POST', path, body: { events } });
    if (!reply) return;
    const { data } = reply.body as { data: { accepted: number; duplicates: number; rejected: unknown[] } };
    if (data.accepted + data.duplicates !== events.length)
      book.problem(`events are rejected: ${JSON.stringify(data.rejected)}`);
    for (const { id, type, data: said } of events) {
      book.accepted('events', id);
      const text = 'text' in said ? [String(said.text)] : [];
      expect(conversationId, { kind: 'events', id, texts: text });
      if (type !== 'conversation.ended') expectWebhooks(atMs, webhookItem(conversationId, type, text[0]));
    }
    expectWebhooks(atMs, ...endings(conversationId));
  }

  async function notify(
    channels: readonly ItemKind[],
    target: object,
    items: (id: string) => readonly string[],
  ) {
    const id = `n${next()}`;
    const all = channels.flatMap((kind) => items(id).map((item) => [kind, item] as const));
    for (const [kind, item] of all) book.sent(kind, item);
    const names = channels.map((kind) => (kind === 'broadcast' ? 'web_push' : kind));
    const reply = await client.persist({
      service: 'notifications',
      method: 'POST',
      path: '/v1/notify',
      body: { channels: names, subject: 'Chaos', message: marked(id), target },
      idempotencyKey: id,
    });
    if (!reply) return;
    const { accepted_channels: accepted } = reply.body as { accepted_channels: readonly string[] };
    if (accepted.length !== names.length)
      book.problem(`accepted for ${accepted.join()}, not ${names.join()}`);
    for (const [kind, item] of all) book.accepted(kind, item);
  }

  const notifyFour = () =>
    notify(
      ['chat', 'webhook', 'email', 'in_app'],
      {
        chat: { webhook_url: receivers.urls.chat },
        webhook: { url: receivers.urls.webhook },
        email: { email: 'ada@example.com' },
        in_app: { user_id: USER_ID },
      },
      (id) => [id],
    );
  const broadcast = () =>
    notify(['broadcast'], { web_push: { broadcast: true } }, (id) =>
      prepared.devices.map((device) => `${id}|${device}`),
    );

  /** Appends a version and publishes it. Nobody else does, so a 412 says that an attempt without an answer was made. */
  async function publish(): Promise<void> {
    const version = published + 1;
    const id = String(version);
    const sentAtMs = Date.now();
    const service = 'flow-builder';
    const append = { definition: definitionOf(id), base_version: published };
    const path = `/v1/flows/${FLOW_ID}`;
    if (!(await client.persist({ service, method: 'PATCH', path, body: append }, [412]))) return;
    book.sent('versions', id, sentAtMs);
    const body = { version };
    if (!(await client.persist({ service, method: 'POST', path: `${path}/publish`, body }))) return;
    book.accepted('versions', id);
    published = version;
  }

  /** The successor must work at once, on every replica; that the old one does not is looked at in the end. */
  async function rotate(service: ServiceName): Promise<void> {
    const { current, old } = keys[service];
    const id = `${service}|${current.id}`;
    book.sent('keys', id);
    const reply = await client.persist({
      service,
      method: 'POST',
      path: `/v1/api-keys/${current.id}/rotate`,
      body: { grace_seconds: 0 },
      idempotencyKey: `rotate-${current.id}`,
    });
    if (!reply) return;
    const answered = reply.body as IssuedKey & { data?: IssuedKey };
    const successor = answered.data ?? answered;
    book.accepted('keys', id);
    old.push(current.key);
    keys[service].current = successor;
    const works = await client.persist({
      service,
      method: 'GET',
      path: '/v1/api-keys/me',
      key: successor.key,
    });
    if (works) book.seen('keys', id, successor.id);
  }

  const inbox = createInboxWatch(book, client);
  const pending = new Set<Promise<void>>();
  let stopped = false;
  const begin = (work: () => Promise<void>): Promise<void> => {
    const task = work()
      .catch((error: unknown) => book.problem(`the load: ${(error as Error).stack}`))
      .finally(() => pending.delete(task));
    pending.add(task);
    return task;
  };
  const timers = (
    [
      [EVERY_MS.conversation, converse],
      [EVERY_MS.batch, report],
      [EVERY_MS.notify, notifyFour],
      [EVERY_MS.broadcast, broadcast],
      [EVERY_MS.inbox, inbox.look],
    ] as const
  ).map(([everyMs, work]) => setInterval(() => void (pending.size < PENDING_MAX && begin(work)), everyMs));
  /** These follow upon each other. */
  const series = (everyMs: number, work: (round: number) => Promise<void>): Promise<void> =>
    begin(async () => {
      for (let round = 0; !stopped; round += 1) {
        await work(round);
        await new Promise((resolve) => setTimeout(resolve, everyMs));
      }
    });
  void series(EVERY_MS.publish, publish);
  void series(EVERY_MS.rotate, (round) => rotate(SERVICES[round % SERVICES.length]!));

  return {
    expected: { conversations, published: () => published, keys },
    stop: async () => {
      stopped = true;
      timers.forEach(clearInterval);
      while (pending.size > 0) await Promise.all(pending);
    },
  };
}

interface Turn {
  readonly status: string;
  readonly next_node: string | null;
  readonly outputs: readonly { readonly text: string }[];
  readonly variables: Readonly<Record<string, unknown>>;
}

const endings = (conversationId: string): string[] => [
  webhookItem(conversationId, 'conversation.ended'),
  webhookItem(conversationId, 'transcript.ready'),
];

interface InboxPage {
  readonly items: readonly { readonly id: string; readonly message: string }[];
  readonly next_cursor: string | null;
}

export interface InboxWatch {
  /** Notes what is new on the first page; one look at a time. */
  look(): Promise<void>;
  /** Notes what is new anywhere. */
  lookAtAll(): Promise<void>;
}

export function createInboxWatch(book: Book, client: Client): InboxWatch {
  const seen = new Set<string>();
  let looking = false;
  const page = async (cursor: string | null): Promise<InboxPage | null> => {
    const query = `user_id=${USER_ID}&limit=100${cursor === null ? '' : `&cursor=${cursor}`}`;
    const path = `/v1/notifications?${query}`;
    const reply = await client.ask({ service: 'notifications', method: 'GET', path });
    return reply?.status === 200 ? (reply.body as InboxPage) : null;
  };
  const note = ({ items }: InboxPage): void => {
    for (const { id, message } of items) {
      const mark = /\[m:([\w-]+)\]/.exec(message)?.[1];
      if (seen.has(id) || mark === undefined) continue;
      seen.add(id);
      book.seen('in_app', mark, id);
    }
  };
  return {
    look: async () => {
      if (looking) return;
      looking = true;
      const found = await page(null).finally(() => (looking = false));
      if (found) note(found);
    },
    lookAtAll: async () => {
      for (let cursor: string | null = null; ;) {
        const found = await page(cursor);
        if (!found) throw new Error('the inbox cannot be read');
        note(found);
        cursor = found.next_cursor;
        if (cursor === null) return;
      }
    },
  };
}
