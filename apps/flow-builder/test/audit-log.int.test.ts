// GET /v1/audit-log of the flow builder: who published what (docs/platform.md#audit-log).
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { greeting, startFlowBuilder, type FlowBuilder } from './service.ts';

let flows: FlowBuilder;
beforeAll(async () => {
  flows = await startFlowBuilder();
});
afterAll(() => flows.stop());

test('publish and unpublish are logged; refused calls and repeats are not', async () => {
  await flows.api.post('/v1/flows', { flow_id: 'greet', definition: greeting }).expect(201);
  await flows.api.post('/v1/flows/greet/publish', { version: 7 }).expect(404);
  await flows.api.post('/v1/flows/greet/publish', { skip_tests: true, reason: 'urgent' }).expect(200);
  await flows.api.delete('/v1/flows/greet/publish').expect(200);
  await flows.api.delete('/v1/flows/greet/publish').expect(200); // already unpublished
  const answer = await flows.api.get('/v1/audit-log?from=0').expect(200);
  const { items } = answer.body as {
    items: { at: number; action: string; target: string; details: object }[];
  };
  expect(items.map(({ action, target, details }) => [action, target, details])).toEqual([
    ['flow.unpublished', 'greet', {}],
    ['flow.published', 'greet', { version: 1, skip_tests: true }],
  ]);
  expect(items[0]!.at).toBeCloseTo(Date.now() / 1000, -2);
});
