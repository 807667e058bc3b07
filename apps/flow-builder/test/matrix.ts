// One of every resource, and valid bodies, for the tests that /openapi.json generates.
import { newAlert, type TenantMatrix } from '@parley/testing-services';
import { greeting, type FlowBuilder } from './service.ts';

const asking = { nodes: [{ id: 'ask', type: 'collect', prompt: 'Sure?', variable: 'sure' }], edges: [] };

export function matrixOf(flows: FlowBuilder): TenantMatrix {
  const clients = new Map<string, ReturnType<FlowBuilder['as']>>();
  const as = async (organizationId: string) => {
    const known = clients.get(organizationId) ?? flows.as(await flows.issueKey(organizationId));
    clients.set(organizationId, known);
    return known;
  };
  let made = 0;
  const newFlow = async (organizationId: string) => {
    const api = await as(organizationId);
    const id = `flow-${(made += 1)}`;
    await api.post('/v1/flows', { flow_id: id, definition: greeting }).expect(201);
    await api.post(`/v1/flows/${id}/publish`).expect(200);
    return id;
  };
  return {
    resources: {
      alerts: (organizationId) => newAlert(flows.deps, organizationId),
      flows: newFlow,
      models: newFlow,
      tests: async (organizationId, known) => {
        const path = `/v1/flows/${known['flows']}/tests/one`;
        await (await as(organizationId)).put(path, { turns: [{ expect: {} }] }).expect(201);
        return 'one';
      },
      'api-keys': async (organizationId) => {
        const api = await as(organizationId);
        const created = await api.post('/v1/api-keys', { name: 'x', scopes: ['read'] }).expect(201);
        return (created.body as { id: string }).id;
      },
    },
    bodies: {
      putApiKey: { name: 'x', scopes: ['read'] },
      checkGateway: {},
      simulateFlow: { utterances: [] },
      diffDefinition: { definition: greeting },
      replayTurns: { turns: [{}] },
      teachFlow: { session_id: 'call-1', turn: 1, edge: 0, turns: [{}] },
      reachPlace: { edge_index: 0 },
      proposeChange: { instruction: 'Say goodbye', definition: greeting },
      readAnswer: { definition: asking, node_id: 'ask', utterance: 'yes' },
      putTest: { turns: [{ expect: {} }] },
    },
  };
}
