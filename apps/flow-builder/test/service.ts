// Starts the flow builder for integration tests, and defines the small flows that they use.
import { apiClient, serviceUnderTest } from '@parley/testing-services';
import { createApp } from '../src/app.ts';
import { createLifecycle } from '@parley/server/runtime';
import { config } from '../src/config.ts';
import { createDeps } from '../src/deps.ts';
import { startWorkers } from '../src/worker.ts';

/** `workers`: also starts the background work, like a process with ROLE=all. */
export async function startFlowBuilder(
  env: Readonly<Record<string, string>> = {},
  { workers = false }: { readonly workers?: boolean } = {},
) {
  const service = await serviceUnderTest(
    { service: 'flow-builder', product: 'fb', config, createDeps, createApp },
    env,
  );
  const life = createLifecycle(service.deps.log);
  if (workers) startWorkers(service.deps, life);
  const key = await service.issueKey('acme');
  return {
    ...service,
    stop: async () => {
      await life.stop('test is over');
      await service.stop();
    },
    key,
    as: (credential: string) => apiClient(service.server.url, credential),
    api: apiClient(service.server.url, key),
  };
}

export type FlowBuilder = Awaited<ReturnType<typeof startFlowBuilder>>;

/** Creates and publishes flows, by id. */
export async function publishFlows(
  { api }: Pick<FlowBuilder, 'api'>,
  definitions: Readonly<Record<string, object>>,
): Promise<void> {
  for (const [flowId, definition] of Object.entries(definitions)) {
    await api.post('/v1/flows', { flow_id: flowId, definition }).expect(201);
    await api.post(`/v1/flows/${flowId}/publish`).expect(200);
  }
}

/** Asks for a name, then says it. */
export const greeting = {
  nodes: [
    { id: 'start', type: 'message', text: 'Hello.' },
    { id: 'ask', type: 'collect', prompt: 'Who are you?', variable: 'name' },
    { id: 'bye', type: 'end', message: 'Goodbye, {{ name }}.' },
  ],
  edges: [
    { source: 'start', target: 'ask' },
    { source: 'ask', target: 'bye' },
  ],
};

/** The same with another last text. */
export function greetingThatEnds(message: string) {
  return { ...greeting, nodes: [...greeting.nodes.slice(0, 2), { id: 'bye', type: 'end', message }] };
}

/** An edge to a missing node: a definition with errors. */
export const broken = {
  ...greeting,
  edges: [...greeting.edges, { source: 'ask', target: 'nowhere', variable: 'name', op: 'eq', value: 'Nemo' }],
};
