// Calls (docs/flow-language.md#calls): expanding a flow with the flows that it calls, walking it,
// and validating it.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { expandCalls, validateExpansion } from '../src/index.ts';
import {
  calledKey,
  listCalls,
  compileFlow,
  limits,
  readParsedFlow,
  type AuthoredFlow,
  type CalledVersion,
} from '@parley/flow-engine';
import { playTurn, texts } from '@parley/flow-engine/testing';
import { graph, playOut, turn } from './validation-flows.ts';

type Members = Record<string, unknown>;

const flowOf = (nodes: Members[], edges: Members[], more: Members = {}) =>
  ({ nodes, edges, ...more }) as unknown as AuthoredFlow;

/** Asks for a name, and hands off a caller who gives none. */
const naming = flowOf(
  [
    { id: 'hello', type: 'message', text: '{{ greeting | default: "Hello" }}.' },
    { id: 'ask', type: 'collect', prompt: 'Your name?', variable: 'name', max_attempts: 1 },
    { id: 'count', type: 'branch', set: [{ variable: 'asked', add: 1 }] },
    { id: 'thanks', type: 'end', message: 'Thanks, {{ name }}.' },
    { id: 'human', type: 'handoff', target: 'desk' },
    { id: 'persona', type: 'global', prompt: 'Be short.' },
    { id: 'hook', type: 'webhook', url: 'https://example.com' },
    { id: 'island', type: 'message', text: 'never' },
  ],
  [
    { source: 'hello', target: 'ask' },
    { source: 'ask', target: 'count', variable: '_input_status', value: 'captured' },
    { source: 'ask', target: 'human' },
    { source: 'count', target: 'thanks' },
    { source: 'island', target: 'thanks' },
  ],
  { start: 'hello' },
);

const calling = (call: Members, more: Members = {}) =>
  flowOf(
    [
      { id: 'who', type: 'branch', call: { flow_id: 'naming', version: 2, ...call }, ...more },
      { id: 'anna', type: 'end', message: 'Hi Anna.' },
      { id: 'other', type: 'end', message: 'Hi {{ name | default: "you" }}.' },
    ],
    [
      { source: 'who', target: 'anna', variable: 'name', value: 'Anna' },
      { source: 'who', target: 'other' },
    ],
  );

const calledAs = (definition: AuthoredFlow, more: Partial<CalledVersion> = {}): CalledVersion => ({
  version: 2,
  valid: true,
  definition,
  calls: [],
  ...more,
});
const keyOf = (flowId: string, version: number | 'published' = 2) => calledKey({ flowId, version });
const expanded = (definition: AuthoredFlow, called = { [keyOf('naming')]: calledAs(naming) }) =>
  expandCalls(definition, 'caller', called);
const running = (definition: AuthoredFlow) => compileFlow(readParsedFlow(expanded(definition).definition));

