// What the flow builder handed over goes with the conversation that the voice API erased.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createOutbox } from '@parley/jobs';
import { eventually } from '@parley/testing';
import { testMessageKeys } from '@parley/testing-services';
import { greetingThatEnds, startFlowBuilder, type FlowBuilder } from './service.ts';

let flows: FlowBuilder;
beforeAll(async () => {
  flows = await startFlowBuilder({}, { workers: true });
});
afterAll(() => flows.stop());

test('the messages about an erased conversation are deleted, sealed ones too', async () => {
  const { deps } = flows;
  const hook = { id: 'hook', type: 'webhook', url: 'https://example.com/h' };
  const definition = greetingThatEnds('Bye.');
  const nodes = [...definition.nodes, hook];
  await flows.api.post('/v1/flows', { flow_id: 'talk', definition: { ...definition, nodes } }).expect(201);
  for (const session_id of ['kept', 'erased']) {
    const turn = { session_id, bot_id: 'bot_1' };
    const answer = await flows.api.post('/v1/flows/talk/execute', turn).expect(200);
    const { next_node: current_node, variables } = answer.body as Record<string, unknown>;
    const next = { ...turn, current_node, variables, user_input: 'Ada' };
    await flows.api.post('/v1/flows/talk/execute', next).expect(200);
  }
  const about = async () => {
    const rows = await deps.sql<{ about: string; contract: string }>(
      `SELECT DISTINCT about, contract FROM (SELECT about, contract FROM outbox UNION ALL SELECT about, contract FROM handovers) AS rows
       ORDER BY about, contract`,
    );
    return rows.map((row) => `${row.about} ${row.contract}`);
  };
  const kept = ['kept conversation.event', 'kept webhook.deliver'];
  expect(await about()).toEqual(['erased conversation.event', 'erased webhook.deliver', ...kept]);
  await deps.sql(
    `INSERT INTO handovers (id, organization_id, contract, payload, about, rings, created_at, acknowledged_at)
     SELECT id || 'b', organization_id, contract, payload, about, rings, created_at, now() FROM outbox`,
  );

  const voice = createOutbox({
    ...deps,
    service: 'voice-api',
    sealer: deps.queueSealer,
    messageKeys: await testMessageKeys('voice-api'),
  });
  const payload = { conversation_ids: ['erased'] };
  const rows = await voice.prepare([{ contract: 'conversation.erased', organizationId: 'acme', payload }]);
  await voice.enqueueJobs({ ids: rows.map(({ id }) => id), rows });
  await eventually(async () => (await about()).length === 2);
  expect(await about()).toEqual(kept);
});
