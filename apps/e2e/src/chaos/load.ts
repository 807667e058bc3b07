// A steady mixed load: a fixed number of each kind per second.
import { SERVICES } from '@parley/dev/stack';
import type { ItemKind } from './account.rules.ts';
import { createAuthor, type Author } from './author.ts';
import { createBounces, type Bounces } from './bounce.ts';
import type { Ledger } from './ledger.ts';
import type { Client } from './client.ts';
import { createConversations, type Conversations } from './converse.ts';
import type { InboxWatch } from './inbox-watch.ts';
import { RECIPIENT_TEMPLATE_ID, TEMPLATE_ID, TOPIC_ID, USER_ID, type Prepared } from './prepare.ts';
import { addMark, type Receivers } from './receivers.ts';
import { createSpecialSends, type SpecialSends } from './send-specially.ts';

export interface Load {
  /** Sends nothing new; resolves when every request is answered or given up. */
  stop(): Promise<void>;
  /** What the APIs must show at the end. */
  readonly expected: Expected;
}

export interface Expected extends Pick<Author, 'published' | 'keys'> {
  readonly conversations: Conversations['expected'];
  readonly clicked: SpecialSends['clicked'];
  readonly bounced: Bounces['reported'];
}

/** Intervals between items of a kind: a third of what the services can do on two shared cores. */
const EVERY_MS = {
  conversation: 1_000,
  crowd: 5_000,
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
  workflow: 2_000,
  recurring: 3_000,
  click: 2_000,
  bounce: 2_000,
  inbox: 500,
};
/** Conversations that begin together: reports of their turns share jobs. */
const CROWD = 10;
/** Kinds whose channel has another name. */
const CHANNELS: Readonly<Partial<Record<ItemKind, string>>> = {
  broadcast: 'web_push',
  recipient: 'email',
  topic: 'in_app',
  steps: 'chat',
  digest: 'chat',
};
/** Requests in flight. Beyond it nothing starts: an unbounded load would only measure itself. */
const PENDING_MAX = 400;

export interface LoadOptions {
  readonly ledger: Ledger;
  readonly client: Client;
  readonly receivers: Receivers;
  readonly prepared: Prepared;
  readonly inbox: InboxWatch;
}

export function startLoad({ ledger, client, receivers, prepared, inbox }: LoadOptions): Load {
  const conversations = createConversations(ledger, client, prepared);
  const author = createAuthor(ledger, client, prepared);
  const special = createSpecialSends(ledger, client, receivers);
  const bounces = createBounces(ledger, client, receivers, prepared);
  let count = 0;
  const next = (): number => (count += 1);

  /** Sends one request; `itemsOf` names the items that must arrive on each channel. */
  async function notify(
    channels: readonly ItemKind[],
    target: object,
    itemsOf: (id: string) => string[] = (id) => [id],
    bodyOf: (text: string) => object = (message) => ({ message, subject: 'Chaos' }),
    prefix = 'n',
  ) {
    const id = `${prefix}${next()}`;
    const all = channels.flatMap((kind) => itemsOf(id).map((item) => [kind, item] as const));
    for (const [kind, item] of all) ledger.sent(kind, item);
    const names = channels.map((kind) => CHANNELS[kind] ?? kind);
    const reply = await client.persist({
      service: 'notifications',
      method: 'POST',
      path: '/v1/notify',
      body: { channels: names, target, ...bodyOf(addMark(id)) },
      idempotencyKey: id,
    });
    if (!reply) return;
    const { accepted_channels: accepted } = reply.body as { accepted_channels: readonly string[] };
    if (accepted.length !== names.length)
      ledger.problem(`accepted for ${accepted.join()}, not ${names.join()}`);
    for (const [kind, item] of all) ledger.accepted(kind, item);
  }

  const four = {
    chat: { webhook_url: receivers.urls.chat },
    webhook: { url: receivers.urls.webhook },
    email: { email: 'ada@example.com' },
    in_app: { user_id: USER_ID },
  };
  const everyone = { web_push: { broadcast: true } };
  const later = { in_app: { user_id: USER_ID }, chat: { webhook_url: receivers.urls.steps } };
  const named = (text: string) => ({ template: { id: RECIPIENT_TEMPLATE_ID, data: { text } } });
  const collected = { chat: { webhook_url: receivers.urls.digest } };

  const pending = new Set<Promise<void>>();
  let stopped = false;
  const begin = (work: () => Promise<void>): void => {
    const task = work()
      .catch((error: unknown) => ledger.problem(`the load: ${(error as Error).stack}`))
      .finally(() => pending.delete(task));
    pending.add(task);
  };
  const every = (everyMs: number, work: () => Promise<void>) =>
    setInterval(() => {
      if (pending.size < PENDING_MAX) begin(work);
    }, everyMs);
  const timers = [
    every(EVERY_MS.conversation, () => conversations.converse(`turns-${next()}`)),
    every(EVERY_MS.crowd, async () => {
      const ids = Array.from({ length: CROWD }, () => `turns-${next()}`);
      await Promise.all(ids.map((id) => conversations.converse(id)));
    }),
    every(EVERY_MS.batch, () => conversations.report(`events-${next()}`)),
    every(EVERY_MS.notify, () => notify(['chat', 'webhook', 'email', 'in_app'], four)),
    every(EVERY_MS.broadcast, () =>
      notify(['broadcast'], everyone, (id) => prepared.devices.map((device) => `${id}|${device}`)),
    ),
    every(EVERY_MS.recipient, () =>
      notify(['recipient'], { user_id: USER_ID }, undefined, named, 'recipient-'),
    ),
    every(EVERY_MS.topic, () => notify(['topic'], { topic_id: TOPIC_ID }, undefined, named, 'topic-')),
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
    every(EVERY_MS.workflow, () => special.workflow(`workflow-${next()}`)),
    every(EVERY_MS.recurring, () => special.recurring(`recurring-${next()}`)),
    every(EVERY_MS.click, () => special.click(`click-${next()}`)),
    every(EVERY_MS.bounce, () => bounces.bounce(`bounce-${next()}`)),
    every(EVERY_MS.inbox, () => inbox.look()),
  ];
  /** These depend on the one before. */
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
      bounced: bounces.reported,
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
