// A steady mixed load: so much of each kind a second, whatever becomes of it.
import { SERVICES } from '@parley/dev/stack';
import type { ItemKind } from './account.rules.ts';
import { createAuthor, type Author } from './author.ts';
import type { Book } from './book.ts';
import type { Client } from './client.ts';
import { createConversations, type Conversations } from './converse.ts';
import type { InboxWatch } from './inbox-watch.ts';
import { TEMPLATE_ID, TOPIC_ID, USER_ID, type Prepared } from './prepare.ts';
import { marked, type Receivers } from './receivers.ts';
import { createSpecialSends, type SpecialSends } from './send-specially.ts';

export interface Load {
  /** Sends nothing new; settles when everything that was begun is answered or given up. */
  stop(): Promise<void>;
  /** What the APIs must show in the end. */
  readonly expected: Expected;
}

export interface Expected extends Pick<Author, 'published' | 'keys'> {
  readonly conversations: Conversations['expected'];
  readonly clicked: SpecialSends['clicked'];
}

/** One of each so often. On two cores that are shared this is a third of what the services could do. */
const EVERY_MS = {
  conversation: 1_000,
  batch: 1_000,
  notify: 700,
  broadcast: 3_000,
  recipient: 1_500,
  topic: 3_000,
  publish: 2_000,
  rotate: 2_000,
  steps: 2_000,
  digest: 1_000,
  bulk: 3_000,
  throttle: 2_000,
  quiet: 3_000,
  click: 2_000,
  inbox: 500,
};
/** Kinds that are not called as the channel that they go over. */
const CHANNEL_OF: Readonly<Partial<Record<ItemKind, string>>> = {
  broadcast: 'web_push',
  recipient: 'email',
  topic: 'in_app',
  steps: 'chat',
  digest: 'chat',
};
/** Begun and not finished. Beyond that nothing new is begun: a load that grows while nobody answers would only measure itself. */
const PENDING_MAX = 400;

export interface LoadOptions {
  readonly book: Book;
  readonly client: Client;
  readonly receivers: Receivers;
  readonly prepared: Prepared;
  readonly inbox: InboxWatch;
}

export function startLoad({ book, client, receivers, prepared, inbox }: LoadOptions): Load {
  const conversations = createConversations(book, client, prepared);
  const author = createAuthor(book, client, prepared);
  const special = createSpecialSends(book, client, receivers);
  let count = 0;
  const next = (): number => (count += 1);

  /** One request; `itemsOf` names what must arrive of it, the same on each channel. */
  async function notify(
    channels: readonly ItemKind[],
    target: object,
    itemsOf: (id: string) => string[] = (id) => [id],
    bodyOf: (text: string) => object = (message) => ({ message, subject: 'Chaos' }),
    prefix = 'n',
  ) {
    const id = `${prefix}${next()}`;
    const all = channels.flatMap((kind) => itemsOf(id).map((item) => [kind, item] as const));
    for (const [kind, item] of all) book.sent(kind, item);
    const names = channels.map((kind) => CHANNEL_OF[kind] ?? kind);
    const reply = await client.persist({
      service: 'notifications',
      method: 'POST',
      path: '/v1/notify',
      body: { channels: names, target, ...bodyOf(marked(id)) },
      idempotencyKey: id,
    });
    if (!reply) return;
    const { accepted_channels: accepted } = reply.body as { accepted_channels: readonly string[] };
    if (accepted.length !== names.length)
      book.problem(`accepted for ${accepted.join()}, not ${names.join()}`);
    for (const [kind, item] of all) book.accepted(kind, item);
  }

  const four = {
    chat: { webhook_url: receivers.urls.chat },
    webhook: { url: receivers.urls.webhook },
    email: { email: 'ada@example.com' },
    in_app: { user_id: USER_ID },
  };
  const everyone = { web_push: { broadcast: true } };
  const later = { in_app: { user_id: USER_ID }, chat: { webhook_url: receivers.urls.steps } };
  const collected = { chat: { webhook_url: receivers.urls.digest } };

  const pending = new Set<Promise<void>>();
  let stopped = false;
  const begin = (work: () => Promise<void>): void => {
    const task = work()
      .catch((error: unknown) => book.problem(`the load: ${(error as Error).stack}`))
      .finally(() => pending.delete(task));
    pending.add(task);
  };
  const every = (everyMs: number, work: () => Promise<void>) =>
    setInterval(() => {
      if (pending.size < PENDING_MAX) begin(work);
    }, everyMs);
  const timers = [
    every(EVERY_MS.conversation, () => conversations.converse(`turns-${next()}`)),
    every(EVERY_MS.batch, () => conversations.report(`events-${next()}`)),
    every(EVERY_MS.notify, () => notify(['chat', 'webhook', 'email', 'in_app'], four)),
    every(EVERY_MS.broadcast, () =>
      notify(['broadcast'], everyone, (id) => prepared.devices.map((device) => `${id}|${device}`)),
    ),
    every(EVERY_MS.recipient, () =>
      notify(['recipient'], { user_id: USER_ID }, undefined, undefined, 'recipient-'),
    ),
    every(EVERY_MS.topic, () => notify(['topic'], { topic_id: TOPIC_ID }, undefined, undefined, 'topic-')),
    every(EVERY_MS.steps, () =>
      notify(['in_app', 'steps'], later, undefined, (message) => ({
        message,
        channels: ['in_app'],
        steps: [{ channels: ['chat'], after: 2 }],
      })),
    ),
    every(EVERY_MS.digest, () =>
      notify(['digest'], collected, undefined, (text) => ({
        template: { id: TEMPLATE_ID, data: { text } },
        digest: { key: 'chaos', window: 3 },
      })),
    ),
    every(EVERY_MS.bulk, () => special.bulk(`bulk-${next()}`)),
    every(EVERY_MS.throttle, () => special.throttled(`throttle-${next()}`)),
    every(EVERY_MS.quiet, () => special.quiet(`quiet-${next()}`)),
    every(EVERY_MS.click, () => special.click(`click-${next()}`)),
    every(EVERY_MS.inbox, () => inbox.look()),
  ];
  /** These follow upon each other. */
  const series = (everyMs: number, work: (round: number) => Promise<void>): void =>
    begin(async () => {
      for (let round = 0; !stopped; round += 1) {
        await work(round);
        await new Promise((resolve) => setTimeout(resolve, everyMs));
      }
    });
  series(EVERY_MS.publish, () => author.publish());
  series(EVERY_MS.rotate, (round) => author.rotate(SERVICES[round % SERVICES.length]!));

  return {
    expected: {
      conversations: conversations.expected,
      clicked: special.clicked,
      published: author.published,
      keys: author.keys,
    },
    stop: async () => {
      stopped = true;
      timers.forEach((timer) => clearInterval(timer));
      while (pending.size > 0) await Promise.all(pending);
    },
  };
}
