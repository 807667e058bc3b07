// Commands and the way back: when they are tried, what they leave unchanged, and where an end that
// resumes goes.
import { describe, expect, test } from '@jest/globals';
import { flowOf, playTurn, texts } from '../../test/play.ts';
import type { Classification } from './turn.ts';

type Members = Readonly<Record<string, unknown>>;

const heard = (source: string, target: string, word: string) => ({
  source,
  target,
  variable: 'user_input',
  op: 'eq',
  value: word,
});
const date = {
  id: 'when',
  type: 'collect',
  prompt: 'When?',
  reprompt: 'A day?',
  variable: 'day',
  cast: 'date',
};

/** Asks for a date, with two commands: help, which comes back, and an agent, who does not. */
function booking(question: Members = {}, command: Members = {}, more: readonly Members[] = []) {
  return flowOf(
    [
      { ...date, ...question },
      { id: 'done', type: 'end', text: 'Booked {{ day }}' },
      { id: 'any', type: 'trigger', on: 'any_turn', ...command },
      { id: 'help', type: 'message', text: 'I book tables.' },
      { id: 'back', type: 'end', text: 'Well then.', resume: true },
      { id: 'desk', type: 'handoff', target: 'desk' },
    ],
    [
      { source: 'when', target: 'done' },
      heard('any', 'help', 'help'),
      heard('any', 'desk', 'agent'),
      { source: 'any', target: 'desk', nl: 'wants to speak to somebody' },
      { source: 'help', target: 'back' },
      ...more,
    ],
  );
}

const chosen = (index: number): Classification => ({ kind: 'chosen', index, confidence: 1 });
const none: Classification = { kind: 'none' };
const at = (userInput: string | null, variables: Members = {}) => ({
  currentNode: 'when',
  userInput,
  variables,
});

describe('a command', () => {
  test('is tried before the cast refuses the words, and uses up no attempt', () => {
    const before = { _flow: { turn: 4, attempts: { when: 1 } }, name: 'Ada' };
    const result = playTurn(booking({ max_attempts: 2 }), at('agent', before));
    expect(result).toMatchObject({
      status: 'handed_off',
      input: { status: 'command', nodeId: 'when', variable: 'day' },
      variables: { _flow: { turn: 5, attempts: { when: 1 } }, name: 'Ada' },
    });
    expect(result.variables).not.toHaveProperty('day');
  });

  test('comes after the conditions of the question, and then discards the answer', () => {
    const own = [{ ...heard('when', 'done', 'agent') }];
    expect(playTurn(booking({ cast: 'string' }, {}, own), at('agent')).variables).toMatchObject({
      day: 'agent',
    });
    const set = [{ variable: 'asked', add: 1 }];
    const result = playTurn(booking({ cast: 'string', set }), at('agent', { day: 'friday' }));
    expect(result.status).toBe('handed_off');
    expect(result.variables).toEqual({ _flow: { turn: 1 }, day: 'friday' });
  });

  test('comes first with priority before', () => {
    const own = [{ ...heard('when', 'done', 'agent') }];
    const flow = booking({ cast: 'string' }, { priority: 'before' }, own);
    expect(playTurn(flow, at('agent')).status).toBe('handed_off');
  });

  test('is never called by silence, not even with a condition that holds for it', () => {
    const more = [{ source: 'any', target: 'desk', variable: 'user_input', op: 'neq', value: 'tomorrow' }];
    const flow = booking({}, { priority: 'before' }, more);
    expect(texts(playTurn(flow, at('  ')))).toEqual(['A day?']);
    expect(texts(playTurn(flow, at(null)))).toEqual(['A day?']);
    expect(playTurn(flow, at('pardon')).status).toBe('handed_off');
  });

  test('is tried at questions only, and only when they wait', () => {
    const flow = flowOf(
      [
        { id: 'hi', type: 'message', text: 'Hi' },
        { id: 'any', type: 'trigger', on: 'any_turn' },
        date,
        { id: 'desk', type: 'handoff' },
      ],
      [{ source: 'hi', target: 'when' }, { source: 'when', target: 'hi' }, heard('any', 'desk', 'agent')],
    );
    expect(playTurn(flow, { userInput: 'agent' }).nextNode).toBe('when');
    expect(playTurn(flow, { userInput: 'agent', currentNode: 'hi' }).nextNode).toBe('when');
  });

  test('needs a trigger of kind any_turn and an edge with a condition', () => {
    expect(texts(playTurn(booking({}, { on: 'call' }), at('agent')))).toEqual(['A day?']);
    const flow = flowOf(
      [date, { id: 'any', type: 'trigger', on: 'any_turn' }, { id: 'e', type: 'end' }],
      [
        { source: 'when', target: 'e' },
        { source: 'any', target: 'e' },
      ],
    );
    expect(flow.commands).toBeNull();
  });

  test('reads the variables as before; the first of up to eight that holds is called', () => {
    const triggers = Array.from({ length: 9 }, (_, place) => ({
      id: `t${place}`,
      type: 'trigger',
      on: 'any_turn',
    }));
    const flow = (place: number) =>
      flowOf(
        [{ ...date, cast: 'string' }, ...triggers, { id: 'e', type: 'end' }],
        [
          { source: 'when', target: 'when' },
          { source: `t${place}`, target: 'e', variable: 'day', op: 'eq', value: 'friday' },
        ],
      );
    expect(playTurn(flow(7), at('monday', { day: 'friday' })).status).toBe('completed');
    expect(playTurn(flow(7), at('friday', { day: 'monday' })).status).toBe('waiting');
    expect(playTurn(flow(8), at('monday', { day: 'friday' })).status).toBe('waiting');
  });
});

