// GET /schemas/flow-definition.json is public, OpenAPI refers to it, and our examples match it.
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import supertest from 'supertest';
import { startFlowBuilder, type FlowBuilder } from '../service.ts';

let service: FlowBuilder;
beforeAll(async () => {
  service = await startFlowBuilder();
});
afterAll(() => service.stop());

const examples = new URL('../../examples/', import.meta.url);

test('accepts every example, and refuses planted errors', async () => {
  const response = await supertest(service.server.url).get('/schemas/flow-definition.json').expect(200);
  const body: unknown = response.body;
  expect(response.headers['content-type']).toMatch('application/json');
  const validate = new Ajv2020({ allowUnionTypes: true }).compile(body as object);
  const names = readdirSync(examples).filter((name) => name.endsWith('.json'));
  expect(names.length).toBeGreaterThan(5);
  for (const name of names) {
    const { definition } = JSON.parse(readFileSync(new URL(name, examples), 'utf8')) as {
      definition: { nodes: object[] };
    };
    expect([name, validate(definition), validate.errors]).toEqual([name, true, null]);
    expect(validate({ ...definition, nodes: [...definition.nodes, { id: 'x', type: 'speak' }] })).toBe(false);
  }
});

test('OpenAPI refers to it for every definition, and it allows GET only', async () => {
  const response = await supertest(service.server.url).get('/openapi.json').expect(200);
  const body: unknown = response.body;
  const { schemas } = (
    body as { components: { schemas: Record<string, { properties: Record<string, unknown> }> } }
  ).components;
  for (const name of ['FlowRequest', 'FlowUpdate', 'ValidateRequest'])
    expect(schemas[name]!.properties['definition']).toMatchObject({
      externalDocs: { url: '/schemas/flow-definition.json' },
    });
  await supertest(service.server.url).post('/schemas/flow-definition.json').expect(405);
});
