// JSON -> model: documents that are no definition, faults that survive parsing
// (docs/flow-language.md#definition), canonical members, and the untouched document.
import { describe, expect, test } from '@jest/globals';
import { modelOf } from '../../test/play.ts';
import { limits } from './limits.ts';
import { parseFlow } from './parse.ts';

const problemsOf = (definition: unknown) => {
  const parsed = parseFlow(definition);
  return parsed.ok ? [] : parsed.problems.map((problem) => problem.path);
};

describe('not a definition', () => {
  test.each<[string, unknown, string[]]>([
    ['null', null, ['']],
    ['a list', [], ['']],
    ['a text', 'flow', ['']],
    ['no nodes', {}, ['/nodes']],
    ['nodes not a list', { nodes: {}, edges: 5, start: 1 }, ['/nodes', '/edges', '/start']],
    ['a node that is none', { nodes: [null, 'x', []] }, ['/nodes/0', '/nodes/1', '/nodes/2']],
    ['an id missing', { nodes: [{ type: 'end' }] }, ['/nodes/0/id']],
    ['an id of another type', { nodes: [{ id: 1 }] }, ['/nodes/0/id']],
    ['an edge without ends', { nodes: [], edges: [{}] }, ['/edges/0/source', '/edges/0/target']],
    [
      'members of the wrong type, every one of them',
      {
        nodes: [{ id: 'a', text: 1, args: [], allow_empty: 'yes' }],
        edges: [{ source: 'a', target: 'b', nl: 5 }],
      },
      ['/nodes/0/text', '/nodes/0/args', '/nodes/0/allow_empty', '/edges/0/nl'],
    ],
    ['a name inside a list', { nodes: [{ id: 'a', context_vars: ['x', 1] }] }, ['/nodes/0/context_vars/1']],
    ['a choice that is none', { nodes: [{ id: 'a', choices: ['x', {}] }] }, ['/nodes/0/choices/1']],
    [
      'a webhook',
      { nodes: [{ id: 'a', type: 'webhook', url: 1, events: 'x' }] },
      ['/nodes/0/url', '/nodes/0/events'],
    ],
  ])('%s', (_, definition, paths) => {
    expect(parseFlow(definition)).toMatchObject({ ok: false, kind: 'not_a_definition' });
    expect(problemsOf(definition).sort()).toEqual([...paths].sort());
  });

  test.each(['', 'a b', 'ä', 'a/b', '__proto__', 'constructor', 'prototype', 'x'.repeat(129)])(
    'the id %j',
    (id) => expect(problemsOf({ nodes: [{ id }] })).toEqual(['/nodes/0/id']),
  );

  test.each([
    ['', 'it is empty'],
    ['a b', 'a blank is none of A-Z a-z 0-9 _ . : -'],
    ['grüße', '"ü" is none of A-Z a-z 0-9 _ . : -'],
    ['x👋', '"👋" is none of A-Z a-z 0-9 _ . : -'],
    ['prototype', '"prototype" means something to JavaScript objects'],
    ['x'.repeat(129), '129 characters, at most 128'],
  ])('the id %j, and says why', (id, why) =>
    expect(parseFlow({ nodes: [{ id }] })).toMatchObject({ problems: [{ message: `Invalid id: ${why}` }] }),
  );

  test.each(['a', 'A-1_b.c:d', '0', 'x'.repeat(128), 'toString'])('but not the id %j', (id) =>
    expect(problemsOf({ nodes: [{ id }] })).toEqual([]),
  );

  test('reports at most a hundred problems', () => {
    const nodes = Array.from({ length: 500 }, () => ({ id: 1, text: 2 }));
    expect(problemsOf({ nodes })).toHaveLength(limits.problemsMax);
  });
});

