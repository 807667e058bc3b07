// What `set` of a node proves about variables and edges.
import { describe, expect, test } from '@jest/globals';
import { modelOf } from '@parley/flow-engine/testing';
import { validateFlow } from '../../src/validate/validate-flow.ts';

const end = { id: 'end', type: 'end', text: 'Bye' };

describe('set', () => {
  const codes = (nodes: readonly unknown[], edges: readonly unknown[]) => {
    const { errors, warnings, infos } = validateFlow(modelOf(nodes, edges), { stepsMax: 200 });
    return [...errors, ...warnings, ...infos].map(({ code, path }) => `${code} ${path}`);
  };
  const to = (source: string, target: string, more: Record<string, unknown> = {}) => ({
    source,
    target,
    ...more,
  });
  const say = (id: string, set: readonly unknown[], text = 'Hi') => ({ id, type: 'message', text, set });

  test('a set variable is available to all later nodes', () => {
    expect(
      codes([say('m', [{ variable: 'x', to: 1 }]), { ...end, text: '{{ x }}' }], [to('m', 'end')]),
    ).toEqual([]);
  });

  test('a variable cleared on some path may be missing', () => {
    const nodes = [
      say('a', [{ variable: 'x', to: 1 }]),
      say('b', [{ variable: 'x', clear: true }]),
      { ...end, text: '{{ x }}' },
    ];
    const edges = [to('a', 'b', { variable: 'y', op: 'eq', value: 1 }), to('a', 'end'), to('b', 'end')];
    expect(codes(nodes, edges)).toContain('variable_maybe_unset /nodes/2/text');
    expect(codes([nodes[0], nodes[2]], [to('a', 'end')])).toEqual([]);
  });

  test('a variable cleared and set again by one node is set', () => {
    const nodes = [
      say('a', [
        { variable: 'x', clear: true },
        { variable: 'x', to: 1 },
      ]),
      { ...end, text: '{{ x }}' },
    ];
    expect(codes(nodes, [to('a', 'end')])).toEqual([]);
  });

  test.each([
    ['a constant decides', [{ variable: 'x', to: 5 }], { op: 'gt', value: 3 }, ['shadowed_edge /edges/1']],
    [
      'the last one decides',
      [
        { variable: 'x', to: 5 },
        { variable: 'x', to: 1 },
      ],
      { op: 'gt', value: 3 },
      ['contradictory_edge /edges/0'],
    ],
    ['exists after a set', [{ variable: 'x', add: 1 }], { op: 'exists' }, ['shadowed_edge /edges/1']],
    ['not what is read', [{ variable: 'x', to: '{{ y }}' }], { op: 'exists' }, []],
    ['not what is added to', [{ variable: 'x', add: 1 }], { op: 'gt', value: 3 }, []],
    [
      'not what a part was set of',
      [
        { variable: 'x', to: 5 },
        { variable: 'x.y', to: 1 },
      ],
      { op: 'eq', value: 5 },
      [],
    ],
  ])('%s', (_, set, condition, expected) => {
    const nodes = [say('m', set), end, { ...end, id: 'other' }];
    const found = codes(nodes, [to('m', 'end', { variable: 'x', ...condition }), to('m', 'other')]);
    expect(found.filter((code) => /shadowed|contradictory/.test(code))).toEqual(expected);
  });
});
