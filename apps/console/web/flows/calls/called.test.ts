// Flows that call flows: the engine expands calls as saving does.
import { describe, expect, test } from '@jest/globals';
import { calledKey } from '@parley/flow-engine';
import { storedCalls } from './called.ts';
import type { StoredCall } from '../../engine/called.ts';
import { engine } from '../../engine/engine.ts';
import { searching } from '../../engine/searching.ts';

const asking = {
  nodes: [
    { id: 'ask', type: 'collect', prompt: 'Who is it?', variable: 'who' },
    { id: 'thanks', type: 'end', message: 'Thanks, {{ who }}.' },
  ],
  edges: [{ source: 'ask', target: 'thanks' }],
};
const calling = (flowId: string) => ({
  start: 'hello',
  nodes: [
    { id: 'hello', type: 'message', text: 'Hello.' },
    { id: 'who', type: 'branch', call: { flow_id: flowId, version: 'published' } },
    { id: 'done', type: 'end', message: 'Done.' },
  ],
  edges: [
    { source: 'hello', target: 'who' },
    { source: 'who', target: 'done' },
  ],
});
const published = (flowId: string) => calledKey({ flowId, version: 'published' });
const stored = (flowId: string, definition: object, rest: Partial<StoredCall> = {}) =>
  ({ flowId, version: 3, valid: true, definition, calls: [], inner: {}, ...rest }) as unknown as StoredCall;
const opening = {
  startNode: null,
  variables: {},
  nowMs: 0,
  extractor: false,
  agent: false,
  turns: [
    { input: null, answers: [] },
    { input: 'Ada', answers: [] },
  ],
};

describe('a flow that calls another', () => {
  const called = { flowId: 'main', versions: { [published('identify')]: stored('identify', asking) } };
  test('runs with the called flow', () => {
    engine.know(called);
    expect(engine.check(calling('identify')).findings).toEqual([]);
    const [first, second] = engine.converse(opening)!;
    expect(first?.outcome).toMatchObject({ nextNode: 'who/ask', outputs: [{ text: 'Hello.' }, {}] });
    expect(second?.outcome).toMatchObject({ status: 'completed', outputs: [{ text: 'Thanks, Ada.' }, {}] });
    engine.know(null);
  });
  test('is searched with the called flow, and reports only its own edges', () => {
    const looked = { definition: calling('identify'), called };
    const found = engine.explore({ ...looked, tests: [], nowMs: 0 })!;
    expect([found.edges, found.uncovered]).toEqual([2, []]);
    expect(engine.reach(looked, { edgeIndex: 1 })).toMatchObject({ reached: true });
  });
  test('a missing called flow is a finding at the node', () => {
    engine.know({ flowId: 'main', versions: {} });
    expect(engine.check(calling('identify')).findings).toContainEqual(
      expect.objectContaining({ code: 'call_unresolved', nodeId: 'who' }),
    );
    engine.know(null);
  });
  test('loads called flows with their pinned calls', async () => {
    const flows: Record<string, object> = {
      'middle?version=published': {
        version: 2,
        definition: calling('identify'),
        validation: { errors: [] },
        calls: [{ node_id: 'who', flow_id: 'identify', version: 7 }],
      },
      'identify?version=7': { version: 7, definition: asking, validation: { errors: [] } },
    };
    globalThis.fetch = (async ({ url }: Request) => {
      const found = flows[url.split('/').at(-1)!];
      return found === undefined ? Response.json({}, { status: 404 }) : Response.json(found);
    }) as typeof fetch;
    const main = { nodes: [...calling('middle').nodes, ...calling('gone').nodes], edges: [] };
    const calls = await storedCalls(main, null);
    expect(Object.keys(calls)).toEqual([published('middle')]);
    expect(calls[published('middle')]).toMatchObject({
      version: 2,
      inner: { [published('identify')]: { version: 7 } },
    });
  });
});

describe('a search', () => {
  test('that takes too long is stopped, and the next one starts a new worker', async () => {
    let started = 0;
    const stopped: number[] = [];
    const search = searching(() => {
      const number = (started += 1);
      return { far: number, stop: () => stopped.push(number) };
    }, 10);
    expect(await search(() => new Promise(() => {}))).toEqual({ kind: 'too_long' });
    expect(await search(async (far) => far)).toEqual({ kind: 'found', found: 2 });
    expect(await search(async () => null)).toEqual({ kind: 'no_flow' });
    expect([started, stopped]).toEqual([2, [1]]);
  });
});
