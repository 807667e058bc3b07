// Mails that bounce: a signed event of a mail provider says so, and the address gets no more mail.
import { createHmac, randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from './client.ts';
import type { Ledger } from './ledger.ts';
import type { Prepared } from './prepare.ts';
import { addMark, type Receivers } from './receivers.ts';

export interface Bounces {
  /** Sends a mail, reports its bounce once it left, and sends another one. */
  bounce(id: string): Promise<void>;
  /** Notifications by item whose bounce was answered. */
  readonly reported: ReadonlyMap<string, string>;
}

interface Sent {
  readonly notification_id: string;
  readonly suppressed?: readonly unknown[];
}

const LEFT_TIMEOUT_MS = 60_000;
const LOOK_MS = 500;

export const toBouncingAddress = (id: string): string => `${id}@example.com`;

export function createBounces(
  ledger: Ledger,
  client: Client,
  receivers: Receivers,
  { organizationId }: Prepared,
): Bounces {
  const reported = new Map<string, string>();
  const post = async (path: string, body: object, idempotencyKey?: string): Promise<unknown> => {
    const repeated = idempotencyKey === undefined ? {} : { idempotencyKey };
    return (await client.persist({ service: 'notifications', method: 'POST', path, body, ...repeated }))
      ?.body;
  };
  const send = async (id: string, which: string) => {
    const body = { channels: ['email'], target: { email: toBouncingAddress(id) }, message: addMark(id) };
    return (await post('/v1/notify', body, `${id}-${which}`)) as Sent | undefined;
  };
  /** Providers report only what they accepted. */
  const hasLeft = async (notificationId: string): Promise<boolean> => {
    const until = Date.now() + LEFT_TIMEOUT_MS;
    while (Date.now() < until) {
      if ((await readChannelStatus(client, notificationId)) === 'sent') return true;
      await delay(LOOK_MS);
    }
    return false;
  };

  return {
    reported,
    bounce: async (id) => {
      ledger.sent('bounces', id);
      const first = await send(id, 'first');
      if (!first || !(await hasLeft(first.notification_id))) return;
      const event = {
        signature: sign(receivers.mailgunKey),
        'event-data': {
          event: 'failed',
          severity: 'permanent',
          reason: 'bounce',
          timestamp: Date.now() / 1_000,
          recipient: toBouncingAddress(id),
          'user-variables': { notification_id: first.notification_id },
        },
      };
      if (!(await post(`/v1/providers/mailgun/events/${organizationId}`, event))) return;
      reported.set(id, first.notification_id);
      ledger.accepted('bounces', id);
      const second = await send(id, 'second');
      if (second && second.suppressed?.length !== 1)
        ledger.problem(`${id}: a mail was accepted for an address that had bounced`);
    },
  };
}

/** Undefined without an answer. */
export async function readChannelStatus(client: Client, notificationId: string): Promise<string | undefined> {
  const path = `/v1/notify/${notificationId}`;
  const reply = await client.persist({ service: 'notifications', method: 'GET', path });
  return (reply?.body as { channels: readonly { readonly status: string }[] } | undefined)?.channels[0]
    ?.status;
}

/** https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/securing-webhooks */
function sign(key: string): object {
  const [timestamp, token] = [String(Math.floor(Date.now() / 1_000)), randomBytes(25).toString('hex')];
  const signature = createHmac('sha256', key)
    .update(timestamp + token)
    .digest('hex');
  return { timestamp, token, signature };
}
