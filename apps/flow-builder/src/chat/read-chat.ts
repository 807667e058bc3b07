// Reads a request of a model client as a chat: the same for chat completions and responses.
import { findSession } from './find-session.ts';
import { countIgnoredParts, toTurns } from './history.ts';
import type { Chat } from './play-chat.ts';
import type { ChatMessage, ChatRequest } from './schemas.ts';

/** @param header X-Session-Id */
export function readChat(
  body: Pick<ChatRequest, 'model' | 'metadata'>,
  messages: readonly ChatMessage[],
  header: string | undefined,
): Chat {
  return {
    model: body.model,
    turns: toTurns(messages),
    session: findSession(body, header),
    variables: body.metadata?.variables ?? {},
    botId: body.metadata?.bot_id ?? null,
    ignoredParts: countIgnoredParts(messages),
  };
}
