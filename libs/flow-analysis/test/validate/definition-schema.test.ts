// The schema against the engine: it accepts every flow without findings, and rejects planted
// faults.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { examples } from '../examples/index.ts';
import { pseudoVariables, bookkeepingName } from '@parley/flow-engine/read/paths';
import { validateFlow } from '../../src/validate/validate-flow.ts';
import { answerMembers } from '@parley/flow-engine/define/answer-rules';
import { assignmentOps } from '@parley/flow-engine/define/assignments';
import { casts } from '@parley/answers';
import { authoredEdge, authoredNode, authoredWebhook } from '@parley/flow-engine/define/definition';
import { nodeTypes } from '@parley/flow-engine/define/node-types';
import { operators } from '@parley/flow-engine/define/operators';
import { definitionMembers, definitionSchema } from '../../src/schema/definition-schema.ts';
import { limits } from '@parley/flow-engine/define/limits';
import { engineVariables } from '@parley/flow-engine/define/engine-variables';
import { bagVariables } from '../../src/schema/members.ts';
import { parseFlow } from '@parley/flow-engine/define/parse';

const validate = new Ajv2020({ allErrors: true, allowUnionTypes: true }).compile(definitionSchema());
const faults = (definition: unknown): string[] => {
  validate(definition);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
};

const isValid = (definition: unknown): boolean => {
  const parsed = parseFlow(definition);
  return parsed.ok && validateFlow(parsed.flow, { stepsMax: limits.stepsMax }).valid;
};

