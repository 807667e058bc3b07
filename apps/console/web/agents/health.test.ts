import { expect, test } from '@jest/globals';
import type { Agent } from './api.ts';
import { judgeHealth, type CallFigures, type KnownFlow } from './health.rules.ts';

const agent = (more: Partial<Agent> = {}) =>
  ({ status: 'active', flow_id: 'f', flow_version: null, ...more }) as Agent;
const published = { name: 'F', published_version: 1 };
const draft = { name: 'F', published_version: null };
const calls = (conversations: number, error_rate: number | null) => ({ conversations, error_rate });

test.each<[string, Agent, KnownFlow, CallFigures | undefined]>([
  ['Archived', agent({ status: 'archived' }), null, undefined],
  ['Flow missing', agent(), null, calls(9, 0)],
  ['Not published', agent(), draft, calls(9, 0)],
  ['Healthy', agent({ flow_version: 2 }), draft, calls(9, 0)],
  ['Not published', agent({ status: 'paused' }), draft, undefined],
  ['Paused', agent({ status: 'paused' }), published, calls(9, 1)],
  ['Active', agent(), undefined, undefined],
  ['No calls', agent({ flow_id: null }), undefined, calls(0, null)],
  ['Healthy', agent(), published, calls(100, 0.04)],
  ['Some fail', agent(), published, calls(100, 0.05)],
  ['Failing', agent(), published, calls(100, 0.2)],
])('%s', (label, one, flow, figures) => {
  expect(judgeHealth(one, flow, figures).label).toBe(label);
});