describe('one question to the classifier', () => {
  const own = [{ source: 'when', target: 'desk', nl: 'is not sure' }];

  test('lists the edges of the node first, and then those of commands', () => {
    const step = booking({ cast: 'string' }, {}, own);
    const asked = (index: number) =>
      playTurn(step, { ...at('hm'), trace: true }, { classify: [chosen(index)] });
    expect(asked(0)).toMatchObject({ input: { status: 'captured' }, variables: { day: 'hm' } });
    const called = asked(1);
    expect(called).toMatchObject({ input: { status: 'command' }, status: 'handed_off' });
    expect(called.variables).not.toHaveProperty('day');
    expect(called.trace![0]).toMatchObject({
      command: 'any',
      decidedBy: 'classifier',
      edges: [
        { kind: 'deterministic', result: false },
        { kind: 'deterministic', result: false },
        { kind: 'nl', nl: 'is not sure', result: false },
        { kind: 'nl', nl: 'wants to speak to somebody', result: true },
      ],
    });
    expect(playTurn(step, at('hm'), { classify: [none] }).status).toBe('completed');
  });

  test('is asked about refused utterances, with commands only while attempts are left', () => {
    const flow = booking({}, {}, own);
    const called = playTurn(flow, at('a person please'), { classify: [chosen(0)] });
    expect(called).toMatchObject({ status: 'handed_off', input: { status: 'command' } });
    const refused = playTurn(flow, { ...at('hm'), trace: true }, { classify: [none] });
    expect(refused).toMatchObject({
      input: { status: 'no_match' },
      questions: [{ kind: 'classify', nodeId: 'when', outcome: 'none' }],
      variables: { _flow: { attempts: { when: 1 } } },
    });
    expect(refused.trace![0]).toMatchObject({ classifier: { outcome: 'none' }, decidedBy: null });
    expect(refused.trace![0]!.edges).toHaveLength(3);
  });

  test('covers both when a failure is the last one', () => {
    const flow = booking({ max_attempts: 1 }, {}, own);
    expect(playTurn(flow, at('hm'), { classify: [chosen(0)] })).toMatchObject({
      input: { status: 'no_match' },
      status: 'handed_off',
    });
    expect(playTurn(flow, at('hm'), { classify: [chosen(1)] }).input?.status).toBe('command');
    expect(playTurn(flow, at('hm'), { classify: [none] })).toMatchObject({
      input: { status: 'no_match' },
      status: 'completed',
      questions: [{ outcome: 'none' }],
    });
    const given = booking({ max_attempts: 1, default_answer: '2026-12-24' }, {}, own);
    expect(texts(playTurn(given, at('hm'), { classify: [none] }))).toEqual(['Booked 2026-12-24']);
  });

  test('is not asked when the budget is spent, and the failure counts', () => {
    const result = playTurn(booking(), { ...at('hm'), classifierCallsMax: 0 });
    expect(result).toMatchObject({ input: { status: 'no_match' }, questions: [{ outcome: 'budget_spent' }] });
  });

  test('can be answered twice', () => {
    const flow = booking({ cast: 'string' }, {}, own);
    const first = playTurn(flow, at('hm'), { classify: [chosen(1)] });
    expect(playTurn(flow, at('hm'), { classify: [chosen(1)] })).toEqual(first);
  });

  test('comes after the extraction, which a command undoes', () => {
    const extraction = { variables: [{ name: 'who', type: 'string' }] };
    const result = playTurn(
      booking({ cast: 'string', extraction }),
      { ...at('somebody, please'), extractorAvailable: true },
      { extract: [{ kind: 'extracted', values: { who: 'Ada' } }], classify: [chosen(0)] },
    );
    expect(result.input?.status).toBe('command');
    expect(result.variables).toEqual({ _flow: { turn: 1 } });
  });
});

