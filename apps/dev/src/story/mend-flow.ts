// A conversation goes wrong: why is read from its recorded turn, the flow is mended, and who is
// concerned is known before it is published (docs/why.md). From eight seats on a colleague was to
// be asked; the flow says more than eight.
import { bodyOf, callService, expectStatus } from '../call-service.ts';
import { talk } from '../demo-conversation.ts';
import { seen, type Story } from './story.ts';

const SAID = ['Grace', '8'];
const WRONG = '8 seats for Grace are booked.';
const RIGHT = '8 seats, Grace: I will ask a colleague.';
const CONCERNED = 'Callers who answer 8 to `seats` now reach `many`, before `few`.';

interface Definition {
  readonly edges: readonly Readonly<Record<string, unknown>>[];
}

interface Replay {
  readonly same: number;
  readonly turns: readonly {
    readonly trace: readonly {
      readonly node_id: string;
      readonly decided_by: string;
      readonly why: string;
    }[];
  }[];
}

interface Comparison {
  readonly behaviour: {
    readonly different: { readonly recorded: number };
    readonly groups: readonly { readonly sentence: string }[];
  };
}

/** @throws Error naming the first step that was not seen. */
export async function mendFlow(story: Story, flowId: string, botId: string): Promise<void> {
  const { services, storyId, print } = story;
  const builder = services['flow-builder'];
  const flow = `/v1/flows/${flowId}`;
  const last = async (conversationId: string) => {
    const { said } = await talk(builder, { flowId, botId, conversationId, answers: SAID });
    return said.at(-1);
  };

  const wrong = `demo-wrong-${storyId}`;
  expectSame('the conversation ends', await last(wrong), WRONG);
  print(`  ✓ a conversation goes wrong: ${JSON.stringify(WRONG)}`);
  const turns = await recordedTurns(story, wrong);

  expectSame('what decided its last turn', await whyOf(story, flow, turns), 'default');
  const version = await mend(story, flow);
  const compared = await callService(builder, 'POST', `${flow}/compare`, { from: 1, to: version, turns });
  const { different } = bodyOf<Comparison>(compared, 200).behaviour;
  expectSame('recorded conversations that it concerns', different.recorded, 1);
  const preview = await callService(builder, 'GET', `${flow}/publish/preview?version=${version}`);
  const { groups } = bodyOf<{ comparison: Comparison }>(preview, 200).comparison.behaviour;
  expectSame('the preview of the publish', groups[0]?.sentence, CONCERNED);
  print(`  ✓ before it is published, who is concerned is known: ${CONCERNED}`);
  expectStatus(await callService(builder, 'POST', `${flow}/publish`, { version }), 200);
  expectSame('the same conversation now ends', await last(`demo-mended-${storyId}`), RIGHT);
  print(`  ✓ version ${version} is published, and the same conversation ends: ${JSON.stringify(RIGHT)}`);
}

async function recordedTurns(story: Story, conversationId: string): Promise<object[]> {
  const voice = story.services['voice-api'];
  let turns: object[] = [];
  await seen(story, 'its turns are recorded', async () => {
    const answer = await callService(voice, 'GET', `/v1/conversations/${conversationId}/turns`);
    if (answer.status === 200) turns = bodyOf<{ data: { items: object[] } }>(answer, 200).data.items;
    return turns.length === SAID.length + 1;
  });
  return turns;
}

/** By what the last turn left the node at which it goes wrong. */
async function whyOf({ services, print }: Story, flow: string, turns: object[]): Promise<string | undefined> {
  const request = { version: 1, trace: true, turns };
  const answer = await callService(services['flow-builder'], 'POST', `${flow}/replay`, request);
  const replayed = bodyOf<Replay>(answer, 200);
  expectSame('turns that a replay makes the same', replayed.same, turns.length);
  const step = replayed.turns.at(-1)?.trace.find(({ node_id }) => node_id === 'seats');
  print(`  ✓ a replay is the same, and says why: ${step?.why}`);
  return step?.decided_by;
}

/** Gives the new version. */
async function mend({ services, print }: Story, flow: string): Promise<number> {
  const builder = services['flow-builder'];
  const { definition } = bodyOf<{ definition: Definition }>(await callService(builder, 'GET', flow), 200);
  const edges = definition.edges.map((edge) => (edge['op'] === 'gt' ? { ...edge, op: 'gte' } : edge));
  const changed = { definition: { ...definition, edges } };
  const { version } = bodyOf<{ version: number }>(await callService(builder, 'PATCH', flow, changed), 200);
  print(`  ✓ the flow is mended: version ${version}`);
  return version;
}

function expectSame(what: string, is: unknown, wanted: unknown): void {
  if (is !== wanted) throw new Error(`${what}: ${JSON.stringify(is)}, not ${JSON.stringify(wanted)}`);
}
