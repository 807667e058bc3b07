// The receivers of a run, one of each kind. They can fail and hang, all at once; what they receive
// meanwhile does not count, because the sender must repeat it.
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
import type { Ledger } from './ledger.ts';

/** `losing`: a request in a hundred is lost, an answer in a hundred is, and some come late. */
export type Mood = 'well' | 'failing' | 'hanging' | 'losing';

export interface Receivers {
  /** Addresses of the receivers. */
  readonly urls: {
    readonly webhooks: string;
    readonly chat: string;
    readonly steps: string;
    readonly digest: string;
    readonly bulk: string;
    readonly throttle: string;
    readonly quiet: string;
    readonly workflow: string;
    readonly recurring: string;
    readonly webhook: string;
  };
  readonly smtpUrl: string;
  /** Signs events of a mail provider. */
  readonly mailgunKey: string;
  /** The secret of the conversation webhook, once it exists. */
  readonly webhookSecret: string;
  readonly push: PushService;
  /** The secret of the conversation webhook, once it exists. */
  verifyWith(secret: string): void;
  setMood(mood: Mood): void;
  close(): Promise<void>;
}

/** Marks a message with its item: `[m:<id>]`. */
export const addMark = (id: string): string => `Chaos [m:${id}]`;
/** The name of the recipient that templates read. */
export const USER_NAME = 'Ada';
export const addName = (text: string): string => `${text} for ${USER_NAME}`;
const parseMarks = (text: string): string[] => [...text.matchAll(/\[m:([\w-]+)\]/g)].map(([, id]) => id!);
const parseMark = (text: string): string | null => parseMarks(text)[0] ?? null;

/** A webhook event's item is its content, not its id. */
export const webhookItem = (conversationId: string, event: string, text = ''): string =>
  `${conversationId}|${event}|${text}`;

/** Kinds with chat addresses of their own. */
const CHAT_KINDS: Readonly<Record<string, ItemKind>> = {
  '/steps': 'steps',
  '/digest': 'digest',
  '/bulk': 'bulk',
  '/throttle': 'throttle',
  '/quiet': 'quiet',
  '/workflow': 'workflow',
  '/recurring': 'recurring',
};

/** The earliest arrival, from the item's id: `quiet-<number>-<epoch milliseconds>`. */
export const parseNotBefore = (id: string): number => Number(/^quiet-\d+-(\d+)$/.exec(id)?.[1] ?? 0);

const POLL_INTERVAL_MS = 100;

/**
 * A hundredth of all packets is lost: of a request with its four or so, one in 25 comes after TCP
 * has sent it again, and in a hundred two are lost with their connection.
 */
const LOSS_EVERY = 100;
const LOST_REQUEST = 1;
const LOST_ANSWER = 51;
const LATE_EVERY = 25;
const SENT_AGAIN_MS = 1_000;