describe('the way back', () => {
  test('asks the interrupted question again, and its failed attempts still count', () => {
    const flow = booking({ max_attempts: 2 });
    const result = playTurn(flow, {
      ...at('help', { _flow: { turn: 1, attempts: { when: 1 } } }),
      trace: true,
    });
    expect(texts(result)).toEqual(['I book tables.', 'Well then.', 'When?']);
    expect(result).toMatchObject({
      status: 'waiting',
      nextNode: 'when',
      lastNode: 'when',
      steps: 4,
      variables: { _flow: { turn: 2, attempts: { when: 1 } } },
    });
    expect(result.variables['_flow']).not.toHaveProperty('interrupted');
    expect(result.trace!.map(({ nodeId, why }) => [nodeId, why]).slice(2)).toEqual([
      ['back', 'goes back to the question that was interrupted'],
      ['when', 'waits for an answer'],
    ]);
    expect(playTurn(flow, at('hm', result.variables), { classify: [none] }).nextNode).toBeNull();
  });

  test('is an ordinary end when nothing was interrupted', () => {
    const result = playTurn(booking(), { currentNode: 'back' });
    expect(result).toMatchObject({ status: 'completed', nextNode: null });
    const stale = { _flow: { turn: 1, interrupted: ['gone', 'help', 7] } };
    expect(playTurn(booking(), { currentNode: 'back', variables: stale })).toMatchObject({
      status: 'completed',
    });
  });

  test('counts against the steps of the turn', () => {
    const flow = booking();
    expect(playTurn(flow, { ...at('help'), stepsMax: 4 }).steps).toBe(4);
    expect(() => playTurn(flow, { ...at('help'), stepsMax: 3 })).toThrow('turn_did_not_settle');
  });
});

/** Four questions in a row, and a command for each that asks one of its own. */
const nested = flowOf(
  [
    ...['q', 'a', 'b', 'c', 'd'].map((id) => ({ id, type: 'collect', prompt: `${id}?`, variable: id })),
    ...['a', 'b', 'c', 'd'].map((id) => ({ id: `on-${id}`, type: 'trigger', on: 'any_turn' })),
    { id: 'over', type: 'end' },
    { id: 'back', type: 'end', resume: true },
  ],
  [
    { source: 'q', target: 'over' },
    ...['a', 'b', 'c', 'd'].flatMap((id) => [
      { source: id, target: 'back' },
      heard(`on-${id}`, id, `ask ${id}`),
    ]),
  ],
);

/**
 * Plays a conversation from the first question: what it asks after each turn, and which questions
 * are interrupted.
 */
function talk(...said: string[]): [string | null, unknown][] {
  let [currentNode, variables]: [string | null, Members] = ['q', {}];
  return said.map((userInput) => {
    const result = playTurn(nested, { currentNode, userInput, variables });
    currentNode = result.nextNode;
    variables = result.variables;
    return [currentNode, (variables['_flow'] as Members)['interrupted']];
  });
}

describe('questions inside questions', () => {
  test('are resumed from the innermost outwards', () => {
    expect(talk('ask a', 'ask b', 'b', 'a', 'q')).toEqual([
      ['a', ['q']],
      ['b', ['q', 'a']],
      ['a', ['q']],
      ['q', undefined],
      [null, undefined],
    ]);
  });

  test('are stored three deep: a fourth is answered, and the question that it interrupted is not resumed', () => {
    expect(talk('ask a', 'ask b', 'ask c', 'ask d', 'd', 'b').slice(2)).toEqual([
      ['c', ['q', 'a', 'b']],
      ['d', ['q', 'a', 'b']],
      ['b', ['q', 'a']],
      ['a', ['q']],
    ]);
  });

  test('that the walk reaches by itself are no longer interrupted, nor are those after them', () => {
    expect(talk('ask a', 'ask a', 'ask b', 'ask a', 'a')).toEqual([
      ['a', ['q']],
      ['a', ['q']],
      ['b', ['q', 'a']],
      ['a', ['q']],
      ['q', undefined],
    ]);
  });

  test('are forgotten when the conversation is over, or begins', () => {
    const variables = { _flow: { turn: 3, interrupted: ['a'] } };
    for (const turn of [{ currentNode: 'q', userInput: 'x' }, {}])
      expect(playTurn(nested, { ...turn, variables }).variables['_flow']).not.toHaveProperty('interrupted');
  });
});

