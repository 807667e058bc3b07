// An agent talks with the caller (docs/flow-language.md#agents-that-talk). It runs out of band:
// this story is the caller's agent.
import { bodyOf, callService, expectStatus, type ServiceAccess } from '../call-service.ts';
import { talk } from '../demo-conversation.ts';
import { seen, type Story } from './story.ts';

const definition = {
  agent_mode: 'out_of_band',
  nodes: [
    {
      id: 'wishes',
      type: 'autonomous',
      converse: true,
      goal: 'Ask which seats the guest likes.',
      max_turns: 4,
      extraction: { variables: [{ name: 'seat', type: 'string', prompt: 'Where the guest likes to sit' }] },
    },
    { id: 'noted', type: 'end', message: 'Noted: a seat {{ seat }}.' },
    { id: 'colleague', type: 'handoff', target: 'desk' },
  ],
  edges: [
    { source: 'wishes', target: 'noted', nl: 'The guest has no more wishes.' },
    { source: 'wishes', target: 'colleague', default: true },
  ],
};
const ANSWERS = ['Near the window, please.', 'No, that is all.'];
const WORDS = [
  { answer: 'Where would you like to sit?' },
  { answer: 'By the window, then. Anything else?', values: { seat: 'by the window' } },
  { answer: 'Thank you.', branch: 0 },
];
const SAID = [
  'Where would you like to sit?',
  'Near the window, please.',
  'By the window, then. Anything else?',
  'No, that is all.',
  'Thank you.',
  'Noted: a seat by the window.',
];

/** @throws Error when a text was not said, was said twice, or a turn is not replayed. */
export async function holdTalk(story: Story, botId: string): Promise<void> {
  const { services, storyId, print } = story;
  const builder = services['flow-builder'];
  const flowId = `demo-talk-${storyId}`;
  expectStatus(await callService(builder, 'POST', '/v1/flows', { flow_id: flowId, definition }), 201);
  expectStatus(await callService(builder, 'POST', `/v1/flows/${flowId}/publish`, {}), 200);
  const conversation = { flowId, botId, conversationId: flowId, answers: ANSWERS, words: WORDS };
  const { said } = await talk(builder, conversation);
  expectTexts('said was', said);

  const path = `/v1/conversations/${flowId}`;
  let turns: readonly object[] = [];
  await seen(story, 'the turns of the agent are recorded', async () => {
    const answer = await callService(services['voice-api'], 'GET', `${path}/turns`);
    if (answer.status === 200) turns = bodyOf<{ data: { items: object[] } }>(answer, 200).data.items;
    return turns.length === WORDS.length + ANSWERS.length + 1;
  });
  const transcript = await callService(services['voice-api'], 'GET', `${path}/transcript`);
  const { data } = bodyOf<{ data: { turns: readonly { text: string }[] } }>(transcript, 200);
  expectTexts(
    'the transcript is',
    data.turns.map(({ text }) => text),
  );
  const request = { version: 1, turns };
  const answer = await callService(builder, 'POST', `/v1/flows/${flowId}/replay`, request);
  const { same } = bodyOf<{ same: number }>(answer, 200);
  if (same !== turns.length) throw new Error(`${same} of ${turns.length} turns are replayed the same`);
  await holdChat(builder, flowId);
  print(`  ✓ an agent talked out of band over execute and chat, said each text once, noted a value,`);
  print(`    and its ${same} turns are replayed`);
}

/** The same conversation through the chat completions API: the client runs the agent. */
async function holdChat(builder: ServiceAccess, flowId: string): Promise<void> {
  const messages: object[] = [];
  const said: string[] = [];
  const words = [...WORDS];
  for (const answer of [null, ...ANSWERS]) {
    if (answer !== null) {
      said.push(answer);
      messages.push({ role: 'user', content: answer });
    }
    for (let waits = true; waits;) {
      const request = { model: flowId, messages, metadata: { session_id: `${flowId}-chat` } };
      const reply = await callService(builder, 'POST', '/openai/v1/chat/completions', request);
      const { message } = bodyOf<{ choices: [{ message: ChatMessage }] }>(reply, 200).choices[0];
      messages.push(message);
      said.push(...(message.content ?? '').split('\n').filter((text) => text !== ''));
      const [call] = message.tool_calls ?? [];
      waits = call !== undefined;
      if (waits)
        messages.push({ role: 'tool', tool_call_id: call!.id, content: JSON.stringify(words.shift()) });
    }
  }
  expectTexts('the chat said', said);
}

interface ChatMessage {
  readonly content: string | null;
  readonly tool_calls?: readonly { readonly id: string }[];
}

function expectTexts(what: string, texts: readonly string[]): void {
  if (JSON.stringify(texts) !== JSON.stringify(SAID)) throw new Error(`${what} ${JSON.stringify(texts)}`);
}
