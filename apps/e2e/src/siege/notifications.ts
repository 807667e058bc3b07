// Attacks on notifications: silent receivers, inboxes of large items, many streams, and a delivery
// that kills workers.
import type { ReadableStream } from 'node:stream/web';
import { setTimeout as sleep } from 'node:timers/promises';
import { SILENT_PATH, times, type Attack, type AttackContext } from './attack.ts';
import { killUntilQuarantined } from './poison.ts';
import type { Answer, AttackRequest } from './send.ts';

const service = 'notifications';
const SENDS = 200;
/** Spread out, because the attack is about waiting sends, not about accepting them. */
const SEND_EVERY_MS = 20;
/** After the last send. */
const WAIT_MS = 4_000;
const ITEMS_OF_A_PAGE = 100;
/** More than a stream resends after a reconnect. */
const MISSED_ITEMS = 130;
const READER = 'siege-reader';
const STREAMS_OF_A_READER = 20;
const STREAMS = 500;
const STREAM_WITHIN_MS = 30_000;
/** Characters kept of a stream: keeping all of it would slow down the clock. */
const TAIL = 500;
const long = '€'.repeat(10_000);

const notify = (body: object): AttackRequest => ({ method: 'POST', path: '/v1/notify', body });
const toInbox = notify({ channels: ['in_app'], message: long, target: { in_app: { user_id: READER } } });
const toWebhook = (url: string, payload?: unknown): AttackRequest =>
  notify({ channels: ['webhook'], message: 'siege', target: { webhook: { url, payload } } });

/** Sends the requests, waits, and returns the first answer that is not 202, or the last. */
async function sendAndWait({ ask }: AttackContext, sends: readonly AttackRequest[]): Promise<Answer> {
  const asked: Promise<Answer>[] = [];
  for (const send of sends) {
    asked.push(ask(send));
    await sleep(SEND_EVERY_MS);
  }
  const answers = await Promise.all(asked);
  await sleep(WAIT_MS);
  return answers.find(({ status }) => status !== 202) ?? answers.at(-1)!;
}

/** Reads an event stream until it reports its position or is refused. */
async function stream({ origin, key }: AttackContext, userId: string, from?: string) {
  const ending = new AbortController();
  const response = await fetch(`${origin}/v1/notifications/stream?user_id=${userId}`, {
    headers: { authorization: `Bearer ${key}`, ...(from === undefined ? {} : { 'last-event-id': from }) },
    signal: AbortSignal.any([ending.signal, AbortSignal.timeout(STREAM_WITHIN_MS)]),
  });
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  let tail = '';
  let position: string | undefined;
  while (position === undefined) {
    const { value, done } = await reader.read();
    if (done) break;
    tail = tail.slice(-TAIL) + Buffer.from(value.subarray(-TAIL)).toString('latin1');
    position = /^id: (\d+)\n/m.exec(tail)?.[1];
  }
  return {
    status: response.status,
    text: tail,
    position,
    close: () => ending.abort(),
  };
}

/**
 * Each stopped the process for seconds when requests still rendered templates in the main thread.
 */
const templates: Readonly<Record<string, string>> = {
  'a range that is skipped': '{% for i in (1..19000000) offset:18999999 %}{% endfor %}x',
  'a range that is joined': '{{ (1..9000000) | join: "" | size }}',
  'a range that is sorted and reversed': '{{ (1..9000000) | sort | reverse | size }}',
  'lists that are compared': '{% for i in (1..9999) %}{% if l == m %}{% endif %}{% endfor %}x',
  'lists that are cases': `{% for i in (1..9999) %}{% case l %}{% when ${'m,'.repeat(3_000)}m %}{% endcase %}{% endfor %}x`,
  'texts that are encoded': `{{ l | join: "%" ${'| url_encode '.repeat(200)}| size }}`,
};
const lists = { l: times(4_000, () => 1), m: [...times(3_999, () => 1), 2] };

const templateAttacks = Object.entries(templates).flatMap(([name, message], place): Attack[] => {
  const id = `siege-${place}`;
  const target = { in_app: { user_id: READER } };
  const send = { channels: ['in_app'], target, template: { id, data: lists } };
  const prepareOnce = (): AttackRequest[] => [
    {
      method: 'PUT',
      path: `/v1/templates/${id}`,
      body: { default_locale: 'en', locales: [{ locale: 'en', message }] },
    },
  ];
  const bulk = { method: 'POST', path: '/v1/notify/bulk', body: { sends: times(20, () => send) } } as const;
  return [
    {
      name: `template, one send: ${name}`,
      service,
      prepareOnce,
      request: () => notify(send),
      expected: [400, 503],
    },
    { name: `template, a bulk: ${name}`, service, prepareOnce, request: () => bulk, expected: [202, 503] },
  ];
});

