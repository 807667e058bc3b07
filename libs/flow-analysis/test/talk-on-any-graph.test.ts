// Agents that talk on random graphs, beside a second walker: in process and out of band, each text
// spoken once, exact bounds, bounded memory, and exact replay.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { limits, walkTurn, type AgentOutcome, type CallerAnswer, type TurnInput } from '@parley/flow-engine';
import { turnOf } from '@parley/flow-engine/testing';
import { startReplay } from '../src/explain/replay.ts';
import type { RecordedTurn } from '../src/explain/recorded-turn.ts';
import { recordPlayed, versionOf } from './recording.ts';
import {
  longestTalkTurn,
  talkByThePage,
  talkFlows,
  type Run,
  type TalkState,
  type TalkTurn,
} from './talk-walker.ts';
import { check, type CheckedFlow } from './validation-flows.ts';

const run = fc.record({
  status: fc.constantFrom<Run['status']>(
    ...Array<'replied'>(8).fill('replied'),
    'goal_reached',
    'max_iterations',
    'budget_exhausted',
    'error',
  ),
  branch: fc.constantFrom(null, null, null, 0, 1, 7),
  isSilent: fc.boolean(),
});
const events = fc.array(
  fc.record({
    said: fc.constantFrom('hello', 'yes', 'two words', null),
    open: fc.uniqueArray(fc.integer({ min: 0, max: 11 }), { maxLength: 3 }),
    runs: fc.array(run, { minLength: 12, maxLength: 12 }),
  }),
  { minLength: 6, maxLength: 14 },
);

type Bag = Readonly<Record<string, unknown>>;

/** The words that the agent says, numbered, so that none is said twice. */
function makeAgent(runs: readonly (Run & { readonly isSilent: boolean })[]) {
  let number = 0;
  return {
    next: () => {
      const { isSilent, ...how } = runs[number % runs.length]!;
      number += 1;
      const saysNothing = how.status === 'error' || (isSilent && how.status !== 'replied');
      return { ...how, text: saysNothing ? '' : `words ${number}` };
    },
  };
}

type Spoken = ReturnType<ReturnType<typeof makeAgent>['next']>;

const toOutcome = ({ status, branch, text }: Spoken): AgentOutcome => ({
  status,
  answer: text === '' ? null : text,
  iterations: 1,
  toolCalls: [],
  choice: branch === null ? null : { index: branch, confidence: 0.9 },
});

/** As the caller's own agent returns it. A failure without words is an error of the tool. */
function toResult({ status, branch, text }: Spoken): CallerAnswer {
  const outcome =
    status === 'error'
      ? ({ status: 'error', code: 'failed', message: 'It failed' } as const)
      : ({
          status: 'ok',
          result: { status, answer: text, ...(branch === null ? {} : { branch: String(branch) }) },
        } as const);
  return { kind: 'tool_result', callId: null, outcome };
}

interface Played {
  readonly texts: readonly string[];
  readonly visits: readonly (readonly string[])[];
  readonly at: string | null;
  readonly status: string;
  readonly bag: Bag;
  readonly recorded: readonly RecordedTurn[];
}

/** One turn of the caller, with those that bring the words of an agent out of band. */
function hold(
  { compiled }: CheckedFlow,
  input: Partial<TurnInput>,
  agent: { next(): Spoken },
): Played | null {
  const texts: string[] = [];
  const visits: (readonly string[])[] = [];
  const recorded: RecordedTurn[] = [];
  let turn = input;
  for (;;) {
    const played = recordPlayed(compiled, { ...turn, stepsMax: 100 }, ({ kind }) =>
      kind === 'run_agent' ? toOutcome(agent.next()) : { kind: 'none' },
    );
    if (played === null) return null;
    const { result } = played;
    recorded.push(played.recorded);
    texts.push(...result.outputs.map(({ text }) => text));
    visits.push(result.visited);
    const { nextNode: at, status, variables } = result;
    if (status !== 'waiting_for_tool') return { texts, visits, at, status, bag: variables, recorded };
    turn = { ...input, currentNode: at, variables, userInput: null, answer: toResult(agent.next()) };
  }
}

const modes = ['in_process', 'out_of_band'] as const;

