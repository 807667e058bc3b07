// POST /v1/flows/{flow_id}/teach over HTTP (docs/why.md#teach): the example, the test, and the
// turns that would go another way, which equal a replay of each turn on both versions.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { recordTurn, startReplay, type RecordedAnswer, type RecordedTurn } from '@parley/flow-analysis';
import { compileFlow, parseFlow, walkTurn, type CompiledFlow } from '@parley/flow-engine';
import { startFlowBuilder, type FlowBuilder } from '../service.ts';

let flows: FlowBuilder;
beforeAll(async () => {
  flows = await startFlowBuilder();
});
afterAll(() => flows.stop());

const desk = () => ({
  nodes: [
    { id: 'ask', type: 'collect', prompt: 'How can I help?', variable: 'wish' },
    { id: 'booking', type: 'end', message: 'Let us book.' },
    { id: 'billing', type: 'end', message: 'About your bill.' },
    { id: 'other', type: 'end', message: 'I will ask somebody.' },
  ],
  edges: [
    { source: 'ask', target: 'booking', nl: 'wants an appointment' },
    { source: 'ask', target: 'billing', nl: 'asks about a bill' },
    { source: 'ask', target: 'other', default: true },
  ],
});
const BOOKING = 0;
const BILLING = 1;

function compiled(definition: unknown): CompiledFlow {
  const parsed = parseFlow(definition);
  if (!parsed.ok) throw new Error('not a flow');
  return compileFlow(parsed.flow);
}

/** A recorded second turn, with the answer of a model: the index of an edge, or none. */
function heard(session: string, userInput: string, answer: number | 'none', flowId: string): RecordedTurn {
  const flow = compiled(desk());
  const turn = {
    currentNode: 'ask',
    variables: { _flow: { turn: 1 }, caller: 'secret-caller' },
    userInput,
    session,
    nowMs: Date.UTC(2026, 10, 20, 12),
    agentMode: 'out_of_band' as const,
    extractorAvailable: false,
  };
  const asked = walkTurn(flow, turn);
  if (asked.kind !== 'classify') throw new Error('no model is asked');
  const classified =
    answer === 'none' ? { kind: answer } : { kind: 'chosen' as const, index: answer, confidence: 0.9 };
  const given: RecordedAnswer[] = [{ kind: 'classify', node_id: 'ask', answer: classified, ms: 1 }];
  const step = asked.resume(classified);
  if (step.kind !== 'done' || step.result.kind !== 'turn') throw new Error('asked, or refused');
  return recordTurn({ flowId, version: 1 }, flow.model, turn, given, step.result);
}

interface Change {
  readonly session_id: string;
  readonly turn: number;
  readonly from: { edge_index: number | null } | null;
  readonly to: { edge_index: number | null } | null;
}
interface Teaching {
  readonly version: number | null;
  readonly same: number;
  readonly unknown: number;
  readonly changes: readonly Change[];
  readonly test: { readonly name: string; readonly test: object };
}

const create = async (flowId: string, definition: object = desk()) =>
  flows.api.post('/v1/flows', { flow_id: flowId, definition }).expect(201);
const teach = (flowId: string, body: object) => flows.api.post(`/v1/flows/${flowId}/teach`, body);
const definitionOf = async (flowId: string, version: number) => {
  const found = await flows.api.get(`/v1/flows/${flowId}?version=${version}`).expect(200);
  return (found.body as { definition: ReturnType<typeof desk> }).definition;
};

test('the utterance becomes an example of a new version, and the turn a test that passes only there', async () => {
  await create('desk');
  await flows.api.post('/v1/flows/desk/publish', {}).expect(200);
  const turns = [heard('call-1', 'Could someone see me?', 'none', 'desk')];
  const lesson = { session_id: 'call-1', turn: 2, edge: BOOKING, turns };
  const dry = (await teach('desk', { ...lesson, dry_run: true }).expect(200)).body as Teaching;
  expect(dry).toMatchObject({ version: null, learned_from: 1 });
  expect((await flows.api.get('/v1/flows/desk/tests').expect(200)).body).toMatchObject({ items: [] });

  const taught = (await teach('desk', lesson).expect(200)).body as Teaching;
  expect(taught).toEqual({ ...dry, version: 2 });
  expect(taught).toMatchObject({
    valid: true,
    edge_index: BOOKING,
    node_id: 'ask',
    member: 'examples',
    utterance: 'Could someone see me?',
    looked_at: 1,
    same: 0,
    unknown: 0,
    changes: [
      {
        session_id: 'call-1',
        turn: 2,
        user_input: 'Could someone see me?',
        node_id: 'ask',
        from: { edge_index: 2, target: 'other' },
        to: { edge_index: BOOKING, target: 'booking' },
        exact: true,
      },
    ],
  });
  expect((await definitionOf('desk', 2)).edges[BOOKING]).toMatchObject({
    examples: ['Could someone see me?'],
  });
  const head = (await flows.api.get('/v1/flows/desk?version=published').expect(200)).body as object;
  expect(head).toMatchObject({ version: 1 });
  // The test has what it needs, and no variables of the caller.
  expect(JSON.stringify(taught.test)).not.toContain('secret-caller');
  const run = async (version: number) =>
    (await flows.api.post(`/v1/flows/desk/tests/run?version=${version}`, {}).expect(200)).body as object;
  expect(await run(2)).toMatchObject({ passed: 1, failed: 0, results: [{ name: 'taught.call-1.2' }] });
  expect(await run(1)).toMatchObject({ passed: 0, failed: 1 });

  // Again: nothing changes.
  expect((await teach('desk', lesson).expect(200)).body).toMatchObject({ version: 2, same: 1, changes: [] });
});

