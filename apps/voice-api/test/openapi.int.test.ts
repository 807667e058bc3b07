// openapi.json matches the running service. `npm run docs` updates it.
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { storedOpenApi } from '@parley/testing-services';
import { eventually } from '@parley/testing';
import { EVENT_TYPES } from '../src/conversation-model/event-types.ts';
import { call, event, reaches, send } from './events.ts';
import { startVoiceApi } from './service.ts';

jest.setTimeout(60_000);

let service: Awaited<ReturnType<typeof startVoiceApi>>;
beforeAll(async () => {
  service = await startVoiceApi({ workers: true, env: { TRANSCRIPT_SETTLE: '0.2' } });
});
afterAll(() => service.stop());

test('openapi.json is up to date', async () => {
  const file = new URL('../openapi.json', import.meta.url);
  const { actual, expected } = await storedOpenApi(service.server.url, file);
  expect(actual).toBe(expected);
});

test('asyncapi.json describes every event with an example that fits', async () => {
  const answer = await fetch(`${service.server.url}/asyncapi.json`);
  const { asyncapi, channels, components } = (await answer.json()) as {
    asyncapi: string;
    channels: { webhooks: { messages: object } };
    components: {
      messages: Record<string, { payload: object; headers: object; examples: { payload: object }[] }>;
    };
  };
  expect(asyncapi).toBe('3.0.0');
  expect(Object.keys(components.messages)).toEqual([...EVENT_TYPES]);
  expect(Object.keys(channels.webhooks.messages)).toEqual([...EVENT_TYPES]);
  for (const [type, { payload, headers, examples }] of Object.entries(components.messages)) {
    const validate = new Ajv2020({ strict: false, validateFormats: false }).compile({
      ...payload,
      components,
    });
    expect([type, validate(examples[0]!.payload), validate.errors]).toEqual([type, true, null]);
    expect(headers).toHaveProperty('properties.webhook-signature');
  }
});

test('what a schema cannot say is in its description, and what it can say is not left to the service', async () => {
  const { components } = (await (await fetch(`${service.server.url}/openapi.json`)).json()) as {
    components: { schemas: Record<string, { properties: Record<string, Record<string, unknown>> }> };
  };
  const { NewApiKey, NewBot, NewWebhook } = components.schemas;
  expect(NewBot!.properties['tags']).toMatchObject({ uniqueItems: true });
  const { pattern, description } = NewBot!.properties['language'] as { pattern: string; description: string };
  for (const tag of ['en', 'pt-BR', 'zh-Hant-TW', 'de-1996', 'en-u-ca-gregory', 'de-x-own'])
    expect([tag, new RegExp(pattern).test(tag)]).toEqual([tag, true]);
  for (const tag of ['', 'e', 'en_US', 'english language', 'en-'])
    expect([tag, new RegExp(pattern).test(tag)]).toEqual([tag, false]);
  expect(description).toContain('must not be repeated');
  expect(JSON.stringify(NewWebhook!.properties['events'])).toContain('"uniqueItems":true');
  expect(JSON.stringify(NewApiKey)).toContain('"pattern":"^[0-9A-Fa-f:.]+');
});

interface Item {
  event: string;
  data: Record<string, unknown>;
}
interface Feed {
  data: { items: Item[]; next_after: string };
}

test('the feed matches its schema for every event type', async () => {
  const { paths, components } = (await (await fetch(`${service.server.url}/openapi.json`)).json()) as {
    paths: Record<
      string,
      { get: { responses: { 200: { content: { 'application/json': { schema: object } } } } } }
    >;
    components: object;
  };
  const { schema } = paths['/v1/events']!.get.responses[200].content['application/json'];
  const validate = new Ajv2020({ strict: false, validateFormats: false }).compile({ ...schema, components });
  const read = async (query = ''): Promise<Feed> => {
    const answer = (await service.api.get(`/v1/events?limit=100${query}`).expect(200)).body as Feed;
    expect([validate(answer), validate.errors]).toEqual([true, null]);
    return answer;
  };

  await send(service, [
    ...call('fed'),
    event('conversation.started', 'failed', 0),
    event('conversation.error', 'failed', 1, { code: 'gone', message: 'It was gone.' }),
    // Present until the conversation is final.
    event('speech.interim', 'open', 0, { turn_index: 0, text: 'He' }),
  ]);
  await reaches(service, 'fed', 'completed');
  await reaches(service, 'failed', 'failed');
  const typesOf = ({ data }: Feed) => new Set(data.items.map((item) => item.event));
  const before = await eventually(async () => {
    const page = await read();
    return typesOf(page).size === EVENT_TYPES.length - 1 && page;
  });
  await service.api.delete('/v1/conversations/fed').expect(200);
  const after = await eventually(async () => {
    const page = await read(`&after=${before.data.next_after}`);
    return typesOf(page).has('conversation.deleted') && page;
  });
  const items = [...before.data.items, ...after.data.items];
  expect(new Set(items.map((item) => item.event))).toEqual(new Set<string>(EVENT_TYPES));

  const accepts = (item: object) => validate({ ...before, data: { ...before.data, items: [item] } });
  for (const item of items) {
    expect([item.event, accepts(item)]).toEqual([item.event, true]);
    for (const other of EVENT_TYPES)
      // Interim and final utterances have the same shape.
      if (other !== item.event && !(other.startsWith('speech.') && item.event.startsWith('speech.')))
        expect([item.event, other, accepts({ ...item, event: other })]).toEqual([item.event, other, false]);
    expect(accepts({ ...item, data: { ...item.data, sequence: 'first' } })).toBe(false);
  }
});
