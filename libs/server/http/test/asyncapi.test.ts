// The AsyncAPI document says the same about events as the OpenAPI document.
import { expect, test } from '@jest/globals';
import { voiceApiDialect } from '@parley/envelopes';
import { z } from 'zod';
import { buildAsyncApi } from '../src/asyncapi.ts';
import { buildOpenApi } from '../src/openapi.ts';

const info = { title: 'Tiny', version: '1.0.0', description: 'Tiny.' };
const inner = z.strictObject({ size: z.int() }).meta({ id: 'Inner' });
const outer = z.strictObject({ inner }).meta({ id: 'Outer' });
const webhooks = ['thing.made', 'thing.lost'].map((event) => ({
  event,
  operationId: `told${event.length}${event}`,
  summary: event,
  headers: z.object({ 'webhook-id': z.string(), 'x-more': z.string().optional() }),
  body: z.strictObject({ event: z.literal(event), outer }),
  example: { event, outer: { inner: { size: 1 } } },
}));
const unused = z.strictObject({}).meta({ id: 'Unused' });

test('has a message with payload, headers and example for each event, and only their schemas', () => {
  const face = { face: 'v1', base: '/v1', endpoints: [] } as const;
  const openapi = buildOpenApi(info, voiceApiDialect, [face], { webhooks });
  Object.assign(openapi.components.schemas!, { Unused: z.toJSONSchema(unused) });
  const document = buildAsyncApi(info, webhooks, openapi);
  expect(Object.keys(document.components.messages)).toEqual(['thing.made', 'thing.lost']);
  expect(Object.keys(document.components.schemas).sort()).toEqual(['Inner', 'Outer']);
  const { headers, payload, examples } = document.components.messages['thing.made']!;
  expect(headers).toMatchObject({
    properties: { 'webhook-id': { type: 'string' }, 'x-more': { type: 'string' } },
    required: ['webhook-id'],
  });
  expect(payload).toMatchObject({
    properties: { event: { const: 'thing.made' }, outer: { $ref: '#/components/schemas/Outer' } },
  });
  expect(examples).toEqual([{ name: 'example', payload: webhooks[0]!.example }]);
});
