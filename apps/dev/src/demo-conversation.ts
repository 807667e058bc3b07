// Holds a conversation with a flow over its public API, turn by turn: the caller carries the state.
import { bodyOf, callService } from './call-service.ts';
import type { ServiceAccess } from './call-service.ts';

export interface Turn {
  readonly status: string;
  readonly next_node: string | null;
  readonly outputs: readonly { readonly text: string }[];
  readonly variables: Readonly<Record<string, unknown>>;
  readonly actions: readonly { readonly call_id?: string }[];
}

export interface Talk {
  readonly flowId: string;
  readonly botId: string;
  readonly conversationId: string;
  readonly answers: readonly string[];
  /** What an agent that runs out of band says, in order. */
  readonly words?: readonly object[];
}

/** Returns the last turn, and everything that was said, in order. */
export async function talk(builder: ServiceAccess, { flowId, botId, conversationId, answers, words }: Talk) {
  const said: string[] = [];
  const agent = [...(words ?? [])];
  let last: Turn | undefined;
  const execute = async (brought: object) => {
    const request = {
      session_id: conversationId,
      bot_id: botId,
      current_node: last?.next_node ?? null,
      variables: last?.variables ?? {},
      ...brought,
    };
    const turn = await callService(builder, 'POST', `/product/v1/flows/${flowId}/execute`, request);
    last = bodyOf<Turn>(turn, 200);
    said.push(...last.outputs.map(({ text }) => text));
    return last;
  };
  for (const user_input of [null, ...answers]) {
    if (user_input !== null) said.push(user_input);
    let { status, actions } = await execute({ user_input });
    while (status === 'waiting_for_tool') {
      const { call_id } = actions.at(-1)!;
      ({ status, actions } = await execute({ tool_result: { call_id, result: agent.shift() } }));
    }
  }
  return { last, said };
}

/**
 * So that the console has something to show: held once, when there is no conversation of the demo
 * bot yet.
 */
export async function keepDemoConversation(
  services: Readonly<Record<'flow-builder' | 'voice-api', ServiceAccess>>,
  flowId: string,
  botId: string,
): Promise<void> {
  const path = `/v1/conversations?limit=1&bot_id=${botId}`;
  const found = bodyOf<{ data: { items: object[] } }>(
    await callService(services['voice-api'], 'GET', path),
    200,
  );
  if (found.data.items.length > 0) return;
  const conversationId = 'demo-conversation';
  await talk(services['flow-builder'], { flowId, botId, conversationId, answers: ['Ada', '1042'] });
}
