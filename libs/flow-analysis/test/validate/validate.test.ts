// Validation, code by code on the examples of examples/, and the shape of its result.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { validateFlow, validationCodes, type ValidationCode } from '../../src/index.ts';
import { parseFlow, type FlowModel } from '@parley/flow-engine';
import { besideCommands } from '../examples/beside-commands.ts';
import { besideSets } from '../examples/known-values.ts';
import { examples } from '../examples/index.ts';
import { agent, ask, branch, end, flow, say, to, tool, when } from '../examples/pieces.ts';

const stepsMax = 5;

function parsed(definition: unknown): FlowModel {
  const result = parseFlow(definition);
  if (!result.ok) throw new Error(`not a definition: ${JSON.stringify(result.problems)}`);
  return result.flow;
}

function found(definition: unknown) {
  const { errors, warnings, infos } = validateFlow(parsed(definition), {
    stepsMax,
    hasExtractor: false,
    models: ['small', 'large'],
  });
  return [
    ...errors.map((item) => ({ severity: 'error', ...item })),
    ...warnings.map((item) => ({ severity: 'warning', ...item })),
    ...infos.map((item) => ({ severity: 'info', ...item })),
  ];
}

describe.each([
  ...Object.entries(examples),
  ...Object.entries(besideCommands),
  ...Object.entries(besideSets),
])('%s', (code, { shown, notShown }) => {
  const spec = validationCodes[code as ValidationCode];

  test.each(shown)('is found: $because', ({ flow, at, severity, witness }) => {
    const items = found(flow).filter((item) => item.code === code);
    expect(items.map(({ path }) => path)).toContain(at);
    const item = items.find(({ path }) => path === at)!;
    expect(item.severity).toBe(severity ?? spec.severity);
    expect(item.hint).toBe(spec.hint);
    expect(item.message).not.toBe('');
    if (witness !== undefined) expect(item.witness).toEqual(witness);
  });

  test.each(notShown)('is not found: $because', ({ flow }) => {
    expect(found(flow).filter((item) => item.code === code)).toEqual([]);
  });
});

test('every code has examples and near misses', () => {
  const bare = Object.entries(examples).filter(
    ([, { shown, notShown }]) => !shown.length || !notShown.length,
  );
  expect(bare.map(([code]) => code)).toEqual([]);
  expect(Object.keys(examples).sort()).toEqual(Object.keys(validationCodes).sort());
});

describe('the result', () => {
  test('has the members of the specification', () => {
    const definition = flow(
      [
        ask('q', 'name', { prompt: 'Hi {{ greeting }}' }),
        branch('b'),
        tool('t', 'found', { args: { account: '{{ account.id }}', also: '{{ greeting }}' } }),
        say('m', { text: '{{ name }}' }),
        end(),
        end('island'),
      ],
      [to('q', 'b'), when('b', 't', 'vip', '==', true), to('b', 'm'), to('t', 'm'), to('m', 'end')],
    );
    const { errors, warnings, infos, ...rest } = validateFlow(parsed(definition), { stepsMax });
    expect(rest).toEqual({
      valid: true,
      stats: { nodes: 6, edges: 5, reachable: 5, terminals: 2, max_steps_per_turn: 5 },
      required_variables: ['account', 'greeting', 'vip'],
    });
    expect(errors).toEqual([]);
    expect(warnings.map(({ code }) => code)).toEqual([
      'unreachable_node',
      'variable_never_set',
      'variable_never_set',
      'variable_never_set',
    ]);
    expect(infos).toEqual([
      {
        code: 'op_alias',
        message: '== means eq',
        hint: validationCodes.op_alias.hint,
        node_id: 'b',
        edge_index: 1,
        path: '/edges/1/op',
      },
    ]);
  });

  test('lists a hundred of a kind and counts the rest', () => {
    const islands = Array.from({ length: 250 }, (_, at) => end(`island${at}`));
    const items = found(flow([end(), ...islands]));
    expect(items).toHaveLength(101);
    expect(items.at(-1)).toMatchObject({
      code: 'unreachable_node',
      message: '150 more of these are not listed',
      path: '',
    });
  });

  test('truncates a long witness in the middle', () => {
    const ids = Array.from({ length: 200 }, (_, at) => `n${at}`);
    const ring = flow(
      ids.map((id) => say(id)),
      ids.map((id, at) => to(id, ids[(at + 1) % 200]!)),
    );
    const [{ witness = [] } = {}] = found(ring).filter(({ code }) => code === 'silent_cycle');
    expect(witness).toHaveLength(51);
    expect([witness[0], witness[24], witness[25], witness[26], witness[50]]).toEqual([
      'n0',
      'n24',
      '…',
      'n176',
      'n0',
    ]);
  });

  test('lists the variables that the flow does not set itself, in alphabetical order', () => {
    const definition = flow(
      [
        ask('q', 'user.name'),
        agent('a', { goal: '{{ zeta }}', context_vars: ['alpha', 'user'] }),
        end('end', {
          text: '{{ user.age }} {{ beta.x[0] }} {{ optional | default: "-" }} {{ user_input }} {{ timezone }}',
        }),
      ],
      [to('q', 'a'), to('a', 'end')],
    );
    expect(validateFlow(parsed(definition), { stepsMax }).required_variables).toEqual([
      'alpha',
      'beta',
      'user.age',
      'zeta',
    ]);
  });

  test('lets a development stack allow endpoints', () => {
    const definition = flow(
      [
        agent('a', {
          goal: 'Settle it',
          tools: ['pay', 'refund'],
          tool_dispatch: { pay: { url: 'http://127.0.0.1:9' }, refund: { url: 'http://10.0.0.1' } },
        }),
        end(),
      ],
      [to('a', 'end')],
    );
    const allowsUrl = (url: URL) => url.hostname === '127.0.0.1';
    const { errors } = validateFlow(parsed(definition), { stepsMax, allowsUrl });
    expect(errors.map(({ path }) => path)).toEqual(['/nodes/0/tool_dispatch/refund/url']);
  });
});

const flowsFolder = new URL('../flows/', import.meta.url);

test.each(readdirSync(flowsFolder))('nothing is wrong with %s', (name) => {
  const definition: unknown = JSON.parse(readFileSync(new URL(name, flowsFolder), 'utf8'));
  const { errors, warnings } = validateFlow(parsed(definition), { stepsMax: 200 });
  expect([...errors, ...warnings]).toEqual([]);
});

test.each([
  ['no provider is configured', [], ['warning']],
  ['nothing is known of the models', undefined, []],
] as const)('a model of the flow where %s', (_why, models, severities) => {
  const definition = flow([say('a'), end(), { id: 'all', type: 'global', model: 'huge' }], [to('a', 'end')]);
  const { errors, warnings } = validateFlow(parsed(definition), { stepsMax, models });
  const named = [
    ...errors.map(({ code }) => ({ code, severity: 'error' })),
    ...warnings.map(({ code }) => ({ code, severity: 'warning' })),
  ];
  expect(named.filter(({ code }) => code === 'model_unknown').map(({ severity }) => severity)).toEqual(
    severities,
  );
});