const jsonFiles = (folder: string): { name: string; flow: unknown }[] =>
  readdirSync(new URL(folder, import.meta.url), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .map((name) => {
      const file = JSON.parse(readFileSync(new URL(`${folder}${name}`, import.meta.url), 'utf8')) as {
        flow?: unknown;
        definition?: unknown;
      };
      return { name, flow: file.flow ?? file.definition ?? file };
    });

test.each([
  ...jsonFiles('../flows/'),
  ...jsonFiles('../../../flow-engine/test/corpus/').filter(({ flow }) => isValid(flow)),
])('takes $name', ({ flow }) => expect(faults(flow)).toEqual([]));

test('takes every example of validation that has no error', () => {
  const valid = Object.values(examples)
    .flatMap(({ shown, notShown }) => [...shown, ...notShown].map(({ flow }): unknown => flow))
    .filter(isValid);
  expect(valid.length).toBeGreaterThan(20);
  for (const flow of valid) expect([flow, faults(flow)]).toEqual([flow, []]);
});

describe('refuses', () => {
  const node = { id: 'a', type: 'collect', prompt: '?', variable: 'x' };
  const edge = { source: 'a', target: 'a' };
  test.each<[string, unknown, string]>([
    ['no list of nodes', {}, ''],
    ['nodes that are none', { nodes: {} }, '/nodes'],
    ['no id', { nodes: [{ type: 'end' }] }, '/nodes/0'],
    ['an id with a blank', { nodes: [{ ...node, id: 'a b' }] }, '/nodes/0/id'],
    ['a reserved id', { nodes: [{ ...node, id: 'constructor' }] }, '/nodes/0/id'],
    ['no type', { nodes: [{ id: 'a' }] }, '/nodes/0'],
    ['an unknown type', { nodes: [{ ...node, type: 'ask' }] }, '/nodes/0/type'],
    ['an unknown cast', { nodes: [{ ...node, cast: 'money' }] }, '/nodes/0/cast'],
    ['a prompt that is no text', { nodes: [{ ...node, prompt: 1 }] }, '/nodes/0/prompt'],
    ['a prompt that is too long', { nodes: [{ ...node, prompt: 'x'.repeat(10_001) }] }, '/nodes/0/prompt'],
    ['a wrong preference', { nodes: [{ ...node, prefer: 'never' }] }, '/nodes/0/prefer'],
    ['a wrong status', { nodes: [{ ...node, reprompts: { silence: 'x' } }] }, '/nodes/0/reprompts'],
    ['too many variants', { nodes: [{ ...node, variants: Array(21).fill('x') }] }, '/nodes/0/variants'],
    [
      'a set of two things',
      { nodes: [{ ...node, set: [{ variable: 'x', to: 1, add: 1 }] }] },
      '/nodes/0/set/0',
    ],
    ['a set of nothing', { nodes: [{ ...node, set: [{ variable: 'x' }] }] }, '/nodes/0/set/0'],
    [
      'an add of a word',
      { nodes: [{ ...node, set: [{ variable: 'x', add: 'one' }] }] },
      '/nodes/0/set/0/add',
    ],
    [
      'headers of a webhook that are a list',
      { nodes: [{ id: 'w', type: 'webhook', headers: [] }] },
      '/nodes/0/headers',
    ],
    ['an edge without a target', { nodes: [node], edges: [{ source: 'a' }] }, '/edges/0'],
    [
      'an unknown operator',
      { nodes: [node], edges: [{ ...edge, variable: 'x', op: 'like' }] },
      '/edges/0/op',
    ],
    [
      'a comparison without its value',
      { nodes: [node], edges: [{ ...edge, variable: 'x', op: '>' }] },
      '/edges/0',
    ],
    ['a list of no comparisons', { nodes: [node], edges: [{ ...edge, all: [] }] }, '/edges/0/all'],
    [
      'an unknown operator in a list',
      { nodes: [node], edges: [{ ...edge, any: [{ variable: 'x', op: 'like' }] }] },
      '/edges/0/any/0/op',
    ],
    [
      'a call of no version',
      { nodes: [{ id: 'b', type: 'branch', call: { flow_id: 'x' } }] },
      '/nodes/0/call',
    ],
    [
      'a pair of three',
      { nodes: [node], edges: [{ ...edge, variable: 'x', op: 'between', value: [1, 2, 3] }] },
      '/edges/0/value',
    ],
  ])('%s', (_what, definition, place) =>
    expect(faults(definition).map((fault) => fault.split(' ')[0])).toContain(place),
  );

  test('but not the own members of another node type', () =>
    expect(
      faults({
        nodes: [
          { ...node, headers: [] },
          { id: 'b', type: 'end', min: {}, cast: 'x' },
        ],
      }),
    ).toEqual([]));
});

describe('is a function of the tables', () => {
  test('has every member, name and alias of them', () => {
    const schema = JSON.stringify(definitionSchema());
    const { node, edge } = definitionMembers();
    expect(Object.keys(node)).toEqual(
      expect.arrayContaining([
        ...Object.keys(authoredNode.shape),
        ...Object.keys(authoredWebhook.shape),
        ...answerMembers,
      ]),
    );
    expect(Object.keys(edge)).toEqual(expect.arrayContaining(Object.keys(authoredEdge.shape)));
    for (const table of [nodeTypes, operators, casts] as Record<string, { aliases: readonly string[] }>[])
      for (const [name, { aliases }] of Object.entries(table))
        for (const spelling of [name, ...aliases]) expect(schema).toContain(JSON.stringify(spelling));
    for (const op of Object.keys(assignmentOps)) expect(schema).toContain(`"${op}":{`);
  });

  test('every member and every engine variable has a meaning', () => {
    for (const [kind, members] of Object.entries(definitionMembers()))
      for (const [name, { meaning }] of Object.entries(members))
        expect(`${kind} ${name}: ${meaning}`).toMatch(/: [A-Z`].*\.$/);
    const known: Readonly<Record<string, string>> = { ...engineVariables, ...bagVariables };
    for (const name of [...Object.keys(pseudoVariables), bookkeepingName])
      expect([name, known[name]]).toEqual([name, expect.stringMatching(/\.$/)]);
  });

  test('is JSON', () => expect(JSON.parse(JSON.stringify(definitionSchema()))).toEqual(definitionSchema()));
});
