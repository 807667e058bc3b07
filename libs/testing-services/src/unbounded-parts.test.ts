// What the check finds, so that finding nothing means something.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { unboundedParts } from './unbounded-parts.ts';

test('finds unbounded parts, also behind references and alternatives', async () => {
  const text = { type: 'string' };
  const node = {
    type: 'object',
    additionalProperties: false,
    properties: { children: { type: 'array', items: { $ref: '#/components/schemas/Node' } }, name: text },
  };
  const body = {
    type: 'object',
    additionalProperties: false,
    properties: {
      root: { $ref: '#/components/schemas/Node' },
      free: { type: 'object', additionalProperties: true },
      bounded: { type: 'object', maxProperties: 3, additionalProperties: { type: 'string', maxLength: 3 } },
      either: { anyOf: [{ type: 'array', maxItems: 2, items: text }, { type: 'null' }] },
      bounds: { type: 'object', oneOf: [{ type: 'object', maxProperties: 3 }] },
      union: { type: 'object', oneOf: [{ type: 'object', maxProperties: 3 }, { type: 'object' }] },
      id: { type: 'string', pattern: '^[a-z+*]{1,9}$' },
      word: { type: 'string', pattern: '^[a-z]+$' },
      when: { type: 'string', format: 'date-time' },
    },
  };
  const document = {
    components: { schemas: { Node: node } },
    paths: {
      '/x': {
        post: {
          operationId: 'x',
          parameters: [{ name: 'q', schema: text }],
          requestBody: { content: { 'application/json': { schema: body } } },
        },
      },
    },
  };
  const server = http.createServer((_request, response) => response.end(JSON.stringify(document)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const found = await unboundedParts({ server: { url, port, close: async () => undefined } });
  server.close();
  expect(found.sort()).toEqual([
    'x ?q: a text',
    'x/either/*: a text',
    'x/free: an object',
    'x/root/children: a list',
    'x/root/name: a text',
    'x/union: an object',
    'x/word: a text',
  ]);
});
