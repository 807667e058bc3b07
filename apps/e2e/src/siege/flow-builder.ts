// Attacks on the flow builder. Each held up or ended a process before turns had budgets and heavy
// work had threads.
import { times, type Attack } from './attack.ts';
import type { AttackRequest } from './send.ts';

type Members = Readonly<Record<string, unknown>>;

const service = 'flow-builder';
const end = { id: 'e', type: 'end' };
const day = (place: number): string => new Date(Date.UTC(1900, 0, 1 + place)).toISOString().slice(0, 10);

/** A branch with `count` conditions. */
function branching(count: number, edge: (place: number) => Members) {
  return {
    nodes: [{ id: 'b', type: 'branch' }, end],
    edges: [
      ...times(count, (place) => ({ source: 'b', target: 'e', ...edge(place) })),
      { source: 'b', target: 'e', default: true },
    ],
  };
}

const create = (flow_id: string, definition: object): AttackRequest => ({
  method: 'POST',
  path: '/v1/flows',
  body: { flow_id, definition },
});
const execute = (flow_id: string, body: Members = {}): AttackRequest => ({
  method: 'POST',
  path: `/v1/flows/${flow_id}/execute`,
  body,
});
const validate = (definition: object): AttackRequest => ({
  method: 'POST',
  path: '/v1/flows/none/validate',
  body: { definition },
});
const toolWith = (args: Members) => ({
  nodes: [{ id: 't', type: 'tool', tool: 'x', args }, end],
  edges: [{ source: 't', target: 'e' }],
});
/** Pseudo-random edges, the same in every run. Graphviz takes minutes to lay them out. */
const targets = times(400, () => 0);
targets.reduce((state, _, place) => {
  const next = (state * 48_271) % 2_147_483_647;
  targets[place] = next % 200;
  return next;
}, 1);
const large = 'y'.repeat(200_000);
/** A collect node. */
const collecting = (members: Members) => ({
  nodes: [{ id: 'c', type: 'collect', variable: 'v', prompt: '?', ...members }, end],
  edges: [{ source: 'c', target: 'e' }],
});
const answering = (flow_id: string, user_input: string): AttackRequest =>
  execute(flow_id, { current_node: 'c', user_input });

