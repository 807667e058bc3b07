// Validation of nodes that wait for their caller, and of engine variables.
import { expect, test } from '@jest/globals';
import { validateFlow } from '../../src/index.ts';
import { ask, branch, end, flow, handoff, say, to, tool, when, type Definition } from '../examples/pieces.ts';
import { modelOf } from '@parley/flow-engine/testing';

const waiting = (id: string, outputVar?: string) => tool(id, outputVar, { wait_for_result: true });
const returning = (id: string) => handoff(id, { target: 'desk', returns: true });

function found({ nodes, edges }: Definition) {
  const { errors, warnings, infos, stats, required_variables } = validateFlow(modelOf(nodes, edges), {
    stepsMax: 200,
  });
  const codes = [...errors, ...warnings, ...infos].map(({ code, edge_index, node_id }) => [
    code,
    ...(edge_index === undefined ? (node_id === undefined ? [] : [node_id]) : [edge_index]),
  ]);
  return { codes, steps: stats.max_steps_per_turn, required: required_variables };
}

const saying = (text: string) => end('end', { text });

test.each<[string, Definition, unknown[]]>([
  ['a flow in order', flow([waiting('t', 'x'), end()], [to('t', 'end')]), []],
  [
    'a cycle that waits for a tool is not silent',
    flow([waiting('t', 'x'), end()], [when('t', 'end', 'x', 'exists'), to('t', 't')]),
    [],
  ],
  [
    'a cycle of a tool alone is a trap',
    flow([waiting('t', 'x'), end()], [to('t', 't')]),
    [
      ['unreachable_node', 'end'],
      ['no_path_to_terminal', 't'],
      ['trap_cycle', 't'],
    ],
  ],
  ['a tool without a way on is a dead end', flow([waiting('t', 'x')]), [['dead_end', 't']]],
  [
    'the result is there when the tool did not fail',
    flow(
      [waiting('t', 'x'), saying('{{ x }}'), end('no')],
      [when('t', 'end', '_tool_status', 'eq', 'ok'), to('t', 'no')],
    ),
    [],
  ],
  [
    'and when its failure was taken out before',
    flow(
      [waiting('t', 'x'), saying('{{ x }}'), end('no')],
      [when('t', 'no', '_tool_status', 'eq', 'error'), to('t', 'end')],
    ),
    [],
  ],
  [
    'it may be missing after an error',
    flow([waiting('t', 'x'), saying('{{ x }}')], [to('t', 'end')]),
    [['variable_maybe_unset', 'end']],
  ],
  [
    'another status proves nothing',
    flow(
      [waiting('t', 'x'), saying('{{ x }}'), end('no')],
      [when('t', 'end', '_input_status', 'eq', 'captured'), to('t', 'no')],
    ),
    [
      ['contradictory_edge', 0],
      ['variable_maybe_unset', 'end'],
    ],
  ],
  [
    'a promise of a tool before is kept',
    flow([tool('before', 'y'), waiting('t', 'x'), saying('{{ y }}')], [to('before', 't'), to('t', 'end')]),
    [],
  ],
  [
    'no other status, and no third one',
    flow(
      [waiting('t', 'x'), end(), end('no')],
      [
        when('t', 'end', '_tool_status', 'eq', 'done'),
        when('t', 'end', '_tool_status', 'in', ['ok', 'error']),
        to('t', 'no'),
      ],
    ),
    [
      ['shadowed_edge', 2],
      ['contradictory_edge', 0],
    ],
  ],
  [
    'both statuses need no default',
    flow(
      [waiting('t', 'x'), end(), end('no')],
      [when('t', 'end', '_tool_status', 'eq', 'ok'), when('t', 'no', '_tool_status', 'neq', 'ok')],
    ),
    [],
  ],
  [
    'a handoff that returns has ways on, and may be the end',
    flow([returning('h'), ask('q', null)], [to('h', 'q'), to('q', 'h')]),
    [['collect_without_variable', 'q']],
  ],
  [
    'only one that returns has them',
    flow([handoff('h', { target: 'desk' }), end()], [to('h', 'end')]),
    [
      ['terminal_has_outgoing', 0],
      ['unreachable_node', 'end'],
    ],
  ],
  [
    'what became of it',
    flow(
      [returning('h'), end(), end('back')],
      [
        when('h', 'end', '_handoff_status', 'eq', 'failed'),
        when('h', 'back', '_handoff_status', 'eq', 'returned'),
        when('h', 'back', '_tool_status', 'exists'),
      ],
    ),
    [['contradictory_edge', 2]],
  ],
  [
    'of the day of the week there are seven',
    flow(
      [branch('b'), end(), end('no')],
      [
        when('b', 'end', '_weekday', 'in', ['Saturday', 'Sunday']),
        when('b', 'no', '_weekday', 'eq', 'caturday'),
        when('b', 'no', '_today', 'gte', '2026-01-01'),
        when('b', 'no', '_now', 'exists'),
        to('b', 'no'),
      ],
    ),
    [
      ['shadowed_edge', 4],
      ['contradictory_edge', 1],
    ],
  ],
  [
    'nobody has to bring the time',
    flow([saying('{{ _now }} {{ _today }} {{ _weekday }} {{ _tool_status }}')]),
    [],
  ],
  [
    'nobody may set it',
    flow(
      [say('m', { text: 'Hi', set: [{ variable: '_today', to: 'x' }] }), waiting('t', '_now'), end()],
      [to('m', 't'), to('t', 'end')],
    ),
    [
      ['set_invalid', 'm'],
      ['output_var_collision', 't'],
    ],
  ],
  [
    'a letter is missing',
    flow([tool('t', 'x', { wait_for_resut: true }), end()], [to('t', 'end')]),
    [['unknown_member', 't']],
  ],
])('%s', (_, definition, expected) => {
  const { codes, required } = found(definition);
  expect(codes).toEqual(expected);
  expect(required).toEqual([]);
});

test('a turn is as long as the way from one wait to the next, for every kind of wait', () => {
  const nodes = [say('a', { text: 'a' }), waiting('t', 'x'), say('b', { text: 'b' }), returning('h'), end()];
  const edges = [to('a', 't'), to('t', 'b'), to('b', 'h'), to('h', 'end')];
  expect(found(flow(nodes, edges)).steps).toBe(3);
});