export const notificationsAttacks: readonly Attack[] = [
  ...templateAttacks,
  {
    name: 'notify: a body of 8 MiB',
    service,
    short: true,
    request: () => notify(Object.fromEntries(times(750_000, (place) => [`m${place.toString(36)}`, 1]))),
    expected: [413],
  },
  {
    name: 'notify: a mebibyte of unknown members',
    service,
    short: true,
    request: () => notify(Object.fromEntries(times(100_000, (place) => [place.toString(36), 1]))),
    expected: [400],
  },
  {
    name: 'notify: endless channels and targets',
    service,
    short: true,
    request: () =>
      notify({
        channels: times(50_000, () => 'webhook'),
        message: 'siege',
        target: Object.fromEntries(times(9_000, (place) => [`t${place}`, { user_id: 'x' }])),
      }),
    expected: [400],
  },
  {
    name: 'inbox: a page of items of 30 kB',
    service,
    prepareOnce: () => times(ITEMS_OF_A_PAGE, () => toInbox),
    request: () => ({ method: 'GET', path: `/v1/notifications?user_id=${READER}&limit=${ITEMS_OF_A_PAGE}` }),
    expected: [200],
    says: /"next_cursor":"/,
  },
  {
    name: 'inbox: 20 streams that missed 130 items of 30 kB',
    service,
    load: async (field) => {
      const first = await stream(field, READER);
      first.close();
      for (let item = 0; item < MISSED_ITEMS; item += 1) await field.ask(toInbox);
      const again = await Promise.all(
        times(STREAMS_OF_A_READER, () => stream(field, READER, first.position)),
      );
      for (const { close } of again) close();
      return again.find(({ text }) => !text.includes('event: reset')) ?? again[0]!;
    },
    expected: [200],
    says: /event: reset/,
  },
  {
    name: '501 streams of one organisation',
    service,
    plan: 'starter',
    load: async (field) => {
      const open = [];
      for (let reader = 0; reader < STREAMS / STREAMS_OF_A_READER; reader += 1)
        open.push(...(await Promise.all(times(STREAMS_OF_A_READER, () => stream(field, `siege-${reader}`)))));
      const refused = open.find(({ status }) => status !== 200);
      const last = refused ?? (await stream(field, 'siege-last'));
      for (const { close } of [...open, last]) close();
      return last;
    },
    expected: [429],
  },
  {
    name: `${SENDS} sends to a receiver that never answers`,
    service,
    short: true,
    load: (field) =>
      sendAndWait(
        field,
        times(SENDS, () => toWebhook(field.silent[0]!)),
      ),
    expected: [202],
  },
  {
    name: `${SENDS} sends to forty receivers that never answer`,
    service,
    load: (field) => {
      const { silent } = field;
      return sendAndWait(
        field,
        times(SENDS, (place) => toWebhook(silent[place % silent.length]!)),
      );
    },
    expected: [202],
  },
  {
    name: '100 sends of 900 kB to forty receivers that never answer',
    service,
    load: (field) => {
      const { silent } = field;
      const payload = 'x'.repeat(900_000);
      return sendAndWait(
        field,
        times(100, (place) => toWebhook(silent[place % silent.length]!, payload)),
      );
    },
    expected: [202, 429], // some exceed the limit of waiting sends
  },
  {
    name: 'a delivery that kills three workers, and its alert',
    service,
    plan: 'starter', // it has nothing else in flight
    kills: true,
    load: async (field) => {
      const { ask, receiver } = field;
      const { text } = await ask(toWebhook(`${receiver.url}${SILENT_PATH}`));
      const { notification_id: id } = JSON.parse(text) as { notification_id: string };
      const metrics = await killUntilQuarantined(field, () =>
        ask({ method: 'GET', path: `/v1/notify/${id}` }),
      );
      const alerts = await ask({ method: 'GET', path: '/v1/alerts' });
      if (!alerts.text.includes(id)) throw new Error(`no alert names it: ${alerts.text.slice(0, 500)}`);
      return metrics;
    },
    expected: [200],
    says: /quarantined_rows\{.*\} 1/,
  },
];
