// Sends that are not one plain request for one item: bulk calls, throttles, quiet hours, workflows,
// recurring sends, and clicks.
import type { Ledger } from './ledger.ts';
import type { Client } from './client.ts';
import { USER_ID, WORKFLOW_ID } from './prepare.ts';
import { addMark, type Receivers } from './receivers.ts';

export interface SpecialSends {
  /** Repeats the call with one idempotency key until all its sends are accepted. */
  bulk(id: string): Promise<void>;
  /**
   * Two concurrent sends with one throttle. One arrives; a second message of the item would be
   * unrecognisable.
   */
  throttled(id: string): Promise<void>;
  /** Within quiet hours that end with this minute. */
  quiet(id: string): Promise<void>;
  /** Over the channel and with the template of a workflow. */
  workflow(id: string): Promise<void>;
  /** A recurring send with one occurrence, at the next full minute. */
  recurring(id: string): Promise<void>;
  /** A click, repeated until it is answered, which counts once. */
  click(id: string): Promise<void>;
  /** Clicked notifications by item. */
  readonly clicked: ReadonlyMap<string, string>;
}

const BULK_SENDS = 20;
const MINUTE_MS = 60_000;
/** Longer than any run. */
const THROTTLED_SECONDS = 3_600;

interface Answer {
  readonly notification_id: string;
  readonly accepted_channels: readonly string[];
}

export function createSpecialSends(ledger: Ledger, client: Client, receivers: Receivers): SpecialSends {
  const { urls } = receivers;
  const clicked = new Map<string, string>();
  const post = async <T>(path: string, body: object, idempotencyKey: string): Promise<T | undefined> => {
    const request = { service: 'notifications', method: 'POST', path, body, idempotencyKey } as const;
    return (await client.persist(request))?.body as T | undefined;
  };
  const chat = (url: string, id: string, more: object = {}) => ({
    channels: ['chat'],
    target: { chat: { webhook_url: url } },
    message: addMark(id),
    ...more,
  });
  const isAccepted = (answer: Answer | undefined) => answer?.accepted_channels.includes('chat') === true;

  return {
    clicked,
    bulk: async (id) => {
      const ids = Array.from({ length: BULK_SENDS }, (_, index) => `${id}-${index}`);
      for (const one of ids) ledger.sent('bulk', one);
      const sends = ids.map((one) => chat(urls.bulk, one));
      const answer = await post<{ items: readonly Answer[] }>('/v1/notify/bulk', { sends }, id);
      if (!answer) return;
      for (const [index, one] of ids.entries())
        if (isAccepted(answer.items[index])) ledger.accepted('bulk', one);
        else ledger.problem(`${one} is not accepted: ${JSON.stringify(answer.items[index])}`);
    },
    throttled: async (id) => {
      ledger.sent('throttle', id);
      const body = chat(urls.throttle, id, { throttle: { key: id, per: THROTTLED_SECONDS } });
      const answers = await Promise.all(
        ['a', 'b'].map((which) => post<Answer>('/v1/notify', body, `${id}-${which}`)),
      );
      const accepted = answers.filter(isAccepted).length;
      if (accepted > 0) ledger.accepted('throttle', id);
      // The send without an answer may have been accepted.
      const known = answers.every((answer) => answer !== undefined);
      if (accepted > 1 || (known && accepted === 0))
        ledger.problem(`${id}: ${accepted} of two with one throttle`);
    },
    quiet: async (id) => {
      const minute = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
      const until = minute + MINUTE_MS;
      const item = `${id}-${until}`;
      ledger.sent('quiet', item);
      const hours = { from: formatClock(minute), until: formatClock(until) };
      const body = chat(urls.quiet, item, { quiet_hours: hours, timezone: 'UTC' });
      if (isAccepted(await post<Answer>('/v1/notify', body, item))) ledger.accepted('quiet', item);
    },
    workflow: async (id) => {
      ledger.sent('workflow', id);
      const body = {
        workflow: { id: WORKFLOW_ID, data: { text: addMark(id) } },
        target: { chat: { webhook_url: urls.workflow } },
      };
      if (isAccepted(await post<Answer>('/v1/notify', body, id))) ledger.accepted('workflow', id);
    },
    recurring: async (id) => {
      ledger.sent('recurring', id);
      const schedule = { rrule: 'FREQ=DAILY;COUNT=1', timezone: 'UTC' };
      const answer = await post<Answer>('/v1/notify', chat(urls.recurring, id, { schedule }), id);
      if (isAccepted(answer)) ledger.accepted('recurring', id);
    },
    click: async (id) => {
      ledger.sent('clicks', id);
      const body = {
        channels: ['in_app'],
        target: { in_app: { user_id: `${USER_ID}-clicks` } },
        message: id,
      };
      const sent = await post<Answer>('/v1/notify', body, id);
      if (!sent) return;
      const item = `iap_${sent.notification_id.slice('ntf_'.length)}`;
      const read = await client.persist({
        service: 'notifications',
        method: 'PUT',
        path: `/v1/notifications/${item}/read?user_id=${USER_ID}-clicks`,
        body: { clicked: true },
      });
      if (!read) return;
      clicked.set(id, sent.notification_id);
      ledger.accepted('clicks', id);
    },
  };
}

const formatClock = (atMs: number): string =>
  new Date(atMs).toISOString().slice('2026-01-01T'.length, -':00.000Z'.length);