describe('a called flow', () => {
  test('replaces its call, and everything else keeps its place', () => {
    const authored = calling({ input: { greeting: 'Good day' } }, { set: [{ variable: 'done', to: true }] });
    const before = JSON.stringify([authored, naming]);
    const { definition, calls, problems } = expanded(authored);
    expect(JSON.stringify([authored, naming])).toBe(before);
    expect(problems.size).toBe(0);
    expect(calls).toEqual([{ node_id: 'who', flow_id: 'naming', version: 2 }]);
    expect(definition.nodes.map(({ id, type }) => `${id} ${type}`)).toEqual([
      'who branch',
      'anna end',
      'other end',
      'who/hello message',
      'who/ask collect',
      'who/count branch',
      'who/thanks message',
      'who/human handoff',
      'who/ branch',
    ]);
    expect(definition.nodes[0]).toEqual({
      id: 'who',
      type: 'branch',
      set: [{ variable: 'greeting', to: 'Good day' }],
    });
    expect(definition.nodes.at(-1)).toMatchObject({ set: [{ variable: 'done', to: true }] });
    expect(definition.edges!.slice(0, 3).map(({ source, target }) => [source, target])).toEqual([
      ['who/', 'anna'],
      ['who/', 'other'],
      ['who', 'who/hello'],
    ]);
    expect(definition.edges!.at(-1)).toEqual({ source: 'who/thanks', target: 'who/' });
  });

  test('is walked, returns along the edges of its caller, and is traced under its ids', () => {
    const flow = running(calling({ input: { greeting: 'Good day, {{ title }}' } }));
    const first = playTurn(flow, { variables: { title: 'Madam' } });
    expect(texts(first)).toEqual(['Good day, Madam.', 'Your name?']);
    expect(first.nextNode).toBe('who/ask');
    const { variables } = first;
    const second = playTurn(flow, { currentNode: 'who/ask', userInput: 'Anna', variables, trace: true });
    expect(texts(second)).toEqual(['Thanks, Anna.', 'Hi Anna.']);
    expect(second.trace!.map(({ nodeId }) => nodeId)).toEqual([
      'who/ask',
      'who/count',
      'who/thanks',
      'who/',
      'anna',
    ]);
    const handed = playTurn(flow, { currentNode: 'who/ask', userInput: '', variables });
    expect(handed).toMatchObject({ status: 'handed_off', lastNode: 'who/human', nextNode: null });
  });

  test('keeps the edges of a handoff that returns, and of a waiting tool', () => {
    const desk = flowOf(
      [
        { id: 'ask', type: 'tool', tool: 'ask', wait_for_result: true, output_var: 'free' },
        { id: 'desk', type: 'handoff', target: 'desk', returns: true },
        { id: 'sorry', type: 'end', message: 'Nobody is there.' },
        { id: 'back', type: 'end', message: 'Welcome back.', resume: true },
      ],
      [
        { source: 'ask', target: 'desk' },
        { source: 'desk', target: 'sorry', variable: '_handoff_status', value: 'failed' },
        { source: 'desk', target: 'back' },
      ],
    );
    const { definition } = expanded(calling({}), { [keyOf('naming')]: calledAs(desk) });
    expect(definition.nodes.filter((node) => 'resume' in node)).toEqual([]);
    const flow = compileFlow(readParsedFlow(definition));
    const asked = playTurn(flow, {});
    expect(asked).toMatchObject({ status: 'waiting_for_tool', nextNode: 'who/ask' });
    const answer = { kind: 'tool_result', callId: null, outcome: { status: 'ok', result: 1 } } as const;
    const handed = playTurn(flow, { currentNode: 'who/ask', variables: asked.variables, answer });
    expect(handed).toMatchObject({ status: 'handed_off', nextNode: 'who/desk' });
    for (const [status, said] of [
      ['failed', 'Nobody is there.'],
      ['returned', 'Welcome back.'],
    ] as const) {
      const back = { kind: 'handoff_result', status, reason: null } as const;
      const after = playTurn(flow, { currentNode: 'who/desk', variables: handed.variables, answer: back });
      expect(texts(after)).toEqual([said, 'Hi you.']);
      expect(after.status).toBe('completed');
    }
  });

  test('clears variables that `output` does not name', () => {
    const answer = (call: Members) => {
      const flow = running(calling({ input: { greeting: 'Hi' }, ...call }));
      const { variables } = playTurn(flow, {
        currentNode: 'who/ask',
        userInput: 'Anna',
        variables: { greeting: 'Hi', kept: 1 },
      });
      const { _flow, ...bag } = variables;
      return bag;
    };
    expect(answer({})).toEqual({ greeting: 'Hi', kept: 1, name: 'Anna', asked: 1 });
    expect(answer({ output: ['name'] })).toEqual({ kept: 1, name: 'Anna' });
    expect(answer({ output: [] })).toEqual({ kept: 1 });
  });

  test('may itself call flows, under the ids of both', () => {
    const inner = expanded(calling({}));
    const called = { [keyOf('naming')]: calledAs(inner.definition, { calls: inner.calls }) };
    const outer = expanded(calling({}), called);
    expect(outer.calls.map(({ node_id }) => node_id)).toEqual(['who', 'who/who']);
    const result = playTurn(compileFlow(readParsedFlow(outer.definition)));
    expect(result).toMatchObject({ status: 'waiting', nextNode: 'who/who/ask' });
  });

  test('a flow without calls is the same object', () => {
    expect(expanded(naming).definition).toBe(naming);
    expect(listCalls(naming)).toEqual([]);
    expect(listCalls(calling({}))).toEqual([{ flowId: 'naming', version: 2 }]);
    for (const odd of [null, 5, {}, { nodes: [null, 5, { type: 'branch', call: 5 }] }])
      expect(listCalls(odd)).toEqual([]);
  });
});

