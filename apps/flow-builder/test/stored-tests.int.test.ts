// Stored tests of a flow, and the publish gate that runs them (docs/flow-language.md#stored-tests).
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { greeting, greetingThatEnds, startFlowBuilder, type FlowBuilder } from './service.ts';

let flows: FlowBuilder;
beforeAll(async () => {
  flows = await startFlowBuilder();
});
afterAll(() => flows.stop());

const greets = {
  turns: [
    { expect: { messages: ['Hello.', 'Who are you?'], next_node: 'ask', status: 'waiting' } },
    {
      user_input: 'Ada',
      expect: {
        messages: ['Goodbye, Ada.'],
        status: 'completed',
        next_node: null,
        variables: { name: 'Ada' },
        actions: [],
      },
    },
  ],
};

async function flowWithTest(flowId: string) {
  await flows.api.post('/v1/flows', { flow_id: flowId, definition: greeting }).expect(201);
  await flows.api.put(`/v1/flows/${flowId}/tests/greets`, greets).expect(201);
}

describe('stored tests', () => {
  test('are stored, replaced, read, listed and removed', async () => {
    await flowWithTest('crud');
    await flows.api.put('/v1/flows/crud/tests/greets', greets).expect(200);
    expect((await flows.api.get('/v1/flows/crud/tests/greets').expect(200)).body).toMatchObject({
      name: 'greets',
      test: greets,
    });
    await flows.api.put('/v1/flows/crud/tests/again', greets).expect(201);
    const page = (await flows.api.get('/v1/flows/crud/tests?limit=1').expect(200)).body as {
      items: { name: string }[];
      next_cursor: string;
    };
    expect(page.items).toMatchObject([{ name: 'again' }]);
    const rest = await flows.api.get(`/v1/flows/crud/tests?cursor=${page.next_cursor}`).expect(200);
    expect(rest.body).toMatchObject({ items: [{ name: 'greets' }], next_cursor: null });
    await flows.api.delete('/v1/flows/crud/tests/greets').expect(200);
    await flows.api.get('/v1/flows/crud/tests/greets').expect(404);
    await flows.api.delete('/v1/flows/crud/tests/greets').expect(404);
  });

  test.each([
    ['no turns', {}],
    ['a turn that expects nothing at all', { turns: [{}] }],
    ['an unknown expectation', { turns: [{ expect: { mood: 'good' } }] }],
    ['a classifier answer that is none', { turns: [{ classifier: -1, expect: {} }] }],
  ])('refuse %s', async (_, body) => {
    await flows.api.put('/v1/flows/crud/tests/x', body).expect(400);
  });

  test('need a flow', async () => {
    await flows.api.put('/v1/flows/none/tests/x', greets).expect(404);
    await flows.api.post('/v1/flows/none/tests/run').expect(404);
    await flows.api.get('/v1/flows/none/tests').expect(404);
  });

  test('run against any version, and say where a turn differs', async () => {
    await flowWithTest('run');
    await flows.api.patch('/v1/flows/run', { definition: greetingThatEnds('Bye, {{ name }}.') }).expect(200);
    expect((await flows.api.post('/v1/flows/run/tests/run?version=1').expect(200)).body).toMatchObject({
      version: 1,
      passed: 1,
      failed: 0,
    });
    expect((await flows.api.post('/v1/flows/run/tests/run').expect(200)).body).toMatchObject({
      version: 2,
      failed: 1,
      results: [
        {
          name: 'greets',
          passed: false,
          failures: [
            { path: '/turns/1/expect/messages', expected: ['Goodbye, Ada.'], actual: ['Bye, Ada.'] },
          ],
        },
      ],
    });
  });

  test('script what the classifier and the extractor answer, and the time', async () => {
    const definition = {
      nodes: [
        {
          id: 'ask',
          type: 'collect',
          prompt: 'What, and when?',
          variable: 'day',
          cast: 'date',
          extraction: { variables: [{ name: 'guests', type: 'integer' }] },
        },
        { id: 'table', type: 'end', message: 'A table for {{ guests }} on {{ day }}.' },
        { id: 'other', type: 'end', message: 'Something else.' },
      ],
      edges: [
        { source: 'ask', target: 'table', nl: 'wants a table' },
        { source: 'ask', target: 'other', default: true },
      ],
    };
    await flows.api.post('/v1/flows', { flow_id: 'scripted', definition }).expect(201);
    const turn = { user_input: 'tomorrow', extraction: { guests: 4 } };
    const conversation = (classifier: number | 'none', messages: string[]) => ({
      current_node: 'ask',
      now: Date.UTC(2026, 10, 20, 12) / 1000,
      turns: [{ ...turn, classifier, expect: { messages } }],
    });
    await flows.api
      .put('/v1/flows/scripted/tests/table', conversation(0, ['A table for 4 on 2026-11-21.']))
      .expect(201);
    await flows.api
      .put('/v1/flows/scripted/tests/other', conversation('none', ['Something else.']))
      .expect(201);
    const run = await flows.api.post('/v1/flows/scripted/tests/run').expect(200);
    expect(run.body).toMatchObject({ passed: 2, failed: 0 });
  });
});

describe('the publish gate', () => {
  test('a version that fails its tests is not published, unless someone says why', async () => {
    await flowWithTest('gate');
    await flows.api.post('/v1/flows/gate/publish').expect(200);
    await flows.api.patch('/v1/flows/gate', { definition: greetingThatEnds('Off.') }).expect(200);
    const refused = await flows.api.post('/v1/flows/gate/publish').expect(422);
    expect(refused.body).toMatchObject({ code: 'tests_failed', run: { version: 2, failed: 1 } });
    await flows.api.post('/v1/flows/gate/publish', { skip_tests: true }).expect(400);
    await flows.api
      .post('/v1/flows/gate/publish', { skip_tests: true, reason: 'the test is outdated' })
      .expect(200);
    const log = await flows.api.get('/v1/flows/gate/publications').expect(200);
    expect(log.body).toMatchObject({
      items: [
        { version: 2, skip_tests: true, reason: 'the test is outdated' },
        { version: 1, skip_tests: false },
      ],
    });
  });

  test('rolling back to a version that was live is never blocked', async () => {
    await flowWithTest('back');
    await flows.api.post('/v1/flows/back/publish').expect(200);
    await flows.api.patch('/v1/flows/back', { name: 'Two' }).expect(200);
    await flows.api.post('/v1/flows/back/publish').expect(200);
    const changed = { turns: [{ expect: { messages: ['something else'] } }] };
    await flows.api.put('/v1/flows/back/tests/greets', changed).expect(200);
    await flows.api.post('/v1/flows/back/publish', { version: 1 }).expect(200);
  });
});
