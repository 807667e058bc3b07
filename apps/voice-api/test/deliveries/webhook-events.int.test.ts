// The events described in /openapi.json match the written events and the samples, for every type
// (docs/voice-api.md#delivery-body).
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { EVENT_TYPES, type EventType } from '../../src/conversation-model/event-types.ts';
import { sampleData, webhookEventDocs } from '../../src/webhook-format/webhook-events.ts';
import { call, event, reaches, send, sentEvents } from '../events.ts';
import { startVoiceApi, type VoiceApi } from '../service.ts';

jest.setTimeout(60_000);

let service: VoiceApi;
beforeAll(async () => {
  service = await startVoiceApi({ workers: true, env: { TRANSCRIPT_SETTLE: '0.2' } });
});
afterAll(() => service.stop());

const schemaOf = (type: string) => webhookEventDocs.find((one) => one.event === type)!.body;

test('written events of every type match their schema', async () => {
  await send(service, [
    ...call('told'),
    event('conversation.error', 'told', 10, { code: 'asr', message: 'It was deaf.', fatal: false }),
    event('conversation.started', 'bare', 0),
    event('speech.interim', 'open', 0, { turn_index: 0, text: 'He' }),
    event('speech.final', 'bare', 1, { turn_index: 0, text: 'Hello.' }),
    event('conversation.error', 'bare', 2, { code: 'gone', message: 'It was gone.' }),
  ]);
  await reaches(service, 'told', 'completed');
  await reaches(service, 'bare', 'failed');
  await service.api.patch('/v1/conversations/told', { metadata: { deep: { of: [1] } } }).expect(200);
  await send(service, [event('speech.final', 'told', 8, { turn_index: 3, text: 'Late.' })]);
  const bodies = [...(await sentEvents(service, 'told')), ...(await sentEvents(service, 'bare'))];
  for (const id of ['told', 'bare']) await service.api.delete(`/v1/conversations/${id}`).expect(200);
  // Interims exist until their conversation is final.
  bodies.push(...(await sentEvents(service, 'told')), ...(await sentEvents(service, 'open')));
  for (const body of bodies) schemaOf(body.event).parse({ ...body, signature: 'sha256=' });
  expect(new Set(bodies.map((body) => body.event))).toEqual(new Set<string>(EVENT_TYPES));
});

test.each(EVENT_TYPES)('the sample of %s matches its schema', (type: EventType) => {
  const timestamp = '2026-01-01T00:00:00.000Z';
  schemaOf(type).parse({ id: 'evt_1', event: type, timestamp, data: sampleData(type), signature: 'sha256=' });
});

test('every type has an example', async () => {
  const answer = await service.api.get('/v1/event-types').expect(200);
  const { items } = (answer.body as { data: { items: { type: string; example: object }[] } }).data;
  expect(items.map(({ type }) => type)).toEqual([...EVENT_TYPES]);
  for (const { type, example } of items) schemaOf(type).parse({ ...example, signature: 'sha256=' });
});

test('the OpenAPI document describes all types', async () => {
  const answer = await fetch(`${service.server.url}/openapi.json`);
  const { webhooks } = (await answer.json()) as { webhooks: Record<string, object> };
  expect(Object.keys(webhooks)).toEqual([...EVENT_TYPES]);
});