export const flowBuilderAttacks: readonly Attack[] = [
  {
    name: 'diagram as svg of 200 nodes and 400 edges',
    service,
    prepare: (round) => [
      create(`siege-svg-${round}`, {
        nodes: times(200, (place) => ({ id: `n${place}`, type: 'branch' })),
        edges: times(400, (place) => ({
          source: `n${(place * 7) % 200}`,
          target: `n${targets[place]}`,
          ...(place % 3 === 0 ? { default: true } : { variable: 'x', op: 'eq', value: place }),
        })),
      }),
    ],
    request: (round) => ({ method: 'GET', path: `/v1/flows/siege-svg-${round}/diagram?format=svg` }),
    expected: [200, 422],
  },
  {
    name: 'execute: 20,000 contains over 83,000 combining characters',
    service,
    prepare: (round) => [
      create(
        `siege-contains-${round}`,
        branching(20_000, (place) => ({ variable: 'user_input', op: 'contains', value: `x${place}` })),
      ),
    ],
    request: (round) => execute(`siege-contains-${round}`, { user_input: 'e\u0301'.repeat(41_500) }),
    expected: [422],
  },
  {
    name: 'execute: one comparison with 100,000 combining marks in the wrong order',
    service,
    short: true,
    prepare: (round) => [
      create(
        `siege-marks-${round}`,
        branching(1, () => ({ variable: 'user_input', op: 'eq', value: 'x' })),
      ),
    ],
    request: (round) =>
      execute(`siege-marks-${round}`, { user_input: '\u0301'.repeat(50_000) + '\u0316'.repeat(50_000) }),
    expected: [200, 422],
  },
  {
    name: 'validate: 250 patterns (?:a?){999}',
    service,
    short: true,
    request: () =>
      validate(branching(250, (place) => ({ variable: 'x', op: 'matches', value: `(?:a?){999}${place}` }))),
    expected: [200],
  },
  {
    name: 'validate: 16,000 gt on dates',
    service,
    request: () => validate(branching(16_000, (place) => ({ variable: 'x', op: 'gt', value: day(place) }))),
    expected: [200, 422],
  },
  {
    name: 'execute: 40 legal patterns on 10,000 characters',
    service,
    short: true,
    prepare: (round) => [
      create(
        `siege-patterns-${round}`,
        branching(40, (place) => ({
          variable: 'user_input',
          op: 'matches',
          value: `(?:\\pL\\pN?){${20 + place}}!`,
        })),
      ),
    ],
    request: (round) => execute(`siege-patterns-${round}`, { user_input: 'aé'.repeat(5_000) }),
    expected: [422],
  },
  {
    name: 'simulate: 20 turns of 50 kB, each captured and repeated',
    service,
    prepare: (round) => [
      create(`siege-simulate-${round}`, {
        nodes: times(20, (place) => ({
          id: `c${place}`,
          type: 'collect',
          variable: `v${place}`,
          prompt: `{{ v${Math.max(0, place - 1)} }}`,
        })),
        edges: times(20, (place) => ({ source: `c${place}`, target: `c${(place + 1) % 20}` })),
      }),
    ],
    request: (round) => ({
      method: 'POST',
      path: `/v1/flows/siege-simulate-${round}/simulate?trace=true`,
      body: { utterances: times(20, (place) => 'abcdefghijklmnopqrst'[place]!.repeat(50_000)) },
    }),
    expected: [200, 422],
  },
  {
    name: 'tests/run: 200 tests of 900 kB',
    service,
    prepareOnce: () => [
      create('siege-tests', {
        nodes: [{ id: 'm', type: 'message', text: 'Hi.' }, end],
        edges: [{ source: 'm', target: 'e' }],
      }),
      ...times(200, (place): AttackRequest => ({
        method: 'PUT',
        path: `/v1/flows/siege-tests/tests/t${place}`,
        body: { variables: { x: 'x'.repeat(900_000) }, turns: [{ expect: { variables: { x: 'other' } } }] },
      })),
    ],
    request: () => ({ method: 'POST', path: '/v1/flows/siege-tests/tests/run', body: {} }),
    expected: [200, 422],
  },
  {
    name: 'execute: arguments of 4,000 times a large variable',
    service,
    short: true,
    prepare: (round) => [
      create(
        `siege-args-${round}`,
        toolWith(Object.fromEntries(times(4_000, (place) => [`a${place}`, '{{ b }}']))),
      ),
    ],
    request: (round) => execute(`siege-args-${round}`, { variables: { b: large } }),
    expected: [422],
  },
  {
    name: 'execute: arguments of 4,000 texts around a large variable',
    service,
    prepare: (round) => [
      create(
        `siege-texts-${round}`,
        toolWith(Object.fromEntries(times(4_000, (place) => [`a${place}`, 'x{{ b }}']))),
      ),
    ],
    request: (round) => execute(`siege-texts-${round}`, { variables: { b: large } }),
    expected: [422],
  },
  {
    name: 'execute: a webhook payload of 3,000 times a large variable',
    service,
    prepare: (round) => [
      create(`siege-payload-${round}`, {
        nodes: [
          end,
          {
            id: 'w',
            type: 'webhook',
            url: 'https://example.com/hook',
            payload: { all: times(3_000, () => '{{ b }}') },
          },
        ],
      }),
    ],
    request: (round) => execute(`siege-payload-${round}`, { variables: { b: large } }),
    expected: [200],
  },
  {
    name: 'diff of two flows of 10,000 nodes',
    service,
    prepareOnce: () => {
      const flow = (text: string) => ({
        nodes: [
          ...times(9_998, (place) => ({ id: `n${place}`, type: 'message', text: `${text}${place}` })),
          end,
        ],
        edges: times(9_998, (place) => ({
          source: `n${place}`,
          target: place === 9_997 ? 'e' : `n${place + 1}`,
        })),
      });
      return [
        create('siege-diff', { nodes: [end] }),
        { method: 'PATCH', path: '/v1/flows/siege-diff', body: { definition: flow('a') } },
        { method: 'PATCH', path: '/v1/flows/siege-diff', body: { definition: flow('b') } },
      ];
    },
    request: () => ({ method: 'GET', path: '/v1/flows/siege-diff/diff?from=2&to=3' }),
    expected: [200, 422],
  },
  {
    name: 'validate: 200 patterns under another name of the operator, in a small flow',
    service,
    short: true,
    request: () =>
      validate(branching(200, (place) => ({ variable: 'x', op: 'regex', value: `a{999}${place}` }))),
    expected: [200],
  },
  {
    name: 'execute: one of 90,000 choices, with the first answer to a flow just loaded',
    service,
    prepare: (round) => [
      create(
        `siege-choices-${round}`,
        collecting({ cast: 'enum', choices: times(90_000, (place) => `choice ${place}`) }),
      ),
    ],
    request: (round) => answering(`siege-choices-${round}`, 'choice none'),
    expected: [422],
  },
  {
    name: 'execute: a url in 9,900 brackets',
    service,
    short: true,
    prepare: (round) => [create(`siege-url-${round}`, collecting({ cast: 'url' }))],
    request: (round) => answering(`siege-url-${round}`, `see ${')'.repeat(9_900)}x`),
    expected: [200],
  },
  {
    name: 'execute: an answer of 1,000 characters, all of them words of the grammar',
    service,
    short: true,
    prepare: (round) => [create(`siege-date-${round}`, collecting({ cast: 'datetime' }))],
    request: (round) => answering(`siege-date-${round}`, 'next monday at five past '.repeat(40)),
    expected: [200],
  },
  {
    name: 'diagram as mermaid of 10,000 nodes and 18,000 edges',
    service,
    prepareOnce: () => [
      create('siege-mermaid', { nodes: [end] }),
      {
        method: 'PATCH',
        path: '/v1/flows/siege-mermaid',
        body: {
          definition: {
            nodes: times(10_000, (place) => ({ id: `n${place}`, type: 'message', text: `"<${place}>"` })),
            edges: times(18_000, (place) => ({
              source: `n${place % 10_000}`,
              target: `n${(place * 7) % 10_000}`,
              nl: `#${place}`,
            })),
          },
        },
      },
    ],
    request: () => ({ method: 'GET', path: '/v1/flows/siege-mermaid/diagram?format=mermaid' }),
    expected: [200, 422],
  },
  {
    name: 'execute: webhook nodes whose address and headers cannot be sent',
    service,
    short: true,
    prepare: (round) => [
      create(`siege-webhooks-${round}`, {
        nodes: [
          end,
          ...times(9, (place) => ({
            id: `w${place}`,
            type: 'webhook',
            url: 'https://example.com/{{ path }}',
            headers: { 'x-name': '{{ name }}' },
          })),
        ],
      }),
    ],
    request: (round) =>
      execute(`siege-webhooks-${round}`, { variables: { name: 'two\nlines', path: 'x'.repeat(100_000) } }),
    expected: [200],
  },
  {
    name: 'createApiKey with endless scopes',
    service,
    short: true,
    request: () => ({
      method: 'POST',
      path: '/v1/api-keys',
      body: { name: 'siege', scopes: times(150_000, (place) => (place % 2 === 0 ? 'read' : 'x')) },
    }),
    expected: [400],
  },
  {
    name: 'createFlow with 190,000 unknown members',
    service,
    short: true,
    request: () => ({
      method: 'POST',
      path: '/v1/flows',
      body: Object.fromEntries(times(190_000, (place) => [place.toString(36), 1])),
    }),
    expected: [400],
  },
];
