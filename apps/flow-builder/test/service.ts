// flow-builder as its integration tests start it, and the small flows that they speak of.
import supertest from 'supertest';
import { serviceUnderTest } from '@parley/app-testkit';
import { createApp } from '../src/app.ts';
import { config } from '../src/config.ts';
import { createDeps } from '../src/deps.ts';

export async function startFlowBuilder(env: Readonly<Record<string, string>> = {}) {
  const service = await serviceUnderTest(
    { service: 'flow-builder', product: 'fb', config, createDeps, createApp },
    env,
  );
  const key = await service.issueKey('acme');
  return {
    ...service,
    key,
    as: (credential: string) => client(service.app, credential),
    api: client(service.app, key),
  };
}

export type FlowBuilder = Awaited<ReturnType<typeof startFlowBuilder>>;

/** Requests with a credential. */
function client(app: Parameters<typeof supertest>[0], credential: string) {
  const authorized = (test: supertest.Test) => test.set('authorization', `Bearer ${credential}`);
  return {
    get: (path: string) => authorized(supertest(app).get(path)),
    post: (path: string, body?: object) => authorized(supertest(app).post(path)).send(body),
    patch: (path: string, body?: object) => authorized(supertest(app).patch(path)).send(body),
    put: (path: string, body?: object) => authorized(supertest(app).put(path)).send(body),
    delete: (path: string) => authorized(supertest(app).delete(path)),
  };
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

/** The same, with another last word. */
export function greetingThatEnds(message: string) {
  return { ...greeting, nodes: [...greeting.nodes.slice(0, 2), { id: 'bye', type: 'end', message }] };
}

/** An edge to a node that is not there: a definition with errors. */
export const broken = {
  ...greeting,
  edges: [...greeting.edges, { source: 'ask', target: 'nowhere', variable: 'name', op: 'eq', value: 'Nemo' }],
};
