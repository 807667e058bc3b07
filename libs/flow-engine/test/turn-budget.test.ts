// The cost of a turn: counted, so the same everywhere; refused before the work is done; and a
// refusal changes nothing.
import { describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { limits, TurnBudget, turnResultToWire } from '../src/index.ts';
import { compileCast } from '@parley/answers';
import { compose, foldCase } from '@parley/answers/readings';
import { flowOf, play, playTurn } from './play.ts';

type Members = Readonly<Record<string, unknown>>;

const branch = { id: 'b', type: 'branch' };
const end = { id: 'e', type: 'end' };
const fallback = { source: 'b', target: 'e', default: true };
const edgesOf = (count: number, edge: (place: number) => Members) =>
  Array.from({ length: count }, (_, place) => ({ source: 'b', target: 'e', ...edge(place) }));
const branching = (count: number, edge: (place: number) => Members) =>
  flowOf([branch, end], [...edgesOf(count, edge), fallback]);

/** Generous: the prevented work takes minutes. */
const MS_MAX = 5_000;
/** For a refusal before a gigabyte of text is measured. */
const MEASURED_MS_MAX = 150;
function timed<Outcome>(work: () => Outcome, msMax = MS_MAX): Outcome {
  const started = process.cpuUsage();
  const outcome = work();
  expect(process.cpuUsage(started).user / 1000).toBeLessThan(msMax);
  return outcome;
}
const refused = (cost: string) => ({ kind: 'turn_too_costly', cost });

describe('work that does not depend on the edge is done once a turn', () => {
  test('20,000 edges fold a text of 83,000 combining characters once', () => {
    const flow = branching(20_000, (place) => ({
      variable: 'user_input',
      op: 'starts_with',
      value: `x${place}`,
    }));
    const outcome = timed(() => play(flow, { userInput: 'e\u0301\u0316'.repeat(27_000) }));
    expect(outcome).toMatchObject({ kind: 'turn', status: 'completed' });
  });

  test('a long row of combining marks is folded in proportion to its length', () => {
    const started = process.cpuUsage();
    compose('\u0301'.repeat(50_000) + '\u0316'.repeat(50_000));
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(1_000);
  });

  test('orders up to thirty marks as Unicode does; longer rows compare with themselves', () => {
    const marks = 'a' + '\u0301\u0316'.repeat(15);
    expect(compose(marks)).toBe(marks.normalize('NFC'));
    const more = marks + '\u0301\u0316';
    expect(foldCase(more)).toBe(foldCase(more));
    const flow = branching(1, () => ({ variable: 'user_input', op: 'eq', value: more }));
    expect(playTurn(flow, { userInput: more, trace: true }).trace?.[0]).toMatchObject({ edgeIndex: 0 });
  });
});

describe('a long text is read once a turn', () => {
  test.each(['gt', 'is_true', 'eq', 'between'])('%s', (op) => {
    const value = op === 'between' ? [1, 2] : 1;
    const flow = branching(10_000, () => ({ variable: 'user_input', op, value }));
    const outcome = timed(() => play(flow, { userInput: `${' '.repeat(99_000)}1x` }));
    expect(outcome).toMatchObject({ kind: 'turn', status: 'completed' });
  });
});

describe('refused', () => {
  test('text: 20,000 searches of a long text', () => {
    const flow = branching(20_000, (place) => ({
      variable: 'user_input',
      op: 'contains',
      value: `x${place}`,
    }));
    expect(timed(() => play(flow, { userInput: 'e\u0301'.repeat(41_500) }))).toMatchObject(
      refused('text_characters'),
    );
  });

  test('text: long sought texts that nearly match everywhere', () => {
    const sought = `${'a'.repeat(2_500)}b${'a'.repeat(2_500)}`;
    const flow = branching(300, () => ({ variable: 'user_input', op: 'contains', value: sought }));
    expect(timed(() => play(flow, { userInput: 'a'.repeat(83_000) }))).toMatchObject(
      refused('text_characters'),
    );
  });

  test('text: texts that a template makes for every edge', () => {
    const flow = branching(10_000, (place) => ({ variable: 'x', op: 'eq', value: `${place} {{ y }}` }));
    const outcome = timed(() => play(flow, { variables: { x: 'x', y: 'y'.repeat(90_000) } }));
    expect(outcome).toMatchObject(refused('rendered_characters'));
  });

  test('text: the elements of a list that a template names', () => {
    const flow = branching(500, () => ({ variable: 'x', op: 'in', value: '{{ list }}' }));
    const list = Array.from({ length: 20_000 }, (_, place) => `v${place}`);
    expect(timed(() => play(flow, { variables: { x: 'none', list } }))).toMatchObject(
      refused('text_characters'),
    );
  });

  test('text: the choices of an enum', () => {
    const choices = Array.from({ length: 50_000 }, (_, place) => `choice ${place}`);
    const flow = flowOf([
      { id: 'c', type: 'collect', variable: 'x', cast: 'enum', choices, prompt: 'Which?' },
    ]);
    const outcome = timed(() => play(flow, { currentNode: 'c', userInput: 'é'.repeat(1_000) }));
    expect(['turn', 'turn_too_costly']).toContain(outcome.kind);
  });

  test('patterns: 40 legal ones on 10,000 characters', () => {
    const flow = branching(40, (place) => ({
      variable: 'user_input',
      op: 'matches',
      value: `(?:(?:a|b){${place + 2}}c){20}$`,
    }));
    expect(timed(() => play(flow, { userInput: 'ab'.repeat(5_000) }))).toMatchObject(
      refused('pattern_steps'),
    );
  });

  test('rendering: arguments of 4,000 texts around a large variable', () => {
    const args = Object.fromEntries(Array.from({ length: 4_000 }, (_, place) => [`a${place}`, 'x{{ b }}']));
    const flow = flowOf([{ id: 't', type: 'tool', tool: 'x', args }, end], [{ source: 't', target: 'e' }]);
    expect(timed(() => play(flow, { variables: { b: 'y'.repeat(200_000) } }))).toMatchObject(
      refused('rendered_characters'),
    );
  });

  test('result: arguments of 4,000 times the same large variable', () => {
    const args = Object.fromEntries(Array.from({ length: 4_000 }, (_, place) => [`a${place}`, '{{ b }}']));
    const flow = flowOf([{ id: 't', type: 'tool', tool: 'x', args }, end], [{ source: 't', target: 'e' }]);
    const refusal = timed(() => play(flow, { variables: { b: 'y'.repeat(200_000) } }), MEASURED_MS_MAX);
    expect(refusal).toMatchObject(refused('result_bytes'));
  });

  test('result: a cycle that says a long text again and again', () => {
    const flow = flowOf(
      [
        { id: 'm', type: 'message', text: 'm'.repeat(10_000) },
        { id: 'a', type: 'autonomous', goal: 'x', documents: ['d'.repeat(50_000)] },
      ],
      [
        { source: 'm', target: 'a' },
        { source: 'a', target: 'm' },
      ],
    );
    expect(timed(() => play(flow))).toMatchObject(refused('result_bytes'));
  });

  test('omits a payload of 3,000 times the same large variable', () => {
    const payload = Array.from({ length: 3_000 }, () => '{{ b }}');
    const flow = flowOf([{ id: 'w', type: 'webhook', url: 'https://example.com', payload }]);
    const rendered = () => flow.webhooks[0]!.renderPayload!({ b: 'y'.repeat(200_000) }, new TurnBudget(), 0);
    expect(timed(rendered, MEASURED_MS_MAX)).toBeUndefined();
  });

  test('applies after a question as before it', () => {
    const flow = flowOf(
      [branch, { id: 'm', type: 'branch' }, end],
      [
        { source: 'b', target: 'm', nl: 'wants it' },
        { source: 'b', target: 'e', default: true },
        ...Array.from({ length: 5_000 }, () => ({
          source: 'm',
          target: 'e',
          variable: 'user_input',
          op: 'contains',
          value: 'b',
        })),
        { source: 'm', target: 'e', default: true },
      ],
    );
    const outcome = play(
      flow,
      { userInput: '9x'.repeat(40_000) },
      { classify: [{ kind: 'chosen', index: 0, confidence: 1 }] },
    );
    expect(outcome).toMatchObject(refused('text_characters'));
  });
});

describe('an answer is read within the budget', () => {
  const asking = (members: Members) =>
    flowOf([{ id: 'c', type: 'collect', variable: 'v', ...members }, end], [{ source: 'c', target: 'e' }]);
  const answer = (members: Members, userInput: string) =>
    timed(() => play(asking(members), { currentNode: 'c', userInput }));

  test('choices count with every answer, before they are compiled', () => {
    const choices = Array.from({ length: 60_000 }, (_, place) => `choice ${place}`);
    expect(answer({ cast: 'enum', choices }, 'choice 3')).toMatchObject(refused('text_characters'));
    expect(answer({ cast: 'enum', choices: choices.slice(0, 9) }, 'the choice 3')).toMatchObject({
      input: { status: 'captured' },
    });
  });

  test('the cost of reading grows with the length of the answer', () => {
    const counted = (cast: string, answered: string) => {
      const budget = new TurnBudget();
      const spent = jest.spyOn(budget, 'text');
      compileCast(cast as never, { choices: [answered], defaultRegion: null, units: ['x'] })(answered, {
        nowMs: 0,
        budget,
      });
      return spent.mock.calls.reduce((sum, [characters]) => sum + characters, 0);
    };
    const casts = ['number', 'boolean', 'date', 'time', 'datetime', 'email', 'phone'];
    const pieces = [
      'next monday at five past ',
      'one point two ',
      'yes please ',
      'x ',
      '1.',
      'a hundred and ',
    ];
    for (const cast of casts)
      for (const piece of pieces) {
        const few = counted(cast, piece.repeat(200 / piece.length));
        const many = counted(cast, piece.repeat(800 / piece.length));
        expect([cast, piece, many / Math.max(few, 1_000) < 8]).toEqual([cast, piece, true]);
        expect(many).toBeLessThan(200_000);
      }
  });

  test('an address in brackets, and words around it', () => {
    expect(answer({ cast: 'url' }, '(https://example.com)')).toMatchObject({
      variables: { v: 'https://example.com' },
    });
    const before = process.cpuUsage();
    expect(answer({ cast: 'url' }, `see ${')'.repeat(9_000)}x`)).toMatchObject({ kind: 'turn' });
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(200);
  });

  test('a pattern of a collect node counts as one of a condition', () => {
    const pattern = '(?:\\pL\\pN?){60}!';
    expect(answer({ pattern }, 'aé'.repeat(5_000))).toMatchObject(refused('pattern_steps'));
    expect(answer({ pattern: '^a+$' }, 'AAA')).toMatchObject({ input: { status: 'captured' } });
  });
});

test('a trace is cut at its own budget, and costs the turn nothing', () => {
  const flow = branching(900, (place) => ({
    variable: `v${'x'.repeat(2_000)}`,
    op: 'eq',
    value: `x${place}`,
  }));
  const traced = playTurn(flow, { trace: true });
  const step = traced.trace![0]!;
  expect(step.edges.length).toBeLessThan(900);
  expect(step.edges.length + step.edgesOmitted).toBe(901);
  expect(JSON.stringify(traced.trace).length).toBeLessThan(limits.traceBytesMax * 1.1);
  expect({ ...traced, trace: null }).toEqual(playTurn(flow, {}));
});

test('any flow and any utterance end within the budget or are refused, and a refusal changes nothing', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('{{ x }}', 'a{{ x }}b{{ y }}', '(a|b)*c', '\u0301'.repeat(40)),
  );
  const long = fc
    .tuple(text, fc.integer({ min: 0, max: 20_000 }))
    .map(([piece, times]) => piece.repeat(times).slice(0, 100_000));
  const edge = fc.record({
    source: fc.constantFrom('b', 'm', 't'),
    target: fc.constantFrom('b', 'm', 't', 'e'),
    variable: fc.constantFrom('user_input', 'x', 'y.z'),
    op: fc.constantFrom('contains', 'matches', 'gt', 'eq', 'in', 'starts_with', 'empty'),
    value: text,
  });
  fc.assert(
    fc.property(
      fc.array(edge, { maxLength: 8 }),
      fc.integer({ min: 1, max: 400 }),
      long,
      long,
      (edges, times, userInput, x) => {
        const flow = flowOf(
          [
            branch,
            { id: 'm', type: 'message', text: 'm{{ x }}{{ y }}' },
            { id: 't', type: 'tool', tool: 't', args: { a: ['{{ x }}', '{{ y }}'] } },
            end,
          ],
          [
            ...edges.flatMap((one) => Array.from({ length: times }, () => one)),
            ...['b', 'm', 't'].map((source) => ({ source, target: 'm' })),
          ],
        );
        const variables = { x, y: { z: [x, x] } };
        const before = JSON.stringify(variables);
        const started = process.cpuUsage();
        const outcome = play(flow, { userInput, variables });
        expect(process.cpuUsage(started).user / 1000).toBeLessThan(2_000);
        expect(JSON.stringify(variables)).toBe(before);
        if (outcome.kind === 'turn')
          expect(
            Buffer.byteLength(JSON.stringify({ ...turnResultToWire(outcome), variables: {} })),
          ).toBeLessThan(limits.turnResultBytesMax * 1.1);
        else expect(['turn_too_costly', 'turn_did_not_settle']).toContain(outcome.kind);
      },
    ),
    { numRuns: 60 },
  );
});