export async function startReceivers(ledger: Ledger): Promise<Receivers> {
  const webhookSecret = `whsec_${randomBytes(32).toString('base64')}`;
  let conversationSecret: string | null = null;
  let mood: Mood = 'well';
  let count = 0;
  const answering =
    (take: (request: ReceivedRequest) => void) =>
    (request: ReceivedRequest): Answer => {
      if (mood === 'hanging') return 'hang';
      if (mood === 'failing') return 503;
      const place = mood === 'losing' ? (count += 1) % LOSS_EVERY : -1;
      if (place === LOST_REQUEST) return 'hang';
      take(request);
      if (place === LOST_ANSWER) return 'hang';
      return place % LATE_EVERY === 0 ? { status: 200, afterMs: SENT_AGAIN_MS } : 200;
    };

  /** By conversation, because a revised transcript is announced again with another id. */
  const announced = new Map<string, string>();
  const webhooks = await receiver({
    fallback: answering((request) => {
      if (conversationSecret === null) return;
      verify(ledger, request, conversationSecret);
      const body = parseBody<{
        id?: string;
        event: string;
        data: { conversation_id: string; text?: string };
      }>(request);
      const { conversation_id: conversationId, text } = body.data;
      const id = body.id ?? null;
      if (body.event === 'transcript.ready') {
        if ((announced.get(conversationId) ?? id) !== id) return;
        announced.set(conversationId, id ?? '');
      }
      ledger.seen('webhooks', webhookItem(conversationId, body.event, text), id);
    }),
  });
  const chat = await receiver({
    fallback: answering((request) => {
      const kind = CHAT_KINDS[request.path] ?? 'chat';
      for (const mark of parseMarks(parseBody<{ text: string }>(request).text)) {
        ledger.seen(kind, mark, header(request, 'webhook-id'));
        if (Date.now() < parseNotBefore(mark)) ledger.problem(`${mark} came within its quiet hours`);
      }
    }),
  });
  const webhook = await receiver({
    fallback: answering((request) => {
      verify(ledger, request, webhookSecret);
      const mark = parseMark(parseBody<{ message: string }>(request).message);
      if (mark !== null) ledger.seen('webhook', mark, header(request, 'webhook-id'));
    }),
  });
  const mail = await fakeMailServer();
  const push = await pushService({ plain: true });

  // These two only keep lists, so they are polled often enough for exact times.
  let mailsSeen = 0;
  let pushesSeen = 0;
  const look = (): void => {
    for (const { document } of mail.mails.slice(mailsSeen)) {
      const mark = parseMark(document);
      if (mark === null || mark.startsWith('bounce-')) continue;
      const kind = mark.startsWith('recipient-') ? 'recipient' : 'email';
      if (kind === 'recipient' && !document.includes(addName(addMark(mark))))
        ledger.problem(`${mark} does not name its recipient`);
      ledger.seen(kind, mark, /^message-id: (.+)$/im.exec(document)?.[1]?.trim() ?? null);
    }
    mailsSeen = mail.mails.length;
    for (const { text, device, status } of push.pushes.slice(pushesSeen)) {
      const { body, notification_id: id } = JSON.parse(text) as { body: string; notification_id?: string };
      const mark = parseMark(body);
      if (mark !== null && status === 201) ledger.seen('broadcast', `${mark}|${device}`, id ?? null);
    }
    pushesSeen = push.pushes.length;
    for (const problem of push.problems) ledger.problem(`a push message breaks a rule: ${problem}`);
  };
  const timer = setInterval(look, POLL_INTERVAL_MS);

  return {
    urls: {
      webhooks: `${webhooks.url}/conversations`,
      chat: `${chat.url}/chat`,
      steps: `${chat.url}/steps`,
      digest: `${chat.url}/digest`,
      bulk: `${chat.url}/bulk`,
      throttle: `${chat.url}/throttle`,
      quiet: `${chat.url}/quiet`,
      workflow: `${chat.url}/workflow`,
      recurring: `${chat.url}/recurring`,
      webhook: `${webhook.url}/in`,
    },
    smtpUrl: mail.url,
    mailgunKey: randomBytes(32).toString('hex'),
    webhookSecret,
    push,
    verifyWith: (secret) => void (conversationSecret = secret),
    setMood: (next) => {
      mood = next;
      // Never after the last byte of a mail: then it is unknown whether it was accepted, and it is
      // not repeated.
      mail.always(
        next === 'well' || next === 'losing'
          ? undefined
          : next === 'hanging'
            ? 'silent'
            : { at: 'recipient', code: 451 },
      );
      push.always(next === 'well' || next === 'losing' ? undefined : next === 'hanging' ? 'hang' : 503);
    },
    close: async () => {
      clearInterval(timer);
      await Promise.all([webhooks.close(), chat.close(), webhook.close(), mail.close(), push.close()]);
    },
  };
}

function parseBody<T>({ body }: ReceivedRequest): T {
  return JSON.parse(body.toString('utf8')) as T;
}

function header({ headers }: ReceivedRequest, name: string): string | null {
  const value = headers[name];
  return typeof value === 'string' ? value : null;
}

function verify(ledger: Ledger, { body, headers }: ReceivedRequest, secret: string): void {
  try {
    new Webhook(secret).verify(body.toString('utf8'), headers as Record<string, string>);
  } catch (error) {
    ledger.problem(`a webhook's signature is not right: ${(error as Error).message}`);
  }
}
