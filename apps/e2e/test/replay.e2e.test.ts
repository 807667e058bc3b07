// Every turn of a story over public HTTP is recorded and replays identically (docs/why.md#replay):
// every example flow, with answers of a classifier, an extractor, an agent and tools, across a
// restart. No answer and no log contains redacted values.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { startReplay, type RecordedTurn } from '@parley/flow-analysis';
import { compileFlow, parseFlow } from '@parley/flow-engine';
import { startStack, type ServiceName, type Stack } from '@parley/dev/stack';
import {
  eventually,
  fakeGateway,
  receiver,
  type ChatRequest,
  type FakeGateway,
  type GatewayAnswer,
  type Receiver,
} from '@parley/testing';
import { exampleStories, ownStories, SECRET, type Script } from './replay-stories.ts';

/** Starts servers and three services from nothing, twice, and runs about 200 turns. */
jest.setTimeout(180_000);

const root = fileURLToPath(new URL('../../..', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'parley-e2e-replay-'));

let gateway: FakeGateway;
let tool: Receiver;
let stack: Stack;
const requestCounts = { classifier: 0, extractor: 0 };

/** Returns each kind of answer in turn, sensible or not: the recording holds what came. */
function answerRequest({ messages, tools, response_format: format }: ChatRequest): GatewayAnswer {
  if (tools !== undefined) {
    const isAnswered = messages.at(-1)?.role === 'tool';
    return isAnswered ? { goalReached: 'it is on its way' } : { tools: [{ name: 'find_order' }] };
  }
  if (format?.json_schema.name === 'extracted_variables')
    return (requestCounts.extractor += 1) % 2 === 0 ? 500 : { values: {} };
  const answers = [{ choice: 0 }, { choice: 'none' }, { choice: 1, confidence: 0.2 }, 500] as const;
  return answers[(requestCounts.classifier += 1) % answers.length]!;
}

const start = () =>
  startStack({
    root,
    home,
    released: true,
    env: {
      PATH: process.env['PATH'],
      QUEUE_URL: process.env['TEST_REDIS_URL'],
      QUEUE_PREFIX: `e2e-replay-${process.pid}`,
      GATEWAY_URL: gateway.url,
      CLASSIFIER_MODEL: 'small',
      EXTRACTOR_MODEL: 'reader',
      AGENT_MODEL: 'large',
      AGENT_MODE: 'in_process',
    },
  });