describe('on any graph', () => {
  test.each(modes)('%s: a conversation follows the page, and is replayed exactly', (agentMode) => {
    const seen = { words: 0, left: 0, noRoute: 0 };
    fc.assert(
      fc.property(talkFlows, events, (flow, turns) => {
        const checked = check(flow.nodes as never, flow.edges as never);
        const bound = checked.validation.stats.max_steps_per_turn ?? Infinity;
        let state: TalkState = { at: null, turns: 0 };
        let bag: Bag = {};
        const heard: object[] = [];
        for (const { said, open, runs } of turns) {
          const flags = Object.fromEntries(open.map((place) => [`e${place}`, true]));
          const own = Object.entries(bag).filter(([name]) => !/^e\d/.test(name));
          const variables = { ...Object.fromEntries(own), ...flags };
          const heardTurn = { said, open: new Set(Object.keys(flags)) };
          const expected = talkByThePage(flow, state, heardTurn, agentMode, makeAgent(runs).next);
          const input = { currentNode: state.at, userInput: said, variables, agentMode };
          const played = hold(checked, input, makeAgent(runs));
          if (expected === null) return expect(played).toBeNull();
          const { texts, visits, at, status, recorded } = played!;
          expect({ texts, at, noRoute: status === 'no_route' }).toEqual(pick(expected));
          expect(new Set(texts.filter((text) => text.startsWith('words'))).size).toBe(
            texts.filter((text) => text.startsWith('words')).length,
          );
          if (agentMode === 'in_process') expect(visits).toEqual([expected.visited]);
          for (const visited of visits) expect(visited.length).toBeLessThanOrEqual(bound);
          bag = played!.bag;
          const replay = startReplay(checked.compiled, {
            mode: 'pinned',
            of: versionOf,
            recordedOn: () => checked.model,
          });
          for (const turn of recorded) expect(replay(turn)).toMatchObject({ same: true, exact: true });
          // Where no agent talks, nothing is remembered.
          heard.push(...(said === null ? [] : [{ role: 'user', content: said }]));
          heard.push(...texts.map((content) => ({ role: 'assistant', content })));
          const talks = flow.nodes.some(({ type }) => type === 'autonomous');
          expect(bag['_transcript']).toEqual(talks ? heard.slice(-limits.transcriptEntriesMax) : undefined);
          seen.words += Number(texts.some((text) => text.startsWith('words')));
          seen.left += Number(expected.visited.length > 1);
          seen.noRoute += Number(expected.noRoute);
          if (expected.at === null) return;
          state = { at: expected.at, turns: expected.turns };
        }
      }),
      { numRuns: 200 },
    );
    expect(seen.words).toBeGreaterThan(150);
    expect(seen.left).toBeGreaterThan(150);
    expect(seen.noRoute).toBeGreaterThan(10);
  });

  test('the bound is the longest turn, and a talk breaks every cycle', () => {
    let bounded = 0;
    fc.assert(
      fc.property(talkFlows, (flow) => {
        const { validation } = check(flow.nodes as never, flow.edges as never);
        const longest = longestTalkTurn(flow);
        expect(validation.stats.max_steps_per_turn).toBe(longest === Infinity ? null : longest);
        bounded += Number(longest !== Infinity);
      }),
      { numRuns: 300 },
    );
    expect(bounded).toBeGreaterThan(150);
  });

  test('memory is bounded, whatever the caller says or brings', () => {
    const { compiled } = check(
      [{ id: 'a', type: 'autonomous', goal: 'Talk', converse: true, max_turns: 100 }],
      [],
    );
    const text = fc.oneof(
      fc.string({ maxLength: 50 }),
      fc.integer({ min: 1, max: 6_000 }).map((length) => '\u0001😀'.repeat(length)),
    );
    const broken = fc.oneof(
      fc.jsonValue(),
      fc.array(fc.record({ role: fc.constant('user'), content: text })),
    );
    fc.assert(
      fc.property(broken, fc.array(fc.tuple(text, text), { maxLength: 30 }), (brought, exchanges) => {
        let variables: Bag = { _transcript: brought };
        let currentNode: string | null = null;
        for (const [said, answer] of exchanges) {
          const turn = turnOf({ currentNode, userInput: said, variables, agentMode: 'in_process' });
          const step = walkTurn(compiled, turn);
          if (step.kind !== 'run_agent') throw new Error(step.kind);
          expectBounded(step.spec.talk!.transcript);
          const done = step.resume({ status: 'replied', answer, iterations: 1, toolCalls: [] });
          if (done.kind !== 'done' || done.result.kind !== 'turn') throw new Error(done.kind);
          ({ variables, nextNode: currentNode } = done.result);
          expectBounded(variables['_transcript'] as readonly unknown[]);
        }
      }),
      { numRuns: 60 },
    );
  });
});

const pick = ({ texts, at, noRoute }: TalkTurn) => ({ texts, at, noRoute });

function expectBounded(transcript: readonly unknown[]): void {
  expect(transcript.length).toBeLessThanOrEqual(limits.transcriptEntriesMax);
  expect(Buffer.byteLength(JSON.stringify(transcript))).toBeLessThanOrEqual(limits.transcriptBytesMax);
}