describe('limits', () => {
  const node = { id: 'a', type: 'message' };
  const nl = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ source: 'a', target: 'a', nl: `wants ${i}` }));

  test.each<[string, unknown, { path: string; limit: string; max: number; actual: number }]>([
    [
      'nodes',
      { nodes: Array(10_001).fill(null) },
      { path: '/nodes', limit: 'nodesMax', max: 10_000, actual: 10_001 },
    ],
    [
      'edges',
      { nodes: [], edges: Array(40_001).fill(null) },
      { path: '/edges', limit: 'edgesMax', max: 40_000, actual: 40_001 },
    ],
    [
      'choices',
      { nodes: [node], edges: nl(101) },
      { path: '/edges/100', limit: 'classifierChoicesMax', max: 100, actual: 101 },
    ],
    [
      'a text of a node',
      { nodes: [node, { ...node, prompt: 'x'.repeat(10_001) }] },
      { path: '/nodes/1/prompt', limit: 'textCharsMax', max: 10_000, actual: 10_001 },
    ],
    [
      'a text of an edge',
      { nodes: [node], edges: [{ source: 'a', target: 'a', nl: 'x'.repeat(10_001) }] },
      { path: '/edges/0/nl', limit: 'textCharsMax', max: 10_000, actual: 10_001 },
    ],
  ])('%s', (_, definition, problem) => {
    expect(parseFlow(definition)).toMatchObject({ ok: false, kind: 'limit_exceeded', problems: [problem] });
  });

  test('exactly at the limits', () => {
    const text = 'x'.repeat(10_000);
    expect(problemsOf({ nodes: [{ ...node, text }], edges: nl(100) })).toEqual([]);
  });

  test('a definition of 10,000 nodes and 40,000 edges takes well under a second', () => {
    const nodes = Array.from({ length: 10_000 }, (_, i) => ({
      id: `n${i}`,
      type: 'message',
      text: 'Hi {{ name }}',
    }));
    const edges = Array.from({ length: 40_000 }, (_, i) => ({
      source: `n${i % 10_000}`,
      target: `n${(i * 7) % 10_000}`,
    }));
    const started = process.cpuUsage();
    expect(parseFlow({ nodes, edges }).ok).toBe(true);
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(1000);
  });
});

describe('faults that survive parsing', () => {
  test('unknown types, operators and casts, dangling edges, duplicate ids', () => {
    const flow = modelOf(
      [{ id: 'a', type: 'teleport', cast: 'colour' }, { id: 'a', type: 'end' }, { id: 'b' }],
      [
        { source: 'a', target: 'nowhere', variable: 'x', op: 'resembles', value: 1 },
        { source: 'nowhere', target: 'a' },
      ],
    );
    expect(flow.nodes.map((node) => [node.id, node.type, node.cast])).toEqual([
      ['a', null, null],
      ['a', 'end', 'string'],
      ['b', null, 'string'],
    ]);
    expect(flow.nodesById.get('a')?.index).toBe(0);
    expect(flow.edges[0]?.condition).toMatchObject({ op: null, variable: 'x' });
    expect(flow.outgoing.get('nowhere')).toHaveLength(1);
  });

  test('a flow without nodes', () => expect(modelOf([])).toMatchObject({ startId: null, start: null }));

  test('null is absent', () => {
    const members = { text: null, args: null, choices: null, max_attempts: null, mcp: null, type: null };
    expect(problemsOf({ nodes: [{ id: 'a', ...members }], edges: null, start: null })).toEqual([]);
  });
});