async function call<T>(service: ServiceName, method: string, path: string, body?: object) {
  const { origin, apiKey } = stack.services[service];
  const response = await fetch(`${origin}${path}`, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return { status: response.status, body: (await response.json()) as T };
}

interface OpenConversation {
  readonly flowId: string;
  readonly id: string;
  readonly script: Script;
  said: number;
  turns: number;
  standing: Readonly<Record<string, unknown>> | null;
  /** The open call's tool. */
  callId: string | undefined;
}

interface Answer {
  readonly next_node: string | null;
  readonly variables: object;
  readonly actions: readonly { readonly call_id?: string }[];
}

let botId: string;
const openConversations: OpenConversation[] = [];

beforeAll(async () => {
  gateway = await fakeGateway({ fallback: answerRequest });
  tool = await receiver();
  stack = await start();
  const bot = await call<{ data: { id: string } }>('voice-api', 'POST', '/v1/bots', { name: 'replayed' });
  botId = bot.body.data.id;
  for (const { flow_id, definition, tests } of [...exampleStories, ...ownStories(tool.url)]) {
    const made = await call('flow-builder', 'POST', '/v1/flows', { flow_id, definition });
    expect([made.body, made.status]).toEqual([expect.anything(), 201]);
    expect((await call('flow-builder', 'POST', `/v1/flows/${flow_id}/publish`, {})).status).toBe(200);
    for (const [name, script] of Object.entries(tests))
      openConversations.push({
        flowId: flow_id,
        id: `${flow_id}.${name}`,
        script,
        said: 0,
        turns: 0,
        standing: null,
        callId: undefined,
      });
  }
});
afterAll(async () => {
  await stack.stop();
  await Promise.all([gateway.close(), tool.close()]);
  rmSync(home, { recursive: true, force: true });
});

/** Sends the next utterance, until the conversation ends or refuses it. */
async function sayNext(one: OpenConversation): Promise<void> {
  const { flowId, id, script } = one;
  const { user_input = null, tool_result, handoff_result } = script.turns[one.said]!;
  one.said += 1;
  const standing = one.standing ?? {
    current_node: script.current_node ?? null,
    variables: script.variables ?? {},
  };
  const answer = await call<Answer>('flow-builder', 'POST', `/product/v1/flows/${flowId}/execute`, {
    session_id: id,
    bot_id: botId,
    user_input,
    ...standing,
    ...(tool_result === undefined
      ? {}
      : { tool_result: { ...(tool_result as object), call_id: one.callId } }),
    ...(handoff_result === undefined ? {} : { handoff_result }),
  });
  const { next_node, variables, actions } = answer.body;
  if (answer.status === 200) {
    one.turns += 1;
    one.standing = { current_node: next_node, variables };
    one.callId = actions.find(({ call_id }) => call_id !== undefined)?.call_id;
  }
  if (answer.status !== 200 || next_node === null) one.said = script.turns.length;
}

async function holdAll(share: number): Promise<void> {
  await Promise.all(
    openConversations.map(async (one) => {
      while (one.said < one.script.turns.length * share) await sayNext(one);
    }),
  );
}

beforeAll(async () => {
  await holdAll(0.5);
  stack.killNow();
  const { origin } = stack.services['flow-builder'];
  await eventually(async () => (await fetch(`${origin}/health`).catch(() => 'gone')) === 'gone');
  await stack.stop();
  stack = await start();
  await holdAll(1);
});

/** The outbox re-enqueues a lost message after ten seconds. */
const RUNG_AGAIN_MS = 60_000;

async function recordedTurns({ id, turns }: OpenConversation): Promise<RecordedTurn[]> {
  const look = async () => {
    const path = `/v1/conversations/${id}/turns?limit=100`;
    const { status, body } = await call<{ data: { items: RecordedTurn[] } }>('voice-api', 'GET', path);
    if (status !== 200 || body.data.items.length < turns) throw new Error(`${id}: ${JSON.stringify(body)}`);
    return body.data.items;
  };
  return eventually(look, { timeoutMs: RUNG_AGAIN_MS });
}

test('conversations across a restart replay byte for byte, in the engine and over HTTP', async () => {
  const kinds = new Set<string>();
  let replayed = 0;
  // Skips tests that begin with a tool's result, because no call precedes it.
  for (const one of openConversations.filter(({ flowId, turns }) => flowId !== 'secretive' && turns > 0)) {
    const turns = await recordedTurns(one);
    expect([one.id, turns.length]).toEqual([one.id, one.turns]);
    const path = `/v1/flows/${one.flowId}`;
    const { body } = await call<{ definition: unknown }>('flow-builder', 'GET', path);
    const parsed = parseFlow(body.definition);
    if (!parsed.ok) throw new Error(`${one.flowId} is no flow`);
    const flow = compileFlow(parsed.flow);
    const of = { flowId: one.flowId, version: 1 };
    const replay = startReplay(flow, { mode: 'pinned', of, recordedOn: () => flow.model });
    for (const turn of turns) expect(JSON.stringify(replay(turn).after)).toBe(JSON.stringify(turn));
    for (const mode of ['pinned', 'free']) {
      const answer = await call<object>('flow-builder', 'POST', `${path}/replay`, {
        version: 1,
        mode,
        turns,
      });
      expect([one.id, mode, answer.body]).toMatchObject([
        one.id,
        mode,
        { same: turns.length, different: 0, stopped: 0, turns: turns.map(() => ({ exact: true })) },
      ]);
    }
    replayed += turns.length;
    for (const { answers, input, status } of turns) {
      kinds.add(status);
      if (input!.answer !== undefined) kinds.add(input!.answer.kind);
      for (const { kind, answer } of answers!)
        kinds.add(`${kind} ${'kind' in answer ? answer.kind : answer.status}`);
    }
  }
  expect(replayed).toBeGreaterThan(100);
  expect([...kinds]).toEqual(
    expect.arrayContaining([
      ...[
        'waiting',
        'completed',
        'handed_off',
        'tool_result',
        'handoff_result',
        'run_agent goal_reached',
        'extract extracted',
      ],
      ...['extract unavailable', 'classify chosen', 'classify none', 'classify unavailable'],
    ]),
  );
  expect(tool.requests.length).toBeGreaterThan(0);
});

test('no answer and no log contains redacted values', async () => {
  const secretive = openConversations.find(({ flowId }) => flowId === 'secretive')!;
  expect(await recordedTurns(secretive)).toMatchObject([{}, { redacted: ['pin'] }, { redacted: ['pin'] }]);
  const path = `/v1/conversations/${secretive.id}`;
  const reads = await Promise.all(
    [path, `${path}/turns`, `${path}/transcript`, '/v1/events?limit=100'].map((read) =>
      call('voice-api', 'GET', read),
    ),
  );
  expect(reads.map(({ status }) => status)).toEqual(reads.map(() => 200));
  const told = reads.map(({ body }) => JSON.stringify(body)).join('\n');
  expect(told).toContain('[redacted');
  const logs = Object.values(stack.services).map(({ logFile }) => readFileSync(logFile, 'utf8'));
  for (const text of [told, ...logs]) expect(text).not.toContain(SECRET);
});
