// The first turn of the largest possible flow that is not in memory: other requests do not wait for
// it.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { eventually } from '@parley/testing';
import { startFlowBuilder, type FlowBuilder } from '../service.ts';

jest.setTimeout(120_000);

let flows: FlowBuilder;
beforeAll(async () => {
  flows = await startFlowBuilder();
});
afterAll(() => flows.stop());

const EDGES = 20_000;
const branching = {
  nodes: [
    { id: 'b', type: 'branch' },
    { id: 'e', type: 'end', message: 'Bye.' },
  ],
  edges: [
    ...Array.from({ length: EDGES }, (_, place) => ({
      source: 'b',
      target: 'e',
      variable: 'user_input',
      op: 'contains',
      value: `x${place}`,
    })),
    { source: 'b', target: 'e', default: true },
  ],
};

/** A secret, and a chain of variables derived from each other: all of them are secrets too. */
const NODES = 1_500;
const SETS = 20;
const derived = {
  start: 'b',
  nodes: [
    { id: 'g', type: 'global', redact: ['v0'] },
    ...Array.from({ length: NODES }, (_, place) => ({
      id: `n${place}`,
      type: 'message',
      text: 'Hi',
      set: Array.from({ length: SETS }, (_, entry) => {
        const last = (NODES - place) * SETS - entry;
        return { variable: `v${last}`, to: `{{ v${last - 1} }}` };
      }),
    })),
    { id: 'b', type: 'branch' },
    { id: 'e', type: 'end', message: 'Bye.' },
  ],
  edges: [
    { source: 'b', target: 'e', default: true },
    ...Array.from({ length: NODES }, (_, place) => [
      { source: 'b', target: `n${place}`, variable: 'user_input', op: 'eq', value: `go ${place}` },
      { source: `n${place}`, target: 'e' },
    ]).flat(),
  ],
};

/** The longest answer of /health while the first turn of a new flow was prepared. */
async function firstTurn(flowId: string, definition: object): Promise<number> {
  await flows.api.post('/v1/flows', { flow_id: flowId, definition }).expect(201);
  let done = false;
  const turn = flows.api
    .post(`/v1/flows/${flowId}/execute`, { current_node: 'b', user_input: 'hello' })
    .expect(200)
    .then(({ body }) => body as object)
    .finally(() => (done = true));
  let worstMs = 0;
  while (!done) {
    const begun = performance.now();
    await (await fetch(`${flows.server.url}/health`)).arrayBuffer();
    worstMs = Math.max(worstMs, performance.now() - begun);
    await sleep(1);
  }
  expect(await turn).toMatchObject({ status: 'completed', outputs: [{ text: 'Bye.' }] });
  return worstMs;
}

test.each([
  ['20,000 edges', branching],
  ['30,000 variables made of a secret', derived],
])('/health answers within 100 ms while a flow of %s is loaded', async (what, definition) => {
  // Other tests use the processor too: a process that is held up by its own work never gets there.
  let flow = 0;
  await eventually(async () => (await firstTurn(`flow_${what.length}_${(flow += 1)}`, definition)) < 100);
});
