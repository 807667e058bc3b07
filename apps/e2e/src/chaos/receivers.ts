// The receivers of a run: one of each kind, which notes what it takes. They can fail and hang, all together. What is received while
// they do is not taken: the sender is to send it again.
import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import {
  fakeMailServer,
  pushService,
  receiver,
  type Answer,
  type PushService,
  type ReceivedRequest,
} from '@parley/testing';
import type { ItemKind } from './account.rules.ts';
import type { Book } from './book.ts';

export type Mood = 'well' | 'failing' | 'hanging';

export interface Receivers {
  /** Addresses to send to. */
  readonly urls: {
    readonly webhooks: string;
    readonly chat: string;
    readonly steps: string;
    readonly digest: string;
    readonly bulk: string;
    readonly throttle: string;
    readonly quiet: string;
    readonly webhook: string;
  };
  readonly smtpUrl: string;
  /** What the organisation's generic webhooks are signed with. */
  readonly webhookSecret: string;
  readonly push: PushService;
  /** The secret of the conversation webhook, once it is registered. */
  verifyWith(secret: string): void;
  setMood(mood: Mood): void;
  close(): Promise<void>;
}

/** What stands in a message, to know it again: `[m:<id>]`. */
export const marked = (id: string): string => `Chaos [m:${id}]`;
const marksOf = (text: string): string[] => [...text.matchAll(/\[m:([\w-]+)\]/g)].map(([, id]) => id!);
const markOf = (text: string): string | null => marksOf(text)[0] ?? null;

/** How a conversation webhook is known: by what it tells, not by its id. */
export const webhookItem = (conversationId: string, event: string, text = ''): string =>
  `${conversationId}|${event}|${text}`;

/** What comes over chat at addresses of its own. */
const CHAT_KINDS: Readonly<Record<string, ItemKind>> = {
  '/steps': 'steps',
  '/digest': 'digest',
  '/bulk': 'bulk',
  '/throttle': 'throttle',
  '/quiet': 'quiet',
};

/** What must not come before a moment says which in its id: `quiet-<number>-<epoch milliseconds>`. */
export const notBefore = (id: string): number => Number(/^quiet-\d+-(\d+)$/.exec(id)?.[1] ?? 0);

const LOOK_EVERY_MS = 100;

export async function startReceivers(book: Book): Promise<Receivers> {
  const webhookSecret = `whsec_${randomBytes(32).toString('base64')}`;
  let conversationSecret: string | null = null;
  let mood: Mood = 'well';
  const answering =
    (take: (request: ReceivedRequest) => void) =>
    (request: ReceivedRequest): Answer => {
      if (mood === 'hanging') return 'hang';
      if (mood === 'failing') return 503;
      take(request);
      return 200;
    };

  /** By conversation: a transcript that is revised is announced again, with another id. */
  const announced = new Map<string, string>();
  const webhooks = await receiver({
    fallback: answering((request) => {
      if (conversationSecret === null) return;
      verify(book, request, conversationSecret);
      const body = bodyOf<{ id?: string; event: string; data: { conversation_id: string; text?: string } }>(
        request,
      );
      const { conversation_id: conversationId, text } = body.data;
      const id = body.id ?? null;
      if (body.event === 'transcript.ready') {
        if ((announced.get(conversationId) ?? id) !== id) return;
        announced.set(conversationId, id ?? '');
      }
      book.seen('webhooks', webhookItem(conversationId, body.event, text), id);
    }),
  });
  const chat = await receiver({
    fallback: answering((request) => {
      const kind = CHAT_KINDS[request.path] ?? 'chat';
      for (const mark of marksOf(bodyOf<{ text: string }>(request).text)) {
        book.seen(kind, mark, header(request, 'webhook-id'));
        if (Date.now() < notBefore(mark)) book.problem(`${mark} came within its quiet hours`);
      }
    }),
  });
  const webhook = await receiver({
    fallback: answering((request) => {
      verify(book, request, webhookSecret);
      const mark = markOf(bodyOf<{ message: string }>(request).message);
      if (mark !== null) book.seen('webhook', mark, header(request, 'webhook-id'));
    }),
  });
  const mail = await fakeMailServer();
  const push = await pushService({ plain: true });

  // These two keep lists and call nobody: looked through often enough for the times to be right.
  let mailsSeen = 0;
  let pushesSeen = 0;
  const look = (): void => {
    for (const { document } of mail.mails.slice(mailsSeen)) {
      const mark = markOf(document);
      if (mark !== null)
        book.seen(
          mark.startsWith('recipient-') ? 'recipient' : 'email',
          mark,
          /^message-id: (.+)$/im.exec(document)?.[1]?.trim() ?? null,
        );
    }
    mailsSeen = mail.mails.length;
    for (const { text, device, status } of push.pushes.slice(pushesSeen)) {
      const { body, notification_id: id } = JSON.parse(text) as { body: string; notification_id?: string };
      const mark = markOf(body);
      if (mark !== null && status === 201) book.seen('broadcast', `${mark}|${device}`, id ?? null);
    }
    pushesSeen = push.pushes.length;
    for (const problem of push.problems) book.problem(`a push message breaks a rule: ${problem}`);
  };
  const timer = setInterval(look, LOOK_EVERY_MS);

  return {
    urls: {
      webhooks: `${webhooks.url}/conversations`,
      chat: `${chat.url}/chat`,
      steps: `${chat.url}/steps`,
      digest: `${chat.url}/digest`,
      bulk: `${chat.url}/bulk`,
      throttle: `${chat.url}/throttle`,
      quiet: `${chat.url}/quiet`,
      webhook: `${webhook.url}/in`,
    },
    smtpUrl: mail.url,
    webhookSecret,
    push,
    verifyWith: (secret) => void (conversationSecret = secret),
    setMood: (next) => {
      mood = next;
      // Never after the last byte of a mail: that leaves open whether it was taken, and is not repeated.
      mail.always(
        next === 'well' ? undefined : next === 'hanging' ? 'silent' : { at: 'recipient', code: 451 },
      );
      push.always(next === 'well' ? undefined : next === 'hanging' ? 'hang' : 503);
    },
    close: async () => {
      clearInterval(timer);
      await Promise.all([webhooks.close(), chat.close(), webhook.close(), mail.close(), push.close()]);
    },
  };
}

function bodyOf<T>({ body }: ReceivedRequest): T {
  return JSON.parse(body.toString('utf8')) as T;
}

function header({ headers }: ReceivedRequest, name: string): string | null {
  const value = headers[name];
  return typeof value === 'string' ? value : null;
}

function verify(book: Book, { body, headers }: ReceivedRequest, secret: string): void {
  try {
    new Webhook(secret).verify(body.toString('utf8'), headers as Record<string, string>);
  } catch (error) {
    book.problem(`a webhook's signature is not right: ${(error as Error).message}`);
  }
}
