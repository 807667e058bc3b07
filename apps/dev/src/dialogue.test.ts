import { describe, expect, test } from '@jest/globals';
import { answerLines, callerLines } from './dialogue.ts';
import type { Action, Turn } from './dialogue.ts';
import type { Line } from './example-files.ts';

const turn = (members: Partial<Turn>): Turn => ({
  version: 1,
  status: 'waiting',
  next_node: 'ask',
  outputs: [],
  actions: [],
  variables: {},
  ...members,
});

describe('what the caller does', () => {
  test.each<[string, Line, boolean, string[]]>([
    ['nothing, to open a conversation', { user_input: null }, true, []],
    ['silence later on', { user_input: null }, false, ['    caller  (silence)']],
    ['an empty text', { user_input: '' }, false, ['    caller  (silence)']],
    ['a sentence', { user_input: 'Ada' }, true, ['    caller  Ada']],
    [
      'a result, then a sentence',
      { user_input: 'yes', variables: { slot: { free: true } } },
      false,
      ['            ← slot = {"free":true}', '    caller  yes'],
    ],
    [
      'the result of a tool, and no silence',
      { tool_result: { result: { free: true } } },
      false,
      ['            ← result {"free":true}'],
    ],
    [
      'the error of a tool',
      { tool_result: { error: { code: 'timeout', message: 'no answer' } } },
      false,
      ['            ← error timeout: no answer'],
    ],
    [
      'a handoff that failed',
      { handoff_result: { status: 'failed', reason: 'nobody there' } },
      false,
      ['            ← handoff failed: nobody there'],
    ],
    [
      'a handoff that returned',
      { handoff_result: { status: 'returned' } },
      false,
      ['            ← handoff returned'],
    ],
  ])('%s', (_, line, opens, lines) => expect(callerLines(line, opens)).toEqual(lines));
});

describe('what the flow answers', () => {
  test('texts, then actions, then how it ended', () =>
    expect(
      answerLines(
        turn({
          status: 'handed_off',
          outputs: [{ text: 'One moment.' }, { text: 'Goodbye.' }],
          actions: [{ type: 'tool', tool: 'note', args: { n: 1 } }],
        }),
      ),
    ).toEqual([
      '    bot     One moment.',
      '    bot     Goodbye.',
      '            → tool note {"n":1}',
      '            (handed off)',
    ]));

  test.each<[string, Action, string]>([
    ['a tool without arguments', { type: 'tool', tool: 'ping' }, 'tool ping {}'],
    ['a handoff', { type: 'handoff', target: 'desk', reason: 'why' }, 'handed to desk: why'],
    ['a handoff without a target', { type: 'handoff' }, 'handed to a person'],
    [
      'a run spec',
      { type: 'autonomous', goal: 'Help', tools: [{ name: 'a' }, { name: 'b' }] },
      'agent "Help", to be run with a, b',
    ],
    [
      'an agent that ran',
      { type: 'autonomous', goal: 'Help', status: 'goal_reached' },
      'agent "Help", goal_reached',
    ],
  ])('%s', (_, action, text) =>
    expect(answerLines(turn({ actions: [action] }))).toEqual([`            → ${text}`]),
  );
});
