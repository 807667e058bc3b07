import { describe, expect, test } from '@jest/globals';
import { recordTurn } from '@parley/flow-analysis';
import {
  compileFlow,
  parseFlow,
  TurnBudget,
  walkTurn,
  type CompiledFlow,
  type TurnResult,
} from '@parley/flow-engine';
import { buildReports as reportsWithin, type ReportedTurn } from './report-turn.rules.ts';

const turnReports = (turn: ReportedTurn, flow: CompiledFlow, result: TurnResult) =>
  reportsWithin(turn, flow, result, new TurnBudget(), { recorded: null, redactor: null });

function flowOf(definition: object) {
  const parsed = parseFlow(definition);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return compileFlow(parsed.flow);
}

const webhook = { id: 'hook', type: 'webhook', url: 'https://example.com/hook' };
const nodes = [
  { id: 'hi', type: 'message', text: 'Hi.' },
  { id: 'ask', type: 'collect', prompt: 'Name?', variable: 'name' },
  { id: 'bye', type: 'end', message: 'Bye, {{ name }}.' },
];
const edges = [
  { source: 'hi', target: 'ask' },
  { source: 'ask', target: 'bye' },
];

const turn: ReportedTurn = {
  organizationId: 'acme',
  flowId: 'greeting',
  version: 3,
  botId: 'bot_1',
  sessionId: 's-1',
  currentNode: null,
  userInput: null,
  answer: null,
  nowMs: Date.UTC(2026, 10, 20),
  trace: { requestId: 'req', traceparent: '00-a-b-01' },
};

function walk(definition: object, input: { node?: string; says?: string; variables?: object } = {}) {
  const flow = flowOf(definition);
  const step = walkTurn(flow, {
    currentNode: input.node ?? null,
    userInput: input.says ?? null,
    variables: (input.variables ?? {}) as Record<string, unknown>,
    nowMs: turn.nowMs,
    agentMode: 'out_of_band',
    extractorAvailable: false,
  });
  if (step.kind !== 'done' || step.result.kind !== 'turn') throw new Error(`not a turn: ${step.kind}`);
  return { flow, result: step.result satisfies TurnResult };
}

describe('a recorded turn', () => {
  const recordedOf = ({ flow, result }: ReturnType<typeof walk>) =>
    recordTurn(
      { flowId: 'greeting', version: 3 },
      flow.model,
      {
        currentNode: null,
        userInput: null,
        variables: {},
        nowMs: 0,
        agentMode: 'out_of_band',
        extractorAvailable: false,
      },
      [],
      result,
    );
  const told = (walked: ReturnType<typeof walk>) =>
    reportsWithin(turn, walked.flow, walked.result, new TurnBudget(), {
      recorded: recordedOf(walked),
      redactor: null,
    }).map(({ payload }) => payload as { type: string; turn?: object; data: object });

  test('travels with the last event of the turn, and every text names its node', () => {
    const walked = walk({ nodes, edges });
    const events = told(walked);
    expect(events.map((event) => event.turn)).toEqual([undefined, undefined, recordedOf(walked)]);
    const place = { flow_id: 'greeting', flow_version: 3, turn: 1 };
    expect(events.slice(1).map(({ data }) => data)).toMatchObject([
      { ...place, node_id: 'hi' },
      { ...place, node_id: 'ask' },
    ]);
  });

  test('has an event of its own in a turn without texts', () => {
    const silent = { nodes: [{ id: 'ask', type: 'collect', variable: 'x' }], edges: [] };
    const first = walk(silent);
    const second = walk(silent, { node: 'ask', says: '', variables: first.result.variables });
    expect(told(second)).toMatchObject([{ type: 'turn.recorded', turn: { turn: 2 } }]);
  });

  test('never travels with a text that the voice API refuses', () => {
    const long = { nodes: [{ id: 'end', type: 'end', message: '{{ long }}' }], edges: [] };
    expect(
      told(walk(long, { variables: { long: 'x'.repeat(100_001) } })).map(({ type, turn: kept }) => [
        type,
        kept !== undefined,
      ]),
    ).toEqual([
      ['conversation.started', false],
      ['bot.message', false],
      ['conversation.ended', true],
    ]);
  });
});

