// The event stream of a conversation with a common Node client: live, resumed, with tickets, within
// limits.
import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { EventSource, type FetchLike } from 'eventsource';
import { eventually } from '@parley/testing';
import { event, send } from '../events.ts';
import { startVoiceApi, type VoiceApi } from '../service.ts';
import { dataOf } from '../webhooks.ts';

jest.setTimeout(60_000);

let service: VoiceApi;
beforeAll(async () => {
  service = await startVoiceApi({ heartbeatMs: 200 });
});
const open: EventSource[] = [];
afterEach(() => open.splice(0).forEach((source) => source.close()));
afterAll(() => service.stop());

const TYPES = ['ready', 'reset', 'conversation.started', 'speech.interim', 'speech.final', 'bot.message'];

/** Events as `name:text`, with the last id that the client holds. */
function listen(path: string, fetchWith?: FetchLike) {
  const told: { name: string; data: { id?: string; data?: { text?: string } }; lastEventId: string }[] = [];
  const source = new EventSource(`${service.server.url}${path}`, {
    fetch:
      fetchWith ??
      ((url, init) =>
        fetch(url, { ...init, headers: { ...init.headers, authorization: `Bearer ${service.key}` } })),
  });
  open.push(source);
  for (const name of TYPES)
    source.addEventListener(name, ({ data, lastEventId }) =>
      told.push({ name, data: JSON.parse(String(data)) as (typeof told)[number]['data'], lastEventId }),
    );
  return { source, told, names: () => told.map(({ name }) => name) };
}
const final = (id: string, index: number) =>
  event('speech.final', id, index + 1, { turn_index: index, text: `t${index}` });
const texts = ({ told }: ReturnType<typeof listen>) => told.flatMap(({ data }) => data.data?.text ?? []);

const begin = (...ids: string[]) =>
  send(
    service,
    ids.map((id) => event('conversation.started', id, 0)),
  );

test('streams only the events of its conversation as they are applied, including interims', async () => {
  await begin('live');
  const stream = listen('/v1/conversations/live/stream');
  await eventually(() => stream.names().includes('ready'));
  await send(service, [final('other', 0)]);
  await send(service, [event('speech.interim', 'live', 1, { turn_index: 0, text: 'I' })]);
  await send(service, [final('live', 0)]);
  await eventually(() => stream.names().includes('speech.final'));
  expect(stream.names()).toEqual(['ready', 'speech.interim', 'speech.final']);
  expect(stream.told[1]!.data).toMatchObject({
    id: expect.stringMatching(/^evt_/),
    event: 'speech.interim',
    data: { conversation_id: 'live', sequence: 2 },
  });
});

test('a disconnected client resumes without losing events', async () => {
  await begin('cut');
  let cut = () => undefined as void;
  let offline = false;
  const asked: (string | null)[] = [];
  const stream = listen('/v1/conversations/cut/stream', async (url, init) => {
    const headers = new Headers(init.headers);
    asked.push(headers.get('last-event-id'));
    if (offline) throw new TypeError('offline');
    headers.set('authorization', `Bearer ${service.key}`);
    const answer = await fetch(url, { ...init, headers });
    const body = answer.body!.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        start: (controller) => void (cut = () => controller.error(new TypeError('cut off'))),
      }),
    );
    return new Response(body, { status: answer.status, headers: answer.headers });
  });
  await eventually(() => stream.names().includes('ready'));
  await send(service, [final('cut', 0)]);
  await eventually(() => texts(stream).includes('t0'));
  offline = true;
  cut();
  await eventually(() => stream.source.readyState === stream.source.CONNECTING);
  await send(service, [final('cut', 1), final('cut', 2)]);
  offline = false;
  await eventually(() => texts(stream).includes('t2'));
  await send(service, [final('cut', 3)]);
  await eventually(() => texts(stream).includes('t3'));
  const ids = new Map(stream.told.map(({ data }) => [data.id, data.data?.text]));
  expect([...ids.values()].filter((text) => text !== undefined)).toEqual(['t0', 't1', 't2', 't3']);
  expect(asked.at(-1)).toMatch(/^\d+$/);
});

test('sends reset for an unknown position and for too many missed events', async () => {
  const lost = listen('/v1/conversations/live/stream?last_event_id=nonsense');
  await eventually(() => lost.names().includes('reset'));
  expect(lost.names()[0]).toBe('reset');
  const from = lost.told[0]!.lastEventId;
  const many = Array.from({ length: 400 }, (_, index) => final('much', index));
  for (let round = 0; round < 3; round += 1)
    await send(
      service,
      many.map((one) => ({ ...one, id: `${one.id}-${round}` })),
    );
  const behind = listen(`/v1/conversations/much/stream?last_event_id=${from}`);
  await eventually(() => behind.told.length > 0);
  expect(behind.names()[0]).toBe('reset');
});

test('a ticket opens one stream of its conversation once', async () => {
  await send(service, [event('conversation.started', 'ticketed', 0)]);
  const make = async () =>
    dataOf<{ ticket: string }>(
      await service.api.post('/v1/conversations/ticketed/stream-ticket', {}).expect(201),
    ).ticket;
  const bare: FetchLike = (url, init) => fetch(url, init);
  const ticket = await make();
  const stream = listen(`/v1/conversations/ticketed/stream?ticket=${ticket}`, bare);
  await eventually(() => stream.names().includes('ready'));
  const status = async (path: string) => {
    const answer = await fetch(`${service.server.url}${path}`);
    await answer.body?.cancel();
    return answer.status;
  };
  expect(await status(`/v1/conversations/ticketed/stream?ticket=${ticket}`)).toBe(401);
  expect(await status(`/v1/conversations/live/stream?ticket=${await make()}`)).toBe(401);
  expect(await status('/v1/conversations/live/stream')).toBe(401);
  await service.api.post('/v1/conversations/nobody/stream-ticket', {}).expect(404);
  const other = service.as(await service.issueKey('globex'));
  await other.post('/v1/conversations/ticketed/stream-ticket', {}).expect(404);
  await other.get('/v1/conversations/ticketed/stream').expect(404);
});

test('another organisation receives nothing of a conversation with the same id', async () => {
  const theirs = await service.issueKey('globex');
  const globex = { api: service.as(theirs) };
  await send(globex, [event('conversation.started', 'shared-name', 0)]);
  await begin('shared-name');
  const stream = listen('/v1/conversations/shared-name/stream', (url, init) =>
    fetch(url, { ...init, headers: { ...init.headers, authorization: `Bearer ${theirs}` } }),
  );
  await eventually(() => stream.names().includes('ready'));
  await send(service, [final('shared-name', 0)]);
  const own = listen('/v1/conversations/shared-name/stream');
  await eventually(() => own.names().includes('ready'));
  await send(service, [final('shared-name', 1)]);
  await eventually(() => texts(own).includes('t1'));
  expect(texts(stream)).toEqual([]);
});

test('a process allows twenty streams of one conversation', async () => {
  await begin('crowded');
  const all = Array.from({ length: 20 }, () => listen('/v1/conversations/crowded/stream'));
  for (const stream of all) await eventually(() => stream.names().includes('ready'));
  await service.api.get('/v1/conversations/crowded/stream').expect(429);
});
