// Every attack, and what the other organisation does meanwhile at each service.
import type { ServiceName } from '@parley/local-stack';
import type { Attack, AttackRequest } from './attack.ts';
import { flowBuilderAttacks } from './flow-builder.ts';

export const attacks: readonly Attack[] = [...flowBuilderAttacks];

/** The neighbour's usual request, and what it needs. */
export interface Neighbour {
  readonly prepare: readonly AttackRequest[];
  readonly request: AttackRequest;
}

const greeting = {
  nodes: [
    { id: 'c', type: 'collect', prompt: 'Name?', variable: 'name' },
    { id: 'e', type: 'end', message: 'Bye, {{ name }}.' },
  ],
  edges: [{ source: 'c', target: 'e' }],
};

export const neighbours: Readonly<Record<ServiceName, Neighbour>> = {
  'flow-builder': {
    prepare: [{ method: 'POST', path: '/v1/flows', body: { flow_id: 'neighbour', definition: greeting } }],
    request: {
      method: 'POST',
      path: '/v1/flows/neighbour/execute',
      body: { current_node: 'c', user_input: 'Ada', variables: {} },
    },
  },
  'voice-api': { prepare: [], request: { method: 'GET', path: '/v1/bots' } },
  notifications: { prepare: [], request: { method: 'GET', path: '/v1/notifications' } },
};