describe('words that answer the question they lead to', () => {
  /** A day, a time and a confirmation; "no, I said Friday" and the like at any of them. */
  const booked = (question: Members = {}, command: Members = {}, more: readonly Members[] = []) =>
    flowOf(
      [
        { ...date, id: 'day', max_attempts: 2, set: [{ variable: 'days', add: 1 }], ...question },
        { id: 'sure', type: 'collect', prompt: '{{ day }}?', variable: 'sure', cast: 'boolean' },
        { id: 'done', type: 'end' },
        { id: 'desk', type: 'handoff' },
        { id: 'fix', type: 'trigger', on: 'any_turn', answers_question: true, ...command },
      ],
      [
        { source: 'day', target: 'sure', default: true },
        { source: 'sure', target: 'done' },
        { source: 'fix', target: 'day', variable: 'user_input', op: 'matches', value: 'said|meant|not' },
        { source: 'fix', target: 'desk', variable: 'user_input', value: 'agent' },
        ...more,
      ],
    );
  const atSure = (userInput: string, variables: Members = { day: '2026-11-21' }) => ({
    currentNode: 'sure',
    userInput,
    variables,
  });

  test('are captured, and its own edges go on to the question that was interrupted', () => {
    const result = playTurn(booked(), { ...atSure('no, I said Friday'), trace: true });
    expect(result).toMatchObject({
      status: 'waiting',
      nextNode: 'sure',
      input: { status: 'captured', nodeId: 'day', variable: 'day' },
      visited: ['sure', 'day', 'sure'],
      taken: [2, 0],
    });
    expect(texts(result)).toEqual(['2026-11-20?']);
    expect(result.variables).toEqual({ _flow: { turn: 1 }, day: '2026-11-20', days: 1 });
    expect(result.trace!.map(({ nodeId, command, input }) => [nodeId, command, input?.status])).toEqual([
      ['sure', 'fix', 'command'],
      ['day', undefined, 'captured'],
      ['sure', undefined, undefined],
    ]);
  });

  test('that are no answer, or out of bounds, are no failure: the question is asked', () => {
    for (const said of ['no, not that', 'no, I said yesterday']) {
      const before = { day: '2026-11-21', _flow: { turn: 1, attempts: { day: 1 } } };
      const result = playTurn(booked({ min: 'today' }), atSure(said, before));
      expect(texts(result)).toEqual(['When?']);
      expect(result).toMatchObject({ nextNode: 'day', input: { status: 'command', nodeId: 'sure' } });
      expect(result.variables).toEqual({ day: '2026-11-21', _flow: { turn: 2, interrupted: ['sure'] } });
    }
  });

  test('also answer the same question, and its failed attempts are forgotten', () => {
    const before = { _flow: { turn: 1, attempts: { day: 1 } } };
    const flow = booked({}, { priority: 'before' });
    const result = playTurn(flow, { currentNode: 'day', userInput: 'I said Friday', variables: before });
    expect(result).toMatchObject({ visited: ['day', 'day', 'sure'], nextNode: 'sure' });
    expect(result.variables['_flow']).toEqual({ turn: 2 });
  });

  test('call no other command, and answer only the first question', () => {
    const more = [
      { source: 'fix', target: 'desk', variable: 'user_input', op: 'contains', value: 'friday' },
      { source: 'day', target: 'day', variable: 'days', op: 'eq', value: 1 },
    ];
    const result = playTurn(booked({}, {}, more), atSure('no, I said Friday'));
    expect(result).toMatchObject({ visited: ['sure', 'day', 'day'], nextNode: 'day', status: 'waiting' });
    expect(texts(result)).toEqual(['When?']);
  });

  test('need a command with answers_question whose edge leads to a question', () => {
    for (const answers_question of [false, null, 'yes', 1])
      expect(playTurn(booked({}, { answers_question }), atSure('I said Friday')).nextNode).toBe('day');
    expect(playTurn(booked(), atSure('agent')).status).toBe('handed_off');
  });

  test('may be chosen by the classifier, and go through extraction and a question of their own', () => {
    const more = [
      { source: 'fix', target: 'day', nl: 'corrects the day' },
      { source: 'day', target: 'desk', nl: 'is angry' },
    ];
    const extraction = { variables: [{ name: 'who', type: 'string' }] };
    const result = playTurn(
      booked({ extraction }, {}, more),
      { ...atSure('Friday'), extractorAvailable: true },
      { classify: [chosen(0), none], extract: [{ kind: 'extracted', values: { who: 'Ada' } }] },
    );
    expect(result).toMatchObject({ nextNode: 'sure', variables: { day: '2026-11-20', who: 'Ada' } });
    expect(result.questions.map(({ nodeId, outcome }) => [nodeId, outcome])).toEqual([
      ['sure', 'chosen'],
      ['day', 'extracted'],
      ['day', 'none'],
    ]);
  });

  test('count against the steps of the turn', () => {
    const turn = atSure('no, I said Friday');
    expect(playTurn(booked(), { ...turn, stepsMax: 3 }).steps).toBe(3);
    for (const stepsMax of [1, 2])
      expect(() => playTurn(booked(), { ...turn, stepsMax })).toThrow('turn_did_not_settle');
  });
});