describe('canonical members', () => {
  test('aliases of types and casts', () => {
    const { nodes } = modelOf([
      { id: 'a', type: 'say' },
      { id: 'b', type: 'agent' },
      { id: 'c', type: 'input', cast: 'int', output_var: ' ' },
      { id: 'd', type: 'agent', output_var: 'mine' },
    ]);
    expect(nodes.map(({ type, cast, outputVar }) => [type, cast, outputVar])).toEqual([
      ['message', 'string', null],
      ['autonomous', 'string', 'agent_result'],
      ['collect', 'integer', null],
      ['autonomous', 'string', 'mine'],
    ]);
  });

  test.each<[Record<string, unknown>, string[], string | null]>([
    [{ start: 'b' }, ['a', 'b'], 'b'],
    [{}, ['a', 'start'], 'start'],
    [{}, ['a', 'b'], 'a'],
    [{ start: '' }, ['a'], 'a'],
    [{ start: 'gone' }, ['a', 'start'], 'gone'],
  ])('start of %j with nodes %j', (more, ids, start) => {
    const flow = modelOf(
      ids.map((id) => ({ id })),
      [],
      more,
    );
    expect(flow.startId).toBe(start);
    expect(flow.start?.id ?? null).toBe(start === 'gone' ? null : start);
  });

  test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['nothing', {}, { kind: 'default', condition: null, nl: null }],
    ['default', { default: true }, { kind: 'default', saysDefault: true }],
    ['a label alone', { label: 'next' }, { kind: 'default', label: 'next' }],
    ['a condition', { condition: 'wants tea' }, { kind: 'nl', nl: 'wants tea' }],
    ['nl before condition', { nl: 'a', condition: 'b' }, { kind: 'nl', nl: 'a' }],
    [
      'blank members',
      { nl: ' ', variable: '', op: '', value: null },
      { kind: 'default', condition: null, nl: null },
    ],
    [
      'a value',
      { variable: 'x', value: 0 },
      { kind: 'deterministic', condition: { variable: 'x', op: 'eq', value: 0 } },
    ],
    ['a null value', { variable: 'x', value: null }, { condition: { op: 'eq', hasValue: true } }],
    [
      'a variable',
      { variable: 'x' },
      { kind: 'deterministic', condition: { op: 'exists', hasValue: false } },
    ],
    [
      'an operator',
      { op: 'gt', value: 1 },
      { kind: 'deterministic', condition: { variable: null, op: 'gt' } },
    ],
    ['an alias', { variable: 'x', op: '>=', value: 1 }, { condition: { op: 'gte' } }],
    ['both kinds', { variable: 'x', nl: 'y' }, { kind: 'deterministic', nl: 'y' }],
    ['default with a condition', { default: true, nl: 'y' }, { kind: 'default', nl: 'y' }],
    ['case', { variable: 'x', case_sensitive: true }, { caseSensitive: true }],
  ])('an edge with %s', (_, members, expected) => {
    const flow = modelOf([{ id: 'a' }], [{ source: 'a', target: 'a', ...members }]);
    expect(flow.edges[0]).toMatchObject(expected);
  });

  test('names of the request override those of the document', () => {
    const definition = { nodes: [], flow_id: 'doc', name: 'Doc' };
    expect(parseFlow(definition)).toMatchObject({ flow: { flowId: 'doc', name: 'Doc' } });
    expect(parseFlow(definition, { flowId: 'req', name: 'Req' })).toMatchObject({
      flow: { flowId: 'req', name: 'Req' },
    });
    expect(parseFlow({ nodes: [], flow_id: 5, name: [] })).toMatchObject({
      flow: { flowId: null, name: null },
    });
  });
});

test('the document stays the object that was parsed', () => {
  const definition = JSON.parse(`{
    "nodes": [{"id": "a", "type": "say", "position": {"x": 1}, "__proto__": {"y": 1}, "custom": [null]}],
    "edges": [{"source": "a", "target": "a", "condition": "x", "style": "dotted"}],
    "notes": "kept", "viewport": {"zoom": 2}
  }`) as Record<'nodes' | 'edges', unknown[]>;
  const before = JSON.stringify(definition);
  const parsed = parseFlow(definition);
  if (!parsed.ok) throw new Error('not a flow');
  expect(parsed.flow.definition).toBe(definition);
  expect(parsed.flow.nodes[0]?.raw).toBe(definition.nodes[0]);
  expect(parsed.flow.edges[0]?.raw).toBe(definition.edges[0]);
  expect(JSON.stringify(definition)).toBe(before);
});
