// Helpers of the diff tests.
import { expect } from '@jest/globals';
import { applyPatch, type Operation } from 'rfc6902';
import { diffFlows, type FlowDiff } from '../../src/index.ts';
import { parseFlow, type FlowModel } from '@parley/flow-engine';

export function parsed(definition: unknown): FlowModel {
  const result = parseFlow(definition);
  if (!result.ok) throw new Error(`not a definition: ${JSON.stringify(result.problems)}`);
  return result.flow;
}

export const diff = (from: unknown, to: unknown): FlowDiff => diffFlows(parsed(from), parsed(to));

/** The older definition with the patch applied. */
export function patched(from: unknown, { patch }: FlowDiff): unknown {
  const document = { definition: structuredClone(from) };
  const operations = patch.map((operation) => ({ ...operation, path: `/definition${operation.path}` }));
  // As sent over the wire.
  const sent = JSON.parse(JSON.stringify(operations)) as Operation[];
  expect(applyPatch(document, sent).filter((error) => error !== null)).toEqual([]);
  return document.definition;
}

/** The structured part of a diff without changes. */
export const noChanges = {
  metadata: [],
  nodes: { added: [], removed: [], changed: [] },
  edges: { added: [], removed: [], changed: [], moved: [] },
};
