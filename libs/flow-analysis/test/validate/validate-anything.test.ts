// Validation of definitions that no editor would write: nothing makes it throw.
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { validateFlow } from '../../src/index.ts';
import { nodeTypes, operators, parseFlow } from '@parley/flow-engine';

const stepsMax = 5;

/** Members of every kind and none, which rules do not expect. */
const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom(
    '{{',
    '{{ x }}',
    '{{ __proto__.x }}',
    '__proto__',
    'constructor',
    '(',
    'https://[',
    '_flow',
    NaN,
    Infinity,
    -0,
  ),
);
const ids = fc.constantFrom('a', 'b', 'c', 'toString', 'valueOf');
const wildNode = fc.record(
  {
    id: ids,
    type: fc.constantFrom(...Object.keys(nodeTypes), 'teleport', ''),
    ...Object.fromEntries(
      ['text', 'prompt', 'variable', 'cast', 'tool', 'output_var', 'goal', 'message', 'url'].map((name) => [
        name,
        fc.constantFrom('{{ a.b }}', '{{', '{{ x | default: "y" }}', 'x', '_flow', '__proto__', 'x.y[3]', ''),
      ]),
    ),
    args: fc.dictionary(fc.string(), anything),
    tools: fc.array(anything),
    tool_dispatch: fc.dictionary(fc.constantFrom('x', '__proto__', 'toString'), anything),
    extraction: fc.oneof(
      fc.dictionary(fc.constantFrom('properties', 'variables'), anything),
      fc.constant({ variables: [{ name: 'v' }] }),
    ),
    graph_constraints: fc.dictionary(
      fc.constantFrom('min_incoming', 'max_outgoing', 'max_instances', 'toString'),
      anything,
    ),
    max_iterations: fc.double(),
    max_attempts: fc.double(),
    context_vars: fc.array(fc.string()),
    payload: anything,
  },
  { requiredKeys: ['id'] },
);
const wildEdge = fc.record(
  {
    source: ids,
    target: ids,
    variable: fc.constantFrom(
      'x',
      'x.y',
      '__proto__',
      'user_input',
      '_input_status',
      '_attempts',
      'a..b',
      '',
    ),
    op: fc.constantFrom(...Object.keys(operators), '==', 'resembles'),
    value: fc.oneof(anything, fc.array(anything, { maxLength: 3 })),
    nl: fc.constantFrom('yes', ' ', 'no'),
    default: fc.boolean(),
    case_sensitive: fc.boolean(),
  },
  { requiredKeys: ['source', 'target'] },
);

test('never throws, and every reported place exists', () => {
  fc.assert(
    fc.property(
      fc.array(wildNode, { maxLength: 6 }),
      fc.array(wildEdge, { maxLength: 12 }),
      fc.option(ids),
      (nodes, edges, start) => {
        const result = parseFlow({ nodes, edges, start });
        if (!result.ok) return;
        const validation = validateFlow(result.flow, { stepsMax });
        expect(JSON.parse(JSON.stringify(validation))).toEqual(validation);
        const { errors, warnings, infos } = validation;
        for (const { path, edge_index: edge, code } of [...errors, ...warnings, ...infos]) {
          const holder = path
            .split('/')
            .slice(1, -1)
            .reduce<unknown>(
              (at, step) => (at as Record<string, unknown>)[step.replaceAll('~1', '/').replaceAll('~0', '~')],
              { nodes, edges, start },
            );
          expect({ code, path, holder: typeof holder }).toEqual({ code, path, holder: 'object' });
          if (path.startsWith('/edges/')) expect(edge).toBe(Number(path.split('/')[2]));
        }
      },
    ),
    { numRuns: 400 },
  );
});
