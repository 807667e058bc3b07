// An imported agent that talks speaks each text once: over execute and in a chat, in process and
// out of band.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { fakeGateway, type FakeGateway, type GatewayAnswer } from '@parley/testing';
import { publishFlows, startFlowBuilder, type FlowBuilder } from '../service.ts';

const TASK = 'Find the tyre.';
const CHOSEN = 'They have chosen a tyre.';

interface Imported {
  readonly source: object;
  /** What agents say after the choice of the first. */
  readonly later: readonly string[];
}

const documents: Readonly<Record<string, Imported>> = {
  retell: {
    source: {
      start_node_id: 'a',
      nodes: [
        {
          id: 'a',
          type: 'conversation',
          instruction: { type: 'prompt', text: TASK },
          edges: [
            { id: 'e', destination_node_id: 'b', transition_condition: { type: 'prompt', prompt: CHOSEN } },
          ],
        },
        { id: 'b', type: 'end', instruction: { type: 'static_text', text: 'Goodbye.' } },
      ],
    },
    later: [],
  },
  vapi: {
    source: {
      nodes: [
        { name: 'a', type: 'conversation', isStart: true, prompt: TASK },
        {
          name: 'b',
          type: 'tool',
          tool: { type: 'endCall', messages: [{ type: 'request-start', content: 'Goodbye.' }] },
        },
      ],
      edges: [{ from: 'a', to: 'b', condition: { type: 'ai', prompt: CHOSEN } }],
    },
    later: [],
  },
  dograh: {
    source: {
      nodes: [
        { id: '1', type: 'startCall', position: { x: 0, y: 0 }, data: { name: 'a', prompt: TASK } },
        { id: '2', type: 'agentNode', position: { x: 0, y: 0 }, data: { name: 'b', prompt: 'Confirm.' } },
      ],
      edges: [
        {
          id: 'e',
          source: '1',
          target: '2',
          data: { label: 'chosen', condition: CHOSEN, transition_speech: 'Goodbye.' },
        },
      ],
    },
    later: ['Anything else?'],
  },
  'dialogflow-cx': {
    source: {
      files: {
        'agent.json': { displayName: 'Tyres', defaultLanguageCode: 'en', startPlaybook: 'a' },
        'playbooks/a/a.json': {
          displayName: 'a',
          goal: TASK,
          instruction: { steps: [{ text: `${CHOSEN} Then use \${FLOW:b}.` }] },
          playbookType: 'ROUTINE',
        },
        'flows/b/b.json': {
          displayName: 'b',
          transitionRoutes: [
            {
              condition: 'true',
              triggerFulfillment: { messages: [{ text: { text: ['Goodbye.'] } }] },
              targetPage: 'END_SESSION',
            },
          ],
        },
      },
    },
    later: [],
  },
};

let gateway: FakeGateway;
let flows: FlowBuilder;

beforeAll(async () => {
  gateway = await fakeGateway({ key: 'sk-test' });
  flows = await startFlowBuilder({
    GATEWAY_URL: gateway.url,
    GATEWAY_KEY: 'env://GATEWAY_KEY_VALUE',
    GATEWAY_KEY_VALUE: 'sk-test',
    CLASSIFIER_MODEL: 'small',
    AGENT_MODEL: 'large',
  });
  for (const [format, { source }] of Object.entries(documents)) {
    const response = await flows.api.post('/v1/flows/import', { source }).expect(200);
    const { definition } = response.body as { definition: object };
    expect(response.body).toMatchObject({ format, validation: { errors: [] } });
    await publishFlows(flows, {
      [`${format}.in_process`]: { ...definition, agent_mode: 'in_process' },
      [`${format}.out_of_band`]: { ...definition, agent_mode: 'out_of_band' },
    });
  }
});
afterAll(async () => {
  await flows.stop();
  await gateway.close();
});

const chosen: GatewayAnswer = {
  tools: [{ name: 'goal_reached', args: { answer: 'The 205 it is.', branch: 0, confidence: 0.9 } }],
};
const said = (later: readonly string[]) => ['Which car?', 'The 205 it is.', 'Goodbye.', ...later];

/** What the caller's agent brings, in order. */
const words = (later: readonly string[]) => [
  'Which car?',
  { answer: 'The 205 it is.', branch: 0 },
  ...later.map((answer) => ({ answer })),
];

interface Turn {
  readonly status: string;
  readonly next_node: string | null;
  readonly outputs: readonly { readonly text: string }[];
  readonly actions: readonly { readonly call_id: string }[];
  readonly variables: object;
}

async function playExecute(flow: string, agent: readonly unknown[]): Promise<string[]> {
  const [texts, brings] = [[] as string[], [...agent]];
  let last: Pick<Turn, 'next_node' | 'variables'> = { next_node: null, variables: {} };
  const execute = async (brought: object): Promise<Turn> => {
    const { next_node: current_node, variables } = last;
    const request = { session_id: flow, current_node, variables, ...brought };
    const response = await flows.api.post(`/v1/flows/${flow}/execute`, request).expect(200);
    const turn = response.body as Turn;
    last = turn;
    texts.push(...turn.outputs.map(({ text }) => text));
    return turn;
  };
  for (const user_input of ['Hello', 'A Golf']) {
    let { status, actions } = await execute({ user_input });
    while (status === 'waiting_for_tool') {
      const { call_id } = actions.at(-1)!;
      ({ status, actions } = await execute({ tool_result: { call_id, result: brings.shift() } }));
    }
  }
  return texts;
}

interface ChatMessage {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: readonly { readonly id: string }[];
}

async function playChat(flow: string, agent: readonly unknown[]): Promise<string[]> {
  const [texts, brings] = [[] as string[], [...agent]];
  const messages: object[] = [];
  const ask = async (message: object): Promise<ChatMessage> => {
    messages.push(message);
    const request = { model: flow, messages, metadata: { session_id: `chat-${flow}` } };
    const response = await flows.api.post('/openai/v1/chat/completions', request).expect(200);
    const answer = (response.body as { choices: [{ message: ChatMessage }] }).choices[0].message;
    messages.push(answer);
    texts.push(...(answer.content ?? '').split('\n').filter((line) => line !== ''));
    return answer;
  };
  for (const content of ['Hello', 'A Golf']) {
    let answer = await ask({ role: 'user', content });
    for (let call = answer.tool_calls?.[0]; call !== undefined; call = answer.tool_calls?.[0]) {
      const result = brings.shift();
      const text = typeof result === 'string' ? result : JSON.stringify(result);
      answer = await ask({ role: 'tool', tool_call_id: call.id, content: text });
    }
  }
  return texts;
}

const plays = { execute: playExecute, 'a chat': playChat };

describe.each(Object.entries(documents))('%s', (format, { later }) => {
  test.each(Object.entries(plays))('in process over %s', async (_name, play) => {
    gateway.script({ content: 'Which car?' }, chosen, ...later.map((content) => ({ content })));
    expect(await play(`${format}.in_process`, [])).toEqual(said(later));
  });

  test.each(Object.entries(plays))('out of band over %s', async (_name, play) => {
    expect(await play(`${format}.out_of_band`, words(later))).toEqual(said(later));
  });
});
