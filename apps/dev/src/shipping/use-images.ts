// Calls to the running images: each API face, one job, one template, one heavy job on a thread.
import type { ServiceName } from '../stack/index.ts';
import { eventually, type PushService, type Receiver } from '@parley/testing';

export interface RunningImage {
  readonly url: string;
  readonly workerUrl: string;
  /** An admin key. */
  readonly key: string;
}

export interface Outside {
  readonly receiver: Receiver;
  readonly push: PushService;
}

type Running = Readonly<Record<ServiceName, RunningImage>>;

/** Each returns what was seen. @throws Error that says what did not happen. */
export const useImage: Readonly<
  Record<ServiceName, (running: Running, outside: Outside) => Promise<string>>
> = {
  'flow-builder': async ({ 'flow-builder': image, 'voice-api': voice }) => {
    const nodes = [
      { id: 'ask', type: 'collect', prompt: 'Who is there?', variable: 'name' },
      { id: 'end', type: 'end', message: 'Hello {{ name }}.' },
    ];
    const definition = { nodes, edges: [{ source: 'ask', target: 'end' }] };
    await ask(image, 'POST', '/v1/flows', { flow_id: 'rehearsal', definition });
    await ask(image, 'POST', '/v1/flows/rehearsal/publish', {});
    const { data } = await ask<{ data: { id: string } }>(voice, 'POST', '/v1/bots', { name: 'Rehearsal' });
    const turn = { bot_id: data.id, session_id: 'rehearsal', current_node: 'ask', user_input: 'Ada' };
    expectIn('Hello Ada.', await ask(image, 'POST', '/product/v1/flows/rehearsal/execute', turn));
    const chat = { model: 'rehearsal', messages: [{ role: 'user', content: '' }] };
    expectIn('Who is there?', await ask(image, 'POST', '/openai/v1/chat/completions', chat));
    expectIn('Hello Ada.', await ask(image, 'POST', '/v1/flows/rehearsal/simulate', { utterances: ['Ada'] }));
    await ask(image, 'POST', '/v1/flows/rehearsal/tests/generate', {});
    await untilWorkedOff(image, 'outbox-acks.flow-builder');
    return 'a turn by REST and by chat completions, tests generated on a thread, its event acknowledged';
  },

  'voice-api': async ({ 'voice-api': image }, { receiver }) => {
    const { data } = await ask<{ data: { id: string } }>(image, 'POST', '/v1/bots', { name: 'Receiver' });
    await ask(image, 'POST', '/v1/webhooks', {
      url: `${receiver.url}/voice`,
      events: ['conversation.started'],
    });
    const event = (id: string, type: string, more: object) => ({
      id,
      type,
      conversation_id: 'heard',
      bot_id: data.id,
      occurred_at: new Date().toISOString(),
      data: more,
    });
    await ask(image, 'POST', '/v1/conversations/events', {
      events: [event('e', 'conversation.started', {})],
    });
    const speech = { text: 'a'.repeat(1_000) };
    const many = Array.from({ length: 400 }, (_, at) =>
      event(`e${at}`, 'speech.final', { turn_index: at, ...speech }),
    );
    await ask(image, 'POST', '/v1/conversations/events', { events: many }); // above 256 KiB: on a thread
    await untilStreamOpens(image, '/v1/conversations/heard/stream');
    await eventually(() => receiver.requests.some(({ path }) => path === '/voice'), patient);
    return 'a conversation by REST and as a stream, a large batch applied on a thread, a webhook delivered';
  },

  notifications: async ({ notifications: image }, { receiver, push }) => {
    const locales = [{ locale: 'en', message: 'Hello {{ name }}.' }];
    await ask(image, 'PUT', '/v1/templates/rehearsal', { default_locale: 'en', locales });
    const target = { in_app: { user_id: 'ada' }, webhook: { url: `${receiver.url}/notify` } };
    const send = {
      channels: ['in_app', 'webhook'],
      template: { id: 'rehearsal', data: { name: 'Ada' } },
      target,
    };
    await ask(image, 'POST', '/v1/notify', send);
    expectIn('Hello Ada.', await ask(image, 'GET', '/v1/notifications?user_id=ada'));
    await untilStreamOpens(image, '/v1/notifications/stream?user_id=ada');
    const arrived = () => receiver.requests.find(({ path }) => path === '/notify')?.body.toString();
    await eventually(() => arrived()?.includes('Hello Ada.') === true, patient);
    for (let device = 0; device < DEVICES; device += 1)
      await ask(image, 'POST', '/v1/push/registrations', { subscription: push.subscribe(), user_id: 'ada' });
    const broadcast = { channels: ['web_push'], message: 'All', target: { web_push: { broadcast: true } } };
    await ask(image, 'POST', '/v1/notify', broadcast);
    await push.received(DEVICES, patient.timeoutMs);
    return `a template rendered for the inbox and a webhook, ${DEVICES} pushes encrypted on a thread, a stream opened`;
  },
};

/** As many as are encrypted on a thread (apps/notifications/src/push-engine/encryption-pool.ts). */
const DEVICES = 8;
const patient = { timeoutMs: 180_000 };

/** The page of the reference, with everything that it names. */
export async function openDocs(url: string, options?: RequestInit): Promise<void> {
  const page = await text(`${url}/docs`, options);
  const assets = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path!);
  if (assets.length < 3) throw new Error(`/docs names ${assets.length} assets`);
  for (const path of [...assets, 'openapi.json']) await text(`${url}/${path}`, options);
}

/** @throws Error unless the answer is a success that says something. */
export async function text(url: string, options?: RequestInit): Promise<string> {
  const answer = await fetch(url, options);
  const body = await answer.text();
  if (!answer.ok || body === '') throw new Error(`${url} answers ${answer.status} ${body}`);
  return body;
}

async function ask<T>({ url, key }: RunningImage, method: string, path: string, body?: object): Promise<T> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const options = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  return JSON.parse(await text(url + path, options)) as T;
}

function expectIn(words: string, answer: unknown): void {
  if (!JSON.stringify(answer).includes(words)) throw new Error(`no "${words}" in ${JSON.stringify(answer)}`);
}

async function untilStreamOpens({ url, key }: RunningImage, path: string): Promise<void> {
  const ending = new AbortController();
  const options = { headers: { authorization: `Bearer ${key}` }, signal: ending.signal };
  const answer = await fetch(url + path, options);
  const { value } = (await answer.body!.getReader().read()) as { value?: Uint8Array };
  ending.abort();
  if (answer.status !== 200 || !value) throw new Error(`${path} answers ${answer.status} and no event`);
}

async function untilWorkedOff({ workerUrl }: RunningImage, queue: string): Promise<void> {
  const line = new RegExp(`^job_duration_seconds_count\\{.*queue="${queue}".*\\} [1-9]`, 'm');
  await eventually(async () => line.test(await text(`${workerUrl}/metrics`)), patient);
}