describe('a call is refused', () => {
  const why = (definition: AuthoredFlow, target?: CalledVersion, flowId = 'caller') => {
    const called = target === undefined ? {} : { [keyOf('naming')]: target };
    const expansion = expandCalls(definition, flowId, called);
    const { errors } = validateExpansion(definition, expansion, { stepsMax: 200 });
    return errors
      .filter(({ code }) => code === 'call_unresolved')
      .map(({ path, message }) => `${path} ${message}`);
  };

  test('of a missing flow, or one with errors', () => {
    expect(why(calling({}))).toEqual(['/nodes/0/call Flow "naming" has no version 2']);
    expect(why(calling({ version: 'published' }))).toEqual([
      '/nodes/0/call Flow "naming" has no published version',
    ]);
    expect(why(calling({}), calledAs(naming, { valid: false }))).toEqual([
      '/nodes/0/call Version 2 of flow "naming" has errors',
    ]);
  });

  test('of itself, at any depth', () => {
    expect(why(calling({}), calledAs(naming), 'naming')).toEqual([
      '/nodes/0/call The flow would call itself',
    ]);
    const calls = [{ node_id: 'x', flow_id: 'caller', version: 1 }];
    expect(why(calling({}), calledAs(naming, { calls }))).toEqual([
      '/nodes/0/call The flow would call itself',
    ]);
  });

  test('when calls go too deep', () => {
    const down = (levels: number) => [
      { node_id: Array<string>(levels).fill('x').join('/'), flow_id: 'deep', version: 1 },
    ];
    expect(why(calling({}), calledAs(naming, { calls: down(limits.callDepthMax - 1) }))).toEqual([]);
    expect(why(calling({}), calledAs(naming, { calls: down(limits.callDepthMax) }))).toEqual([
      `/nodes/0/call Calls go more than ${limits.callDepthMax} deep`,
    ]);
  });

  test('when the flow becomes too large, in number or bytes, or ids too long', () => {
    const chain = (count: number, more: Members = {}) =>
      flowOf(
        Array.from({ length: count }, (_, place) => ({
          id: `n${place}`,
          type: 'message',
          text: 'x',
          ...more,
        })),
        Array.from({ length: count - 1 }, (_, place) => ({ source: `n${place}`, target: `n${place + 1}` })),
      );
    const many = why(calling({}), calledAs(chain(limits.nodesMax - 2)));
    expect(many).toEqual([expect.stringContaining('10000 nodes')]);
    expect(why(calling({}), calledAs(chain(250, { notes: 'x'.repeat(10_000) })))).toHaveLength(1);
    const long = flowOf([{ id: 'x'.repeat(126), type: 'end' }], []);
    expect(why(calling({}), calledAs(long))).toEqual([
      '/nodes/0/call Ids of nodes would be longer than 128 characters',
    ]);
  });

  test('when `output` names a variable that nothing sets', () => {
    expect(why(calling({ output: ['name', 'nmae'] }), calledAs(naming))).toEqual([
      '/nodes/0/call Flow "naming" sets no variable "nmae"',
    ]);
  });
});

