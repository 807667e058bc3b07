// A conversation with a flow, held over its public API turn by turn, as whoever embeds it does: state goes back and forth.
import { bodyOf, callService } from './call-service.ts';
import type { ServiceAccess } from './call-service.ts';

export interface Turn {
  readonly status: string;
  readonly next_node: string | null;
  readonly outputs: readonly { readonly text: string }[];
  readonly variables: Readonly<Record<string, unknown>>;
}

export interface Talk {
  readonly flowId: string;
  readonly botId: string;
  readonly conversationId: string;
  readonly answers: readonly string[];
}

/** Returns the last turn, and everything that was said, in order. */
export async function talk(builder: ServiceAccess, { flowId, botId, conversationId, answers }: Talk) {
  const said: string[] = [];
  let last: Turn | undefined;
  for (const user_input of [null, ...answers]) {
    const request = {
      session_id: conversationId,
      bot_id: botId,
      current_node: last?.next_node ?? null,
      user_input,
      variables: last?.variables ?? {},
    };
    const turn = await callService(builder, 'POST', `/product/v1/flows/${flowId}/execute`, request);
    last = bodyOf<Turn>(turn, 200);
    if (user_input !== null) said.push(user_input);
    said.push(...last.outputs.map(({ text }) => text));
  }
  return { last, said };
}

/** So that the console has something to show: held once, when there is no conversation of the demo bot yet. */
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