describe('conversation events', () => {
  const first = walk({ nodes, edges });
  const second = walk({ nodes, edges }, { node: 'ask', says: 'Ada', variables: first.result.variables });

  test('the first turn starts the conversation and reports the bot’s texts', () => {
    const reports = turnReports(turn, first.flow, first.result);
    expect(reports.map(({ payload }) => payload)).toMatchObject([
      {
        type: 'conversation.started',
        conversation_id: 's-1',
        bot_id: 'bot_1',
        data: { flow_id: 'greeting', flow_version: 3 },
      },
      { type: 'bot.message', data: { text: 'Hi.' } },
      { type: 'bot.message', data: { text: 'Name?' }, occurred_at: '2026-11-20T00:00:00.000Z' },
    ]);
  });

  test('a later turn reports the utterance, the answer and the end, at growing positions', () => {
    const reports = turnReports({ ...turn, userInput: 'Ada' }, second.flow, second.result);
    expect(reports.map(({ payload }) => payload)).toMatchObject([
      { type: 'speech.final', data: { text: 'Ada' } },
      { type: 'bot.message', data: { text: 'Bye, Ada.' } },
      { type: 'conversation.ended', data: { end_reason: 'flow_completed' } },
    ]);
    const positions = [turnReports(turn, first.flow, first.result), reports]
      .flat()
      .map(({ payload }) => (payload as { data: { turn_index?: number } }).data.turn_index)
      .filter((position) => position !== undefined);
    expect(positions).toEqual([...positions].sort((a, b) => a - b));
    expect(new Set(positions).size).toBe(positions.length);
  });

  test('a repeated call has the same ids, another turn and another session have others', () => {
    const ids = (reported: ReportedTurn, { flow, result }: typeof first) =>
      turnReports(reported, flow, result).map(({ payload }) => (payload as { id: string }).id);
    expect(ids({ ...turn, nowMs: turn.nowMs + 5_000 }, first)).toEqual(ids(turn, first));
    const all = [...ids(turn, first), ...ids(turn, second), ...ids({ ...turn, sessionId: 's-2' }, first)];
    expect(new Set(all).size).toBe(all.length);
  });

  test('a handed-off flow ends as such, and a blank utterance is not speech', () => {
    const { flow, result } = walk({ nodes: [{ id: 'h', type: 'handoff', target: 'sales' }], edges: [] });
    expect(
      turnReports({ ...turn, userInput: '  ' }, flow, result).map(({ payload }) => payload),
    ).toMatchObject([
      { type: 'conversation.started' },
      { type: 'conversation.ended', data: { end_reason: 'handed_off' } },
    ]);
  });

  test('nothing is reported without a bot', () => {
    expect(turnReports({ ...turn, botId: null }, first.flow, first.result)).toEqual([]);
  });
});

describe('webhook nodes', () => {
  const ending = (node: object, type = 'end') =>
    walk(
      {
        nodes: [
          { id: 'x', type, message: 'Done.' },
          { ...webhook, ...node },
        ],
        edges: [],
      },
      { variables: { name: 'Ada' } },
    );
  const quiet = { ...turn, botId: null };

  test('are called with the bare facts when the flow has ended', () => {
    const { flow, result } = ending({});
    expect(turnReports(quiet, flow, result)).toMatchObject([
      {
        contract: 'webhook.deliver',
        organizationId: 'acme',
        payload: {
          url: webhook.url,
          event: 'flow.completed',
          body: {
            event: 'flow.completed',
            data: { flow_id: 'greeting', version: 3, session_id: 's-1', variables: { name: 'Ada' } },
          },
        },
      },
    ]);
  });

  test('send their own payload and headers', () => {
    const { flow, result } = ending({
      payload: { who: '{{ name }}' },
      headers: { authorization: 'Bearer x' },
    });
    expect(turnReports(quiet, flow, result)).toMatchObject([
      { payload: { headers: { authorization: 'Bearer x' }, body: { data: { who: 'Ada' } } } },
    ]);
  });

  test('render address and headers from the final variables', () => {
    const { flow, result } = ending({
      url: 'https://example.com/{{ name }}/{{ missing | default: "x" }}',
      headers: { authorization: 'Bearer {{ name }}' },
    });
    expect(turnReports(quiet, flow, result)).toMatchObject([
      { payload: { url: 'https://example.com/Ada/x', headers: { authorization: 'Bearer Ada' } } },
    ]);
  });

  test('subscribe to ends', () => {
    for (const [type, events, calls] of [
      ['end', ['completed'], 1],
      ['end', ['handed_off'], 0],
      ['handoff', ['handed_off'], 1],
      ['handoff', ['completed'], 0],
    ] as const) {
      const { flow, result } = ending({ events }, type);
      expect(turnReports(quiet, flow, result)).toHaveLength(calls);
    }
  });

  test('are not called before the flow ends', () => {
    const { flow, result } = walk({ nodes: [...nodes, webhook], edges });
    expect(turnReports(quiet, flow, result)).toEqual([]);
  });

  test('have an id for each call without a session', () => {
    const { flow, result } = ending({});
    const id = (requestId: string) => {
      const reported = { ...quiet, sessionId: null, trace: { ...turn.trace, requestId } };
      return (turnReports(reported, flow, result)[0]!.payload as { body: { id: string } }).body.id;
    };
    expect(id('one')).not.toBe(id('two'));
  });
});