test('a correction moves the example, and none makes a counter-example of the branch that was taken', async () => {
  await create('moved');
  const turns = [heard('call/ü', 'About the money', BOOKING, 'moved')];
  const lesson = { session_id: 'call/ü', turn: 2, turns };
  await teach('moved', { ...lesson, edge: BOOKING }).expect(200);
  await teach('moved', { ...lesson, edge: BILLING }).expect(200);
  const { edges } = await definitionOf('moved', 3);
  expect(edges[BOOKING]).toMatchObject({ examples: [] });
  expect(edges[BILLING]).toMatchObject({ examples: ['About the money'] });

  await create('not-meant');
  const wrong = [heard('call-1', 'About the money', BOOKING, 'not-meant')];
  const body = (
    await teach('not-meant', { session_id: 'call-1', turn: 2, none: true, turns: wrong }).expect(200)
  ).body as Teaching;
  expect(body).toMatchObject({ member: 'counter_examples', edge_index: BOOKING, version: 2 });
  expect((await definitionOf('not-meant', 2)).edges[BOOKING]).toMatchObject({
    counter_examples: ['About the money'],
  });
  expect(body.test.test).toMatchObject({ turns: [{ expect: { messages: ['I will ask somebody.'] } }] });
});

test('the turns that change equal a replay of each of 1,000 recorded turns on both versions', async () => {
  const before = desk();
  await create('busy', before);
  const words = ['see me soon', 'my bill', 'opening hours', 'See me, soon!', 'a person', 'my invoice'];
  const turns = Array.from({ length: 1_000 }, (_, at) => {
    const answer = at % 7 === 0 ? 'none' : at % 4 === 0 ? BILLING : BOOKING;
    return heard(`call-${at}`, words[at % words.length]!, answer, 'busy');
  });
  const body = (await teach('busy', { session_id: 'call-0', turn: 2, edge: BILLING, turns }).expect(200))
    .body as Teaching;
  expect(body).toMatchObject({ looked_at: 1_000 });

  const after = await definitionOf('busy', 2);
  const models = [before, after].map(compiled);
  const replays = models.map((flow) => {
    const of = { flowId: 'busy', version: 0 };
    return startReplay(flow, { mode: 'pinned', of, recordedOn: () => models[0]!.model });
  });
  const expected = turns.flatMap((turn) => {
    const [was, now] = replays.map((replayOne) => replayOne(turn).after?.path ?? null);
    if (JSON.stringify(was) === JSON.stringify(now)) return [];
    const edgeOf = (path: RecordedTurn['path'] | null | undefined) => path && { edge_index: path[0]![1] };
    return [{ session_id: turn.input!.session_id, turn: turn.turn, from: edgeOf(was), to: edgeOf(now) }];
  });
  expect(expected.length).toBeGreaterThan(100);
  expect(body.changes).toMatchObject(expected);
  expect(body.changes).toHaveLength(expected.length);
  expect(body.same + body.unknown + body.changes.length).toBe(1_000);
});

test('what cannot be learned is refused with its reason, and stores nothing', async () => {
  await create('refusing');
  const said = (words: string, more: Partial<RecordedTurn> = {}) => [
    { ...heard('call-1', words, 'none', 'refusing'), ...more },
  ];
  const refused = async (turns: readonly object[], more: object, status: number, reason: RegExp) => {
    const body = { session_id: 'call-1', turn: 2, edge: BOOKING, turns, ...more };
    const answer = await teach('refusing', body).expect(status);
    expect(JSON.stringify(answer.body)).toMatch(reason);
  };
  await refused(said('My card is [redacted 1f2e]', { redacted: ['card'] }), {}, 422, /redacted/);
  await refused(said('x', { input: null, truncated: true }), {}, 400, /not among/);
  await refused(said('x'.repeat(301)), {}, 422, /at most 300 characters/);
  await refused(said('Hello'), { edge: 2 }, 422, /not a natural-language edge/);
  await refused(said('Hello'), { edge: 7 }, 422, /not a natural-language edge/);
  await refused(said('Hello'), { edge: undefined, none: true }, 422, /took no natural-language edge/);
  await refused(said('Hello'), { none: true }, 400, /is needed, or `none`/);
  await refused(said('Hello'), { turn: 9 }, 400, /not among/);
  await refused(said('Hello', { current_node: 'gone' }), {}, 422, /does not come to edge 0/);
  await refused([{ turn: 1 }], {}, 400, /not recorded turns/);
  expect((await flows.api.get('/v1/flows/refusing').expect(200)).body).toMatchObject({ version: 1 });
  expect((await flows.api.get('/v1/flows/refusing/tests').expect(200)).body).toMatchObject({ items: [] });
  await teach('unknown', { session_id: 'call-1', turn: 2, edge: 0, turns: said('Hello') }).expect(404);

  const full = desk();
  Object.assign(full.edges[BOOKING]!, { examples: Array.from({ length: 50 }, (_, at) => `example ${at}`) });
  await create('full', full);
  const turns = [heard('call-1', 'Hello', 'none', 'full')];
  const answer = await teach('full', { session_id: 'call-1', turn: 2, edge: BOOKING, turns }).expect(422);
  expect(JSON.stringify(answer.body)).toMatch(/has 50 examples/);
});