describe('validation', () => {
  const found = (definition: AuthoredFlow) => {
    const validation = validateExpansion(definition, expanded(definition), { stepsMax: 200 });
    const { errors, warnings } = validation;
    const items = [...errors, ...warnings].map(
      ({ code, path, node_id }) => `${code} ${path} ${node_id ?? ''}`,
    );
    return { items, ...validation };
  };

  test('proves the expanded flow, and reports at the authored places', () => {
    const { valid, stats, items } = found(calling({}));
    expect({ valid, items }).toEqual({ valid: true, items: [] });
    expect(stats).toMatchObject({ nodes: 9, max_steps_per_turn: 5 });
  });

  test('knows which variables come back', () => {
    const reading = calling({ output: ['asked'] });
    const nodes = reading.nodes.map((node) =>
      node.id === 'anna' ? { ...node, message: '{{ name }}' } : node,
    );
    expect(found({ ...reading, nodes }).items).toEqual(
      expect.arrayContaining(['variable_maybe_unset /edges/0/variable who']),
    );
    expect(found(calling({ output: ['name'] })).items).toEqual([]);
  });

  test('stands at the call, at its input, or at the node itself', () => {
    const { items } = found(
      calling(
        { input: { greeting: '{{ a + b }}' } },
        { set: [{ variable: 'x' }], graph_constraints: { min_outgoing: 3, min_incoming: 1 } },
      ),
    );
    expect(items).toEqual(
      expect.arrayContaining([
        'template_syntax /nodes/0/call/input/0/to who',
        'set_invalid /nodes/0/set/0 who',
        'constraint_min_outgoing /nodes/0/graph_constraints/min_outgoing who',
        'constraint_min_incoming /nodes/0/graph_constraints/min_incoming who',
      ]),
    );
  });

  test('reports a missing default at the calling node', () => {
    const definition = calling({});
    const open = { ...definition, edges: definition.edges!.slice(0, 1) };
    expect(found(open).items).toContain('missing_default /nodes/0 who');
  });
});

describe('any flow that calls any flow', () => {
  const both = fc.tuple(graph, graph, fc.constantFrom(undefined, [], ['x'], ['x', 'y']));

  test('keeps the bound of its turns, and walks like both flows one after the other', () => {
    let returned = 0;
    fc.assert(
      fc.property(both, fc.array(turn, { minLength: 4, maxLength: 6 }), ([outer, inner, output], turns) => {
        const callee = flowOf(inner.nodes, inner.edges);
        const definition = flowOf(
          [
            {
              id: 'call',
              type: 'branch',
              call: { flow_id: 'naming', version: 2, ...(output && { output }) },
            },
            ...(outer.nodes as Members[]),
          ],
          [{ source: 'call', target: 'a' }, ...(outer.edges as Members[])],
        );
        const expansion = expanded(definition, { [keyOf('naming')]: calledAs(callee) });
        if (expansion.problems.size > 0) return;
        const { stats } = validateExpansion(definition, expansion, { stepsMax: 200 });
        const [whole, part] = [expansion.definition, callee].map((one) => compileFlow(readParsedFlow(one)));
        for (const one of turns) {
          const input = { ...one, currentNode: null, agentMode: 'in_process' as const };
          const together = playOut(whole!, input);
          const alone = playOut(part!, input);
          if (stats.max_steps_per_turn !== null) {
            expect(together.kind).toBe('turn');
            if (together.kind === 'turn')
              expect(together.steps).toBeLessThanOrEqual(stats.max_steps_per_turn);
          }
          if (together.kind !== 'turn' || alone.kind !== 'turn') continue;
          // Up to the end of the called flow, the two say and do the same.
          const said = alone.outputs.map(({ text }) => text);
          expect(together.outputs.slice(0, said.length).map(({ text }) => text)).toEqual(said);
          const path = (together.trace ?? []).map(({ nodeId }) => nodeId);
          expect(path.slice(1, 1 + alone.steps)).toEqual(
            (alone.trace ?? []).map(({ nodeId }) => `call/${nodeId}`),
          );
          if (alone.status === 'completed') {
            returned += 1;
            expect(path[1 + alone.steps]).toBe('call/');
          } else expect(together).toMatchObject({ status: alone.status });
        }
      }),
      { numRuns: 200 },
    );
    expect(returned).toBeGreaterThan(0);
  });
});
